import Reports

/// The head of a plain HTTP request on its way through the proxy.
package struct ForwardedHead: Hashable, Sendable {
    /// The server that the request is for.
    package var origin: HostPort
    /// A conversation with that server begins: the one before, if there was one, has had all its answers and is over.
    package var opens: Bool
    /// The answer has no body (RFC 9110, section 9.3.2).
    package var isToHead: Bool
    /// What the client sent, for the records: the proxy's own password is not in it.
    package var sent: [UInt8]
    /// What the server gets.
    package var relayed: [UInt8]
    /// The header fields that were changed, in words, without the value of a removed one; none where all were left as they are. That the
    /// target lost its scheme and host is not among them: it does in every request.
    package var change: String?
}

extension ForwardedHead {
    /// Rewrites a request in absolute-form for its server. What RFC 9112 does not make a proxy change stays byte for byte: order, case,
    /// whitespace, folds, line ends.
    ///
    /// - The target gets origin-form, or `*` for OPTIONS without a path (sections 3.2.1 and 3.2.4).
    /// - `Host` is that of the target; it is left alone where it says the same, else replaced, added, or reduced to one (section 3.2.2).
    /// - `Content-Length` beside `Transfer-Encoding` is removed (section 6.3, item 3).
    /// - `Proxy-Connection` is meant for us (appendix C.2.2), and so is `Proxy-Authorization` where we asked for it (RFC 9110, section 11.7.2).
    ///
    /// `Connection` and what it names go on, and there is no `Via` (RFC 9110, sections 7.6.1 and 7.6.3 want both otherwise): a connection
    /// of the client is paired with one of the server, so that what the client says about the one is meant for the other, and a proxy that
    /// tells of itself is not the same conversation any more.
    init(_ head: ProxyRequestHead, to target: AbsoluteTarget, opens: Bool, removesAuthorization: Bool) {
        origin = target.origin
        self.opens = opens
        isToHead = head.isMethod("HEAD")
        var changes: [String] = []
        var edits = [Edit(head.target, target.originForm(isOptions: head.isMethod("OPTIONS")))]
        let fields = head.fields
        let authority = target.authority
        let written = ForwardedHead.words(authority)
        if let first = fields.hosts.first {
            let isSame = (try? HostPort.parse(head.bytes[first.value], defaultPort: 80))?.isSame(as: origin) ?? false
            if fields.hosts.count > 1 || !isSame {
                edits.append(Edit(first.value, authority))
                let values = fields.hosts.prefix(4).map { ForwardedHead.words(ofHost: head.bytes[$0.value]) }
                changes.append("Host: \(values.joined(separator: ", ")) became \(written)")
            }
            edits += fields.hosts.dropFirst().map { Edit($0.whole, []) }
        } else {
            let start = head.fieldLines.lowerBound
            let hasReturn = start >= 2 && head.bytes[start - 2] == 0x0D
            let place = head.firstUnfoldedLine
            edits.append(Edit(place..<place, Array("Host: ".utf8) + authority + (hasReturn ? [0x0D, 0x0A] : [0x0A])))
            changes.append("Host: \(written) was added")
        }
        func remove(_ lines: [MessageFields.Line], _ words: String) {
            guard !lines.isEmpty else { return }
            edits += lines.map { Edit($0.whole, []) }
            changes.append(words)
        }
        remove(fields.proxyConnections, "Proxy-Connection was removed")
        if removesAuthorization { remove(fields.proxyAuthorizations, "Proxy-Authorization was removed") }
        if fields.hasTransferEncoding { remove(fields.contentLengths, "Content-Length beside Transfer-Encoding was removed") }
        relayed = Edit.apply(edits, to: head.bytes)
        let secrets = removesAuthorization ? fields.proxyAuthorizations.map { Edit($0.value, ForwardedHead.hidden) } : []
        sent = Edit.apply(secrets, to: head.bytes)
        change = changes.isEmpty ? nil : changes.joined(separator: "; ")
    }

    /// A value of Host as findings show it: a user and password before the host, which have no place there, are `***`.
    static func words(ofHost value: ArraySlice<UInt8>) -> String {
        guard let sign = value.lastIndex(of: UInt8(ascii: "@")) else { return words(value) }
        return "***" + words(value[sign...])
    }

    /// As much of a value as a finding needs.
    private static func words(_ value: ArraySlice<UInt8>) -> String { String(decoding: value.prefix(200), as: UTF8.self) }

    /// What stands in the records instead of the proxy's own password. Its length says nothing about that.
    private static let hidden = Array("Basic ***".utf8)

    /// A range of the head, and what takes its place.
    private struct Edit {
        let range: Range<Int>
        let replacement: [UInt8]

        init(_ range: Range<Int>, _ replacement: some Collection<UInt8>) {
            self.range = range
            self.replacement = Array(replacement)
        }

        static func apply(_ edits: [Edit], to bytes: [UInt8]) -> [UInt8] {
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count + 64)
            var position = 0
            for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
                result += bytes[position..<edit.range.lowerBound] + edit.replacement
                position = edit.range.upperBound
            }
            return result + bytes[position...]
        }
    }
}
