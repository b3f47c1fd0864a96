import Dissection

extension CallDeadline {
    /// The nanoseconds that the header fields of a request name; nil where they name none.
    ///
    /// - Parameter range: the field lines in `bytes`.
    package static func nanoseconds(in bytes: RawSpan, at range: ByteRange) -> Int64? {
        var fields = HeaderFields(in: bytes, at: range)
        while let field = fields.next() {
            guard field.name.end - field.name.start == 12 else { continue }
            guard bytes.extracting(field.name.start..<field.name.end).isWord("grpc-timeout") else { continue }
            return nanoseconds(bytes.extracting(field.value.start..<field.value.end))
        }
        return nil
    }
}
