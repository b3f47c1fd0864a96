package import Dissection

extension FramedProtocol {
    package static var mqtt: Self { Self(MQTTGrammar.self) }
    package static var amqp: Self { Self(AMQPGrammar.self) }
    package static var nats: Self { Self(NATSGrammar.self) }
    package static var redis: Self { Self(RedisGrammar.self) }
    package static var stomp: Self { Self(STOMPGrammar.self) }
    package static var irc: Self { Self(IRCGrammar.self) }
    package static var xmpp: Self { Self(XMPPGrammar.self) }
}
