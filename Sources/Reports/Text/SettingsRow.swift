import Dissection

/// The SETTINGS with which both sides of HTTP/2 begin, which have one row together.
struct SettingsRow {
    /// Bytes of one side's settings; longer ones have a row of their own.
    static let mostBytes = 512
    /// How long one side's settings wait for those of the other.
    static let patience: Int64 = 1_000_000_000

    /// As they are shown: `ENABLE_PUSH 0   MAX_FRAME_SIZE 16384`.
    fileprivate(set) var client: [UInt8]?
    fileprivate(set) var server: [UInt8]?
    fileprivate(set) var startedAt: Timestamp?
    /// They were shown; what comes later has rows of its own.
    fileprivate(set) var isShown = false

    var isWaiting: Bool { !isShown && (client != nil || server != nil) }
}

extension TextReport {
    /// Keeps the first SETTINGS of a side, until those of the other come, and leaves out that settings were accepted. Where all is shown in full, or a
    /// filter picks, each frame has its row.
    ///
    /// - Returns: Whether the event needs no row of its own.
    mutating func takesSettings(_ event: borrowing ConversationEvent, _ content: RecordContent, at place: Int) -> Bool {
        if table[place].settings.isWaiting {
            if event.kind == .closed { showSettings(at: place) }
            if let time = event.place.time, let began = table[place].settings.startedAt,
                time.nanoseconds(since: began) >= SettingsRow.patience
            {
                showSettings(at: place)
            }
        }
        guard event.kind == .control, case .control(let frame) = event.fact, !settings.isFull, !settings.showsFrames, selection == nil
        else { return false }
        if frame.kind == .settingsAccepted { return true }
        guard frame.kind == .settings, !table[place].settings.isShown, let side = event.from else { return false }
        let isRepeated = side == .client ? table[place].settings.client != nil : table[place].settings.server != nil
        let words = SettingsRow.words(frame, content)
        if isRepeated || words.count > SettingsRow.mostBytes {
            showSettings(at: place)
            table[place].settings.isShown = true
            return false
        }
        tellOpened(before: event, at: place)
        endSealedRun(at: place)
        if table[place].talk == .tcp { table[place].talk = .http }
        if table[place].settings.startedAt == nil { table[place].settings.startedAt = event.place.time }
        if side == .client { table[place].settings.client = words } else { table[place].settings.server = words }
        if table[place].settings.client != nil, table[place].settings.server != nil { showSettings(at: place) }
        return true
    }

    /// Shows what is there of both sides' settings.
    mutating func showSettings(at place: Int) {
        let row = table[place].settings
        guard row.isWaiting else { return }
        table[place].settings = SettingsRow()
        table[place].settings.isShown = true
        let own = stream
        stream = 0
        defer { stream = own }
        beginLine(at: place, row.startedAt, sign: 0x3d, .plain)
        line.isWhole = true
        line.append("settings")
        line.pad(to: Column.detail, least: 2)
        for (sign, ink, words) in [(">", .client, row.client), ("<", .server, row.server)] as [(StaticString, Ink, [UInt8]?)] {
            guard let words else { continue }
            line.ink(ink)
            line.append(sign)
            line.ink(.plain)
            line.space()
            if words.isEmpty { line.append("none") } else { line.append(safe: words.rawBytes) }
            line.space(3)
        }
        commit(at: place)
    }
}

extension SettingsRow {
    fileprivate static func words(_ frame: ControlFrame, _ content: RecordContent) -> [UInt8] {
        var words: [UInt8] = []
        var fields = HeaderFields(in: content.bytes, at: frame.settings)
        while let field = fields.next(), words.count <= mostBytes {
            if !words.isEmpty { words += [0x20, 0x20, 0x20] }
            words.append(copying: content.part(field.name))
            words.append(0x20)
            words.append(copying: content.part(field.value))
        }
        return words
    }
}
