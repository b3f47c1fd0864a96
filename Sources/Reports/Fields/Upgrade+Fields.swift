import Dissection

// The keys of `upgrade`.
extension Upgrade: FieldedFact {
    package static var blank: Upgrade { Upgrade(protocolName: ByteRange(), accepted: false) }

    package mutating func visit(_ row: inout some FieldVisitor & ~Copyable & ~Escapable) {
        row.text(Field(",\"protocol\":", .text, in: .upgrade, "`websocket`, `h2c`, …"), &protocolName)
        row.flag(Field(",\"accepted\":", .boolean, in: .upgrade, always: .upgrade, "whether the server agreed"), &accepted)
        row.text(Field(",\"host\":", .text, in: .upgrade, "which host the request was for"), &host)
        row.text(Field(",\"target\":", .text, in: .upgrade, "what of it the request was for"), &target)
        row.text(Field(",\"subprotocol\":", .text, in: .upgrade, "as agreed (RFC 6455 1.9)"), &subprotocol)
        row.text(Field(",\"extensions\":", .text, in: .upgrade, "as agreed (RFC 6455 9.1)"), &extensions)
        if row.begin(
            Field(",\"compression\":", .object(.compression), in: .upgrade, "what permessage-deflate was agreed to (RFC 7692 7)"),
            isThere: compression != nil)
        {
            var agreed = compression ?? Compression()
            row.flag(
                Field(
                    ",\"clientTakeover\":", .boolean, in: .compression, always: .compression,
                    "whether the client keeps its context from message to message"), &agreed.clientTakeover)
            row.flag(
                Field(",\"serverTakeover\":", .boolean, in: .compression, always: .compression, "whether the server does"),
                &agreed.serverTakeover)
            row.number(
                Field(
                    ",\"clientWindowBits\":", .integer(8, 15), in: .compression, always: .compression,
                    "the client's window, as a power of 2"), &agreed.clientWindowBits)
            row.number(
                Field(",\"serverWindowBits\":", .integer(8, 15), in: .compression, always: .compression, "the server's window"),
                &agreed.serverWindowBits)
            compression = agreed
            row.end()
        }
        row.latin1()
    }
}
