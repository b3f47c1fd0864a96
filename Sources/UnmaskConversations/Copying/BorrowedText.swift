import Dissection
import Reports

// Bytes that are lent, as text and fields.

extension RawSpan {
    /// A part of the bytes, within them.
    @_lifetime(copy self)
    func part(_ range: ByteRange) -> RawSpan {
        let start = min(max(0, range.start), byteCount)
        return extracting(start..<start + min(max(0, range.count), byteCount - start))
    }

    /// The bytes as UTF-8, or else as Latin-1.
    var text: String {
        let bytes = copy
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    func text(_ range: ByteRange) -> String { part(range).text }

    /// The same; nil where there are no bytes.
    func words(_ range: ByteRange) -> String? { range.isEmpty ? nil : text(range) }

    func headers(_ range: ByteRange) -> [ConversationEvent.Header] {
        var (fields, headers) = (HeaderFields(in: self, at: range), [ConversationEvent.Header]())
        while let field = fields.next() {
            headers.append(ConversationEvent.Header(name: text(field.name), value: text(field.value)))
        }
        return headers
    }
}

extension Duration {
    init?(_ nanoseconds: Int64?) {
        guard let nanoseconds else { return nil }
        self = .nanoseconds(nanoseconds)
    }
}
