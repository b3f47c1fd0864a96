import Dissection
import Reports
import Testing

/// What `--framing` takes.
@Suite struct FramingArgumentTests {
    private func framing(_ text: String) -> StreamFraming? { try? StreamFraming(argument: text) }

    private func error(_ text: String) -> String? {
        do {
            _ = try DecodeRule(framing: text)
            return nil
        } catch { return error.description }
    }

    private static let expected = "expected tcp.port=PORT=FRAMING or *=FRAMING, such as tcp.port=7000=lines"

    /// One grammar for the three options that have rules: RULE=WHAT; what was written before is still taken.
    @Test(arguments: [
        "tcp.port=7000=length:u32be", "7000=length:u32be", "tcp.port==7000,length:u32be", "7000,length:u32be", "tcp.port=7000,length:u32be",
    ])
    func `a rule and what it says stand on both sides of an equals sign`(text: String) throws {
        let rule = try DecodeRule(framing: text)
        #expect(rule.port == 7_000 && rule.framing?.client == .length(LengthPrefix(.u32be)))
    }

    @Test func `what is read is written the same`() {
        let texts = [
            "length:u32be", "length:varint,self,offset=1,max=99", "length:u16le,offset=2,header=8", "delimiter:hex:0d0a", "lines",
            "delimiter:hex:00,max=65536", "fixed:12", "tlv:u8,u16be", "content-length", "json", "mqtt",
        ]
        for text in texts { #expect(framing(text)?.argument == text) }
    }

    @Test func lengths() {
        #expect(framing("length:u32be") == .length(LengthPrefix(.u32be)))
        #expect(framing("length:varint,self,offset=1,max=99") == .length(LengthPrefix(.varint, offset: 1, countsItself: true, most: 99)))
        #expect(framing("length:u16le,header=8,offset=2") == .length(LengthPrefix(.u16le, offset: 2, header: 8)))
        for width in ["u8", "u16be", "u16le", "u24be", "u24le", "u32be", "u32le", "u64be", "u64le", "varint"] {
            #expect(framing("length:\(width)") != nil)
        }
    }

    @Test func delimiters() {
        func delimiter(_ bytes: [UInt8], _ most: UInt64 = StreamFraming.mostBytes) -> StreamFraming {
            .delimiter(ShortBytes(bytes) ?? ShortBytes(), most: most)
        }
        #expect(framing(#"delimiter:"\r\n""#) == delimiter([0x0D, 0x0A]))
        #expect(framing(#"delimiter:\r\n"#) == delimiter([0x0D, 0x0A]))
        #expect(framing("delimiter:hex:0d0a,max=10") == delimiter([0x0D, 0x0A], 10))
        #expect(framing(#"delimiter:"\x1e""#) == delimiter([0x1E]))
        #expect(framing(#"delimiter:"a,\";b""#) == delimiter(Array("a,\";b".utf8)))
        #expect(framing(#"delimiter:"\0""#) == delimiter([0]))
    }

    @Test func theOthers() {
        #expect(framing("fixed:12") == .fixed(12))
        #expect(framing("lines") == .lines)
        #expect(framing("content-length") == .contentLength)
        #expect(framing("json") == .json)
        #expect(framing("tlv:u8,u16be") == .tlv(type: .u8, length: .u16be))
        for name in FramedProtocol.known { #expect(framing("\(name)") == .protocol(name)) }
    }

    @Test func portsAndDirections() throws {
        let rule = try DecodeRule(framing: "tcp.port=7000,length:u32be")
        #expect(
            rule.port == 7_000 && rule.framing == FramingPair(client: .length(LengthPrefix(.u32be)), server: .length(LengthPrefix(.u32be))))
        let apart = try DecodeRule(framing: #"*=client=lines;server=delimiter:";\n",max=7"#)
        #expect(apart.port == nil && apart.framing?.client == .lines)
        #expect(apart.framing?.server == .delimiter(ShortBytes([0x3B, 0x0A]) ?? ShortBytes(), most: 7))
    }

    @Test(arguments: [
        ("tcp.port=7000", expected), ("udp.port=1=lines", expected), ("lines", expected), ("65536=lines", expected), ("**=lines", expected),
        ("tcp.port=0=lines", expected),
        ("*,length:u33be", "\"u33be\" is not a width; expected one of u8, u16be, u16le, u24be, u24le, u32be, u32le, u64be, u64le, varint"),
        (
            "*,line",
            "\"line\" is not a framing; expected length:WIDTH, delimiter:BYTES, fixed:N, lines, tlv:WIDTH,WIDTH, content-length, json, or one of mqtt, amqp, nats, redis, stomp, irc, xmpp"
        ),
        ("*,length:u32be,header=3", "a header of 3 bytes has no room for the length; it ends at byte 4"),
        ("*,length:u32be,offset=2,header=5", "a header of 5 bytes has no room for the length; it ends at byte 6"),
        ("*,length:varint,header=9", "the header of a varint ends with it; leave header= out"),
        ("*,length:u8,mx=1", "\"mx=1\" is not an option of this framing, or there twice"),
        ("*,lines,max=1", "\"max=1\" is not an option of this framing, or there twice"),
        ("*,length:u8,max=0", "max=0 is not a number from 1 to 4294967295"),
        ("*,fixed:0", "fixed:0 is not a number of bytes from 1 to 67108864"), ("*,delimiter:", "a delimiter has 1 to 16 bytes"),
        ("*,delimiter:12345678901234567", "a delimiter has 1 to 16 bytes"),
        ("*,delimiter:\\q", "\"\\q\" is not an escape; expected one of C, or \\x and two digits"),
        ("*,delimiter:hex:0", "hex:0 is not pairs of hexadecimal digits"), ("*,delimiter:\\x1", "\\x takes two hexadecimal digits"),
        ("*,tlv:u8", "tlv takes a length: tlv:u8,u16be"),
        ("*,tlv:varint,u8", "a type of tlv has 1 to 4 bytes: u8, u16be, u16le, u24be, u24le, u32be or u32le"),
        ("*,client=lines", "expected client=FRAMING;server=FRAMING"),
    ]) func whatIsWrongIsSaid(_ text: String, _ words: String) { #expect(error(text) == words) }
}
