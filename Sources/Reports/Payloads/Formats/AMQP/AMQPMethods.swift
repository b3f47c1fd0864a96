/// The methods of AMQP 0-9-1 (amqp-xml-doc0-9-1.pdf) and RabbitMQ's `confirm`: their names, and the fields that follow their numbers.
enum AMQPMethods {
    struct Row {
        let name: StaticString
        let fields: [(StaticString, AMQPFields.Kind)]
        /// The peer answers with the method of the next number.
        var isAnswered = false
        /// The number of the method that it answers.
        var answers: UInt64?
    }

    private static func asks(_ name: StaticString, _ fields: [(StaticString, AMQPFields.Kind)] = []) -> Row {
        Row(name: name, fields: fields, isAnswered: true)
    }

    private static func answer(_ name: StaticString, to number: UInt64, _ fields: [(StaticString, AMQPFields.Kind)] = []) -> Row {
        Row(name: name, fields: fields, answers: number)
    }

    private static func tells(_ name: StaticString, _ fields: [(StaticString, AMQPFields.Kind)] = []) -> Row {
        Row(name: name, fields: fields)
    }

    private static let closing: [(StaticString, AMQPFields.Kind)] = [
        ("replyCode", .int16), ("replyText", .short), ("failingClass", .int16), ("failingMethod", .int16),
    ]
    private static let tuning: [(StaticString, AMQPFields.Kind)] = [("channelMax", .int16), ("frameMax", .int32), ("heartbeat", .int16)]
    private static let binding: [(StaticString, AMQPFields.Kind)] = [
        ("reserved", .reservedInt16), ("queue", .short), ("exchange", .short), ("routingKey", .short),
    ]
    private static let linking: [(StaticString, AMQPFields.Kind)] = [
        ("reserved", .reservedInt16), ("destination", .short), ("source", .short), ("routingKey", .short), ("noWait", .bits),
        ("arguments", .table),
    ]
    private static let delivery: [(StaticString, AMQPFields.Kind)] = [
        ("deliveryTag", .int64), ("redelivered", .bits), ("exchange", .short), ("routingKey", .short),
    ]

    /// What is known of a method; nil for one that is not.
    static func row(_ classNumber: UInt64, _ number: UInt64) -> Row? {
        switch classNumber {
        case 10: connection(number)
        case 20: channel(number)
        case 40: exchange(number)
        case 50: queue(number)
        case 60: basic(number)
        case 85: number == 10 ? asks("confirm.select", [("noWait", .bits)]) : number == 11 ? answer("confirm.select-ok", to: 10) : nil
        case 90: transaction(number)
        case _: nil
        }
    }

    private static func connection(_ number: UInt64) -> Row? {
        switch number {
        case 10:
            asks(
                "connection.start",
                [("versionMajor", .octet), ("versionMinor", .octet), ("properties", .table), ("mechanisms", .long), ("locales", .long)])
        case 11:
            answer(
                "connection.start-ok", to: 10, [("properties", .table), ("mechanism", .short), ("response", .secret), ("locale", .short)])
        case 20: asks("connection.secure", [("challenge", .secret)])
        case 21: answer("connection.secure-ok", to: 20, [("response", .secret)])
        case 30: asks("connection.tune", tuning)
        case 31: answer("connection.tune-ok", to: 30, tuning)
        case 40: asks("connection.open", [("virtualHost", .short), ("reserved", .reservedShort)])
        case 41: answer("connection.open-ok", to: 40)
        case 50: asks("connection.close", closing)
        case 51: answer("connection.close-ok", to: 50)
        case 60: tells("connection.blocked", [("reason", .short)])
        case 61: tells("connection.unblocked")
        // RabbitMQ: a token that takes the place of the one that is about to expire.
        case 70: asks("connection.update-secret", [("newSecret", .secret), ("reason", .short)])
        case 71: answer("connection.update-secret-ok", to: 70)
        case _: nil
        }
    }

    private static func channel(_ number: UInt64) -> Row? {
        switch number {
        case 10: asks("channel.open")
        case 11: answer("channel.open-ok", to: 10)
        case 20: asks("channel.flow", [("active", .bits)])
        case 21: answer("channel.flow-ok", to: 20, [("active", .bits)])
        case 40: asks("channel.close", closing)
        case 41: answer("channel.close-ok", to: 40)
        case _: nil
        }
    }

