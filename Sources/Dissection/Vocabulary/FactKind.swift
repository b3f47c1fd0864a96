/// Which case a fact is, without what it holds: a fact is large, and most sinks are done with an event after one look at its kind.
///
/// The order is that of the kinds of records in docs/log-format.md.
public enum FactKind: UInt8, Sendable, CaseIterable {
    case opened, tls, data, gap, finding, closed, request, response, body, upgrade, frame, message, ping, pong, close, control
}

extension Fact {
    /// Which case it is.
    public var kind: FactKind {
        switch self {
        case .opened: .opened
        case .tls: .tls
        case .data: .data
        case .gap: .gap
        case .finding: .finding
        case .closed: .closed
        case .request: .request
        case .response: .response
        case .body: .body
        case .upgrade: .upgrade
        case .frame: .frame
        case .message: .message
        case .ping: .ping
        case .pong: .pong
        case .close: .close
        case .control: .control
        }
    }
}
