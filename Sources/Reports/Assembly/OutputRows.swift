extension OutputRow {
    /// All that a run can write to a file. The first takes files whose name says nothing.
    package static let all = [records, recordArray, archive, table, page, session, text]

    package static func named(_ name: some StringProtocol) -> OutputRow? { all.first { $0.name == name } }

    /// What a file is made into by its name.
    package static func ofFile(_ path: some StringProtocol) -> OutputRow { all.first { path.hasSuffix($0.ending) } ?? records }
}
