internal import Dissection

extension Fact {
    /// How many kinds there are.
    static let kinds = 16

    /// A number for the kind.
    var kindIndex: Int {
        switch self {
        case .opened: 0
        case .tls: 1
        case .request: 2
        case .response: 3
        case .body: 4
        case .upgrade: 5
        case .frame: 6
        case .message: 7
        case .ping: 8
        case .pong: 9
        case .close: 10
        case .data: 11
        case .gap: 12
        case .finding: 13
        case .closed: 14
        case .control: 15
        }
    }

    /// Its record may stand behind one of its kind with a higher offset: a finding stands behind its subject, and an
    /// element that nobody can read is told where it ends, with what lay inside it before it.
    var isOutOfOrder: Bool {
        switch self {
        case .finding: true
        case .gap(let gap): gap.cause == .undecodable
        case _: false
        }
    }

    /// TLS was read.
    var isOfTLS: Bool {
        switch self {
        case .tls: true
        case .data(let run): run.framing != nil
        case .finding(let finding): finding.row.id.hasPrefix("tls.")
        case _: false
        }
    }

    /// Every range that points into the content.
    var ranges: [ByteRange] {
        switch self {
        case .tls(let tls): [tls.serverName, tls.alpn, tls.offeredALPN, tls.certificates, tls.clientCertificates]
        case .request(let head): [head.method, head.target, head.version, head.fields]
        case .response(let head): [head.version, head.reason, head.fields]
        case .body(let body): [body.encoding, body.payload, body.trailers]
        case .upgrade(let upgrade): [upgrade.protocolName, upgrade.host, upgrade.target, upgrade.subprotocol, upgrade.extensions]
        case .control(let frame): [frame.settings, frame.text]
        case .opened(let opening):
            [opening.clientName, opening.serverName, opening.viaMode, opening.viaTarget, opening.processName]
        case .frame, .message, .ping, .pong, .close, .data, .gap, .finding, .closed: []
        }
    }
}
