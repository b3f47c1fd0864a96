extension FindingRow {
    package static let webSocketHandshakeRows: [FindingRow] = []
}
