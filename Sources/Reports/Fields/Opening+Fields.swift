import Dissection

// The keys of `opened`.
extension Opening: FieldedFact {
    package static var blank: Opening {
        let none = Endpoint(address: IPAddress(), port: 0)
        return Opening(client: none, server: none, start: .midstream, roles: .guess)
    }

    package mutating func visit(_ row: inout some FieldVisitor & ~Copyable & ~Escapable) {
        // An archive knows the name and the port of a URL, and not always the address. What a proxy was asked for says the port itself.
        let serverPort = viaMode.isEmpty && start == .midstream
        row.endpoint(
            Field(
                ",\"client\":", .object(.endpoint), in: .opened, always: .opened,
                "where the client is. A Unix socket has the address `0.0.0.0` and a port made from its conversation's number"), &client,
            &clientName, namesPort: false)
        row.endpoint(
            Field(
                ",\"server\":", .object(.endpoint), in: .opened, always: .opened,
                """
                where the server is. A Unix socket has the address `0.0.0.0` and port 0; so has a server behind another proxy (`--via`) that address, of \
                which only name and port are known
                """), &server, &serverName, namesPort: serverPort)
        row.word(Field(",\"transport\":", .word(.transport), in: .opened, always: .opened, "what carries it"), &transport)
        row.word(
            Field(
                ",\"start\":", .word(.start), in: .opened, always: .opened,
                "how it came into sight; `midstream`: the capture has no SYN of it, `accepted`: by the proxy"), &start)
        row.word(
            Field(",\"roles\":", .word(.roles), in: .opened, always: .opened, "what decided who the client is; see [Roles](#roles)"), &roles
        )
        if row.begin(Field(",\"via\":", .object(.via), in: .opened, "the way through a proxy; only from one"), isThere: !viaMode.isEmpty) {
            row.text(Field(",\"mode\":", .text, in: .via, always: .via, "`reverse`, `http`, `socks5` or `transparent`"), &viaMode)
            row.text(Field(",\"target\":", .text, in: .via, "what the client asked the proxy for, as it did"), &viaTarget)
            row.end()
        }
        let hasProcess = !processName.isEmpty || processIdentifier != nil
        if row.begin(
            Field(
                ",\"process\":", .object(.process), in: .opened,
                "the process whose socket sent or received the first packet; only where the capture names it, as those of macOS do"),
            isThere: hasProcess)
        {
            row.text(Field(",\"name\":", .text, in: .process, "its name, at most 16 bytes of it"), &processName)
            row.number(Field(",\"pid\":", .integer(0, UInt64(UInt32.max)), in: .process, "its number"), &processIdentifier)
            row.end()
        }
        row.latin1()
    }
}

extension FieldVisitor where Self: ~Copyable & ~Escapable {
    /// An endpoint and what the source calls it.
    ///
    /// - Parameter namesPort: whether the port stands there without an address too.
    @inline(__always)
    fileprivate mutating func endpoint(_ field: Field, _ endpoint: inout Endpoint, _ name: inout ByteRange, namesPort: Bool) {
        guard begin(field, isThere: true) else { return }
        address(.address, &endpoint.address)
        let hasPort = endpoint.address.family != .none || namesPort && endpoint.port > 0 && !name.isEmpty
        var port = hasPort ? endpoint.port : nil
        number(.port, &port)
        if port == nil, endpoint.address.family != .none { refuse(.port, "missing") }
        endpoint.port = port ?? 0
        text(
            Field(
                ",\"name\":", .text, in: .endpoint,
                "what the source calls it, if anything: the name that was dialled, a name in the capture, or the path of a Unix socket"),
            &name)
        end()
    }
}
