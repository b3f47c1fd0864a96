extension HTTP1Layer: RegisteredLayer {
    package static var name: LayerName { .http }

    package static func begins(client: RawSpan, server: RawSpan, searched: inout Int) -> Recognized {
        guard client.byteCount > 0 else { return HTTP1Lines.statusLine(in: server, at: 0) }
        let request = HTTP1Lines.requestAtStart(client, searched: &searched)
        // A server that has spoken otherwise does not wait for the end of a request line.
        guard request == .undecided, server.byteCount > 0, HTTP1Lines.statusLine(in: server, at: 0) == .no else { return request }
        // One that speaks HTTP/2 alone begins before it has read anything.
        return ServerFrame.begins(server) == .no ? .no : .undecided
    }

    package static func isBegun(client: RawSpan, server: RawSpan) -> Bool { HTTP1Lines.isUnfinishedRequest(client) }

    package static func search() -> (any MidstreamSearch)? { HTTP1Search() }

    package static func mayBegin(with first: UInt8, from side: Side) -> Bool {
        side == .client ? HTTP1Lines.isMethodByte(first) : first == UInt8(ascii: "H")
    }

    package init(_ start: LayerStart) {
        self.init()
        isFound = start.isFound
        // Responses to something that is no request are held against nobody.
        if start.isResponseAlone { exchange.lose() }
    }
}
