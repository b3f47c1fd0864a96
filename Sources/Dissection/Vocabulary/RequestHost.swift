extension HeaderFields {
    /// Where the host that a request is for stands in its field lines, with its port where it has one: the value of `Host` (RFC 9110, section 7.2), or
    /// of HTTP/2's `:authority` (RFC 9113, section 8.3.1). Of several the first that says anything; empty where there is none.
    public static func host(in content: RawSpan, at fields: ByteRange) -> ByteRange {
        var lines = HeaderFields(in: content, at: fields)
        while let line = lines.next() {
            guard !line.value.isEmpty else { continue }
            let name = line.name.start..<line.name.end
            if content.equals("host", in: name) || content.equals(":authority", in: name) { return line.value }
        }
        return ByteRange()
    }
}

extension ConversationEvent {
    /// The host that a request is for, as it came; empty where the head does not say.
    @_lifetime(copy self)
    public func host(of head: RequestHead) -> RawSpan { bytes(HeaderFields.host(in: content, at: head.fields)) }
}