    private static func exchange(_ number: UInt64) -> Row? {
        switch number {
        case 10:
            asks(
                "exchange.declare",
                [
                    ("reserved", .reservedInt16), ("exchange", .short), ("exchangeType", .short),
                    ("passive durable autoDelete internal noWait", .bits), ("arguments", .table),
                ])
        case 11: answer("exchange.declare-ok", to: 10)
        case 20: asks("exchange.delete", [("reserved", .reservedInt16), ("exchange", .short), ("ifUnused noWait", .bits)])
        case 21: answer("exchange.delete-ok", to: 20)
        case 30: asks("exchange.bind", linking)
        case 31: answer("exchange.bind-ok", to: 30)
        case 40: asks("exchange.unbind", linking)
        case 51: answer("exchange.unbind-ok", to: 40)
        case _: nil
        }
    }

    private static func queue(_ number: UInt64) -> Row? {
        switch number {
        case 10:
            asks(
                "queue.declare",
                [
                    ("reserved", .reservedInt16), ("queue", .short), ("passive durable exclusive autoDelete noWait", .bits),
                    ("arguments", .table),
                ])
        case 11: answer("queue.declare-ok", to: 10, [("queue", .short), ("messageCount", .int32), ("consumerCount", .int32)])
        case 20: asks("queue.bind", binding + [("noWait", .bits), ("arguments", .table)])
        case 21: answer("queue.bind-ok", to: 20)
        case 30: asks("queue.purge", [("reserved", .reservedInt16), ("queue", .short), ("noWait", .bits)])
        case 31: answer("queue.purge-ok", to: 30, [("messageCount", .int32)])
        case 40: asks("queue.delete", [("reserved", .reservedInt16), ("queue", .short), ("ifUnused ifEmpty noWait", .bits)])
        case 41: answer("queue.delete-ok", to: 40, [("messageCount", .int32)])
        case 50: asks("queue.unbind", binding + [("arguments", .table)])
        case 51: answer("queue.unbind-ok", to: 50)
        case _: nil
        }
    }

    private static func basic(_ number: UInt64) -> Row? {
        switch number {
        case 10: asks("basic.qos", [("prefetchSize", .int32), ("prefetchCount", .int16), ("global", .bits)])
        case 11: answer("basic.qos-ok", to: 10)
        case 20:
            asks(
                "basic.consume",
                [
                    ("reserved", .reservedInt16), ("queue", .short), ("consumerTag", .short), ("noLocal noAck exclusive noWait", .bits),
                    ("arguments", .table),
                ])
        case 21: answer("basic.consume-ok", to: 20, [("consumerTag", .short)])
        case 30: asks("basic.cancel", [("consumerTag", .short), ("noWait", .bits)])
        case 31: answer("basic.cancel-ok", to: 30, [("consumerTag", .short)])
        case 40:
            tells(
                "basic.publish",
                [("reserved", .reservedInt16), ("exchange", .short), ("routingKey", .short), ("mandatory immediate", .bits)])
        case 50: tells("basic.return", [("replyCode", .int16), ("replyText", .short), ("exchange", .short), ("routingKey", .short)])
        case 60: tells("basic.deliver", [("consumerTag", .short)] + delivery)
        case 70: asks("basic.get", [("reserved", .reservedInt16), ("queue", .short), ("noAck", .bits)])
        case 71: answer("basic.get-ok", to: 70, delivery + [("messageCount", .int32)])
        case 72: answer("basic.get-empty", to: 70)
        case 80: tells("basic.ack", [("deliveryTag", .int64), ("multiple", .bits)])
        case 90: tells("basic.reject", [("deliveryTag", .int64), ("requeue", .bits)])
        case 100: tells("basic.recover-async", [("requeue", .bits)])
        case 110: asks("basic.recover", [("requeue", .bits)])
        case 111: answer("basic.recover-ok", to: 110)
        case 120: tells("basic.nack", [("deliveryTag", .int64), ("multiple requeue", .bits)])
        case _: nil
        }
    }

    private static func transaction(_ number: UInt64) -> Row? {
        switch number {
        case 10: asks("tx.select")
        case 11: answer("tx.select-ok", to: 10)
        case 20: asks("tx.commit")
        case 21: answer("tx.commit-ok", to: 20)
        case 30: asks("tx.rollback")
        case 31: answer("tx.rollback-ok", to: 30)
        case _: nil
        }
    }
}
