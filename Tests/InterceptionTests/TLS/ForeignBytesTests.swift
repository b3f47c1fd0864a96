import NIOCore
import Testing

@testable import Interception

/// What stands in the place of TLS records, however it is cut.
@Suite("Bytes that are not TLS") struct ForeignBytesTests {
    /// Two records of TLS: three and no bytes.
    private static let records: [UInt8] = [22, 3, 1, 0, 3, 1, 2, 3, 20, 3, 3, 0, 0]

    private func kept(_ bytes: [UInt8], by size: Int) -> [UInt8] {
        var foreign = ForeignBytes()
        var rest = bytes[...]
        while !rest.isEmpty {
            foreign.receive(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        foreign.end()
        return Array(foreign.bytes.readableBytesView)
    }

    @Test("from the first byte or after records", arguments: [1, 2, 3, 4, 5, 7, 100])
    func cut(size: Int) {
        for text in ["HTTP/1.1 400 Bad Request\r\n\r\n", "-ERR", "no", "\u{16}\u{2}", "\u{15}more of it"] {
            let bytes = Array(text.utf8)
            #expect(kept(bytes, by: size) == bytes)
            #expect(kept(Self.records + bytes, by: size) == bytes)
        }
        #expect(kept(Self.records, by: size).isEmpty)
        // The beginning of a header that has not all come.
        #expect(kept(Self.records + [22], by: size).isEmpty)
        #expect(kept(Self.records + [22, 3, 3], by: size).isEmpty)
    }

    @Test("no more than the limit is kept")
    func limit() {
        #expect(kept(Array(repeating: 0x61, count: ForeignBytes.limit + 99), by: 1_000).count == ForeignBytes.limit)
    }

    @Test(
        "what it looks like",
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\nServer: a\r\n\r\n", "“HTTP/1.1 400 Bad Request” in clear text"),
            ("\u{1B}[2J", "4 bytes that are not TLS"), ("\0", "1 byte that is not TLS"),
            (String(repeating: "a", count: 81), "“\(String(repeating: "a", count: 80))…” in clear text"),
        ])
    func words(text: String, words: String) { #expect(ForeignBytes.description(ByteBuffer(string: text)) == words) }
}
