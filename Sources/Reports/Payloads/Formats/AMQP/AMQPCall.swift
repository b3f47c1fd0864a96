/// What a call of AMQP is matched by: its channel and the numbers of its method.
struct AMQPCall {
    let channel: UInt16
    let classNumber: UInt64
    let number: UInt64

    /// Whether a method is `connection.close` or `channel.close`.
    static func isClosing(_ classNumber: UInt64, _ number: UInt64) -> Bool {
        classNumber == 10 && number == 50 || classNumber == 20 && number == 40
    }

    var bytes: [UInt8] { Array("amqp \(channel) ".utf8) + ending }
    /// What is the same on all channels.
    var ending: [UInt8] { Array("method \(classNumber) \(number)".utf8) }
    /// What the calls begin with that end with the channel; for channel 0 with the connection.
    var scope: [UInt8] { Array((channel > 0 ? "amqp \(channel) " : "amqp ").utf8) }
}
