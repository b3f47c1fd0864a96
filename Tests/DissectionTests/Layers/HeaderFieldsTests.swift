import Dissection
import Testing

@Suite struct HeaderFieldsTests {
    /// What the cursor makes of field lines: `name=value` each, `!` behind one without colon, `~` behind a folded one.
    private func walk(_ wire: String, at range: ByteRange? = nil) -> [String] {
        let bytes = Array(wire.utf8)
        var fields = HeaderFields(in: bytes.rawBytes, at: range ?? ByteRange(0..<bytes.count))
        var seen: [String] = []
        while let field = fields.next() {
            let name = String(decoding: bytes[field.name.start..<field.name.end], as: UTF8.self)
            let value = String(decoding: bytes[field.value.start..<field.value.end], as: UTF8.self)
            seen.append("\(name)=\(value)" + (field.hasColon ? "" : "!") + (field.isFolded ? "~" : ""))
        }
        return seen
    }

    @Test func `names and values come in wire order and case`() {
        #expect(walk("Host: a.example\r\nX-y:2\r\nHOST:\tb\r\n") == ["Host=a.example", "X-y=2", "HOST=b"])
    }

    @Test func `a bare line feed ends a line, a bare carriage return does not`() {
        #expect(walk("A: 1\nB: 2\r3\r\nC: 4\r\r\n") == ["A=1", "B=2\r3", "C=4\r"])
    }

    @Test func `a last line without a line end counts`() {
        #expect(walk("A: 1\r\nB: 2") == ["A=1", "B=2"])
        #expect(walk("A: 1\r\nB: 2\r") == ["A=1", "B=2\r"])
    }

    @Test func `whitespace around a value is dropped, inside it is kept`() {
        #expect(walk("A: \t x  y \t\r\nB:\r\nC:   \r\n") == ["A=x  y", "B=", "C="])
    }

    @Test func `whitespace before the colon belongs to the name`() {
        #expect(walk("Transfer-Encoding : chunked\r\n") == ["Transfer-Encoding =chunked"])
    }

    @Test func `only the first colon parts name and value`() {
        #expect(walk("Host: [::1]:80\r\n: x\r\n") == ["Host=[::1]:80", "=x"])
    }

    @Test func `a line without colon is a name`() {
        #expect(walk("garbage here\r\nA: 1\r\n") == ["garbage here=!", "A=1"])
    }

    @Test func `a folded value stays as on the wire`() {
        #expect(walk("A: 1\r\n  2\r\n\t3\r\nB: 4\r\n") == ["A=1\r\n  2\r\n\t3~", "B=4"])
        #expect(walk("A:\r\n 1\r\n \r\nB: 2\n") == ["A=1~", "B=2"])
    }

    @Test func `a first line that begins with whitespace is a line of its own`() {
        #expect(walk(" A: 1\r\nB: 2\r\n") == [" A=1", "B=2"])
    }

    @Test func `an empty line ends the walk`() {
        #expect(walk("A: 1\r\n\r\nB: 2\r\n") == ["A=1"])
        #expect(walk("\n") == [])
        #expect(walk("") == [])
    }

    @Test func `ranges are offsets into the content, and never leave it`() {
        #expect(walk("GET / HTTP/1.1\r\nA: 1\r\n\r\n", at: ByteRange(start: 16, count: 6)) == ["A=1"])
        #expect(walk("A: 1\r\nB: 2\r\n", at: ByteRange(start: 6, count: .max)) == ["B=2"])
        #expect(walk("A: 1\r\n", at: ByteRange(start: 99, count: 4)) == [])
        #expect(walk("A: 1\r\n", at: ByteRange(start: -1, count: -1)) == [])
    }
}
