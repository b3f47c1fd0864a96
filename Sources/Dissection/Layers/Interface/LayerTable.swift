/// The layers that a dissector knows, in the order in which they are asked whether bytes are theirs.
public struct LayerTable: Sendable {
    /// What all copies share: a table goes with each conversation.
    private final class Content: Sendable {
        let rows: [LayerRow]
        /// By the first byte of a client's run, and 256 further on of a server's: a bit for each row that may begin with it.
        let starts: [UInt64]
        let protocols: [any ProtocolGrammar.Type]
        let keys: (any DecryptionKeys)?

        init(_ rows: [LayerRow], _ protocols: [any ProtocolGrammar.Type], _ keys: (any DecryptionKeys)?) {
            self.rows = rows
            self.protocols = protocols
            self.keys = keys
            var starts = [UInt64](repeating: 0, count: 512)
            for (row, layer) in rows.prefix(LayerTable.mostRows).enumerated() {
                for first in 0..<256 {
                    if layer.mayBegin(UInt8(first), .client) { starts[first] |= 1 << UInt64(row) }
                    if layer.mayBegin(UInt8(first), .server) { starts[256 + first] |= 1 << UInt64(row) }
                }
            }
            self.starts = starts
        }
    }

    /// Rows of which a run may be the beginning in the middle of a stream; those behind them begin with the first bytes only.
    private static let mostRows = 64

    private let content: Content

    package var rows: [LayerRow] { content.rows }

    /// What opens what is encrypted; nil where it stays sealed.
    package var keys: (any DecryptionKeys)? { content.keys }

    /// What is looked for in bytes that no layer reads, in this order.
    package var protocols: [any ProtocolGrammar.Type] { content.protocols }

    package init(_ rows: [LayerRow], protocols: [any ProtocolGrammar.Type] = []) { self.init(rows, protocols, keys: nil) }

    private init(_ rows: [LayerRow], _ protocols: [any ProtocolGrammar.Type], keys: (any DecryptionKeys)?) {
        content = Content(rows, protocols, keys)
    }

    /// The same layers, with what opens what is encrypted.
    package func opening(with keys: any DecryptionKeys) -> LayerTable { LayerTable(rows, protocols, keys: keys) }

    subscript(name: LayerName) -> LayerRow? { index(of: name).map { rows[$0] } }

    private func index(of name: LayerName) -> Int? {
        for index in rows.indices where rows[index].name == name { return index }
        return nil
    }

    /// Those that a user can say are spoken at a port.
    public var choices: [LayerName] { rows.filter { !$0.isPreamble }.map(\.name) }

    /// Makes the layer of a name; none where no row has it.
    func make(_ name: LayerName, _ start: LayerStart) -> RunningLayer? { index(of: name).map { rows[$0].make(start) } }

    /// Whose the first bytes of a channel are: `data` where nobody wants them, nil while somebody has to see more.
    func layer(client: RawSpan, server: RawSpan, searched: inout Int) -> LayerName? {
        // By their places: a row that is taken out is a copy with its closures counted, for each conversation.
        for index in rows.indices {
            switch rows[index].begins(client, server, &searched) {
            case .yes: return rows[index].name
            case .undecided: return nil
            case .no: continue
            }
        }
        return .data
    }

    /// What first bytes are that nothing follows, and that nobody has claimed.
    func lastWord(client: RawSpan, server: RawSpan) -> LayerName {
        for index in rows.indices where rows[index].isBegun(client, server) { return rows[index].name }
        return .data
    }

    /// Whether something begins with a client's bytes that may begin in the middle of a conversation.
    func isBegun(client: RawSpan) -> Recognized {
        var answer = Recognized.no
        for index in rows.indices where rows[index].mayFollowConversation {
            switch rows[index].follows(client) {
            case .yes: return .yes
            case .undecided: answer = .undecided
            case .no: continue
            }
        }
        return answer
    }

    /// The rows that may begin with the first byte of a run, a bit for each.
    @inline(__always)
    func starting(with first: UInt8, from side: Side) -> UInt64 { content.starts[Int(first) + (side == .client ? 0 : 256)] }
}
