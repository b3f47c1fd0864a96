// What an upgrade offered, held against what its response agrees to.
extension UpgradeOffer {
    /// Whether the protocol of an answer is among those that were offered. An answer may list the layers below it too, as `TLS/1.0, HTTP/1.1`
    /// does (RFC 9110, section 7.8; RFC 2817, section 3.3).
    func offers(_ head: RawSpan, _ answer: ByteRange) -> Bool {
        // Mostly the answer repeats the offer, and that is one name.
        if self.head.rawBytes.equals(head, answer, in: protocols) { return true }
        // Both lists may be as long as a head, so that holding each name against each would be too much.
        let offered = Self.names(self.head.rawBytes, protocols)
        let answered = Self.names(head, answer)
        let others = answered.subtracting(offered)
        return others.count < answered.count && others.allSatisfy { $0.starts(with: Array("http/".utf8)) } || others.isEmpty
    }

    /// Whether what was agreed on is HTTP/2 in the clear (RFC 7540, section 3.2).
    static func isHTTP2(_ head: RawSpan, _ list: ByteRange) -> Bool {
        var elements = ListElements(in: head, at: list)
        while let element = elements.next() {
            if head.equals("h2c", in: element) { return true }
        }
        return false
    }

    /// The elements of a list in small letters.
    private static func names(_ head: RawSpan, _ list: ByteRange) -> Set<[UInt8]> {
        var names: Set<[UInt8]> = []
        var elements = ListElements(in: head, at: list)
        while let element = elements.next() {
            var name: [UInt8] = []
            name.reserveCapacity(element.count)
            for index in element { name.append(head[index].lowercased) }
            names.insert(name)
        }
        return names
    }
}
