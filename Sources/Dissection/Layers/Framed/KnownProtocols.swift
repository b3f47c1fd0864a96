extension FramedProtocol {
    /// The protocols that we have. A new one is a folder under `Protocols` and a row here.
    ///
    /// They are asked in this order whether a conversation began as theirs.
    package static let grammars: [any ProtocolGrammar.Type] = [
        MQTTGrammar.self, AMQPGrammar.self, NATSGrammar.self, RedisGrammar.self, STOMPGrammar.self, IRCGrammar.self, XMPPGrammar.self,
    ]

    package static let known = grammars.map { FramedProtocol($0) }

    /// What both sides have begun, whose bytes so far these are.
    static func begun(_ grammars: [any ProtocolGrammar.Type], client: RawSpan, server: RawSpan) -> Beginning {
        var answer = Beginning.none
        for grammar in grammars {
            switch grammar.begins(client: client, server: server) {
            case .yes: return .found(FramedProtocol(grammar))
            case .undecided: answer = .undecided
            case .no: continue
            }
        }
        return answer
    }

    enum Beginning: Equatable {
        case found(FramedProtocol)
        case undecided
        case none
    }
}
