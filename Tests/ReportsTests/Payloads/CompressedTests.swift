import Dissection
import Testing

@testable import Reports

/// Messages that an app compresses itself. The bytes were made with Python's gzip and zlib, and with zstd's program.
@Suite("Compressed messages") struct CompressedTests {
    private static let gzip = hex(
        "1f8b0800000000000203ab56ca2f50b232d0512a51b2520a727574895402b2f3b353f380fc62e3e4a2d492b2c49cd254a55a00cfb483f82a000000")
    private static let zlib = hex(
        "789cab56ca2f50b232d0512a51b2520a727574895402b2f3b353f380fc62e3e4a2d492b2c49cd254a55a00fde00cdd")
    private static let zstd = hex(
        "28b52ffd242a5101007b226f70223a302c2274223a225245414459222c22746f6b656e223a2273336372657476616c7565227df10262c2")
    private static let stream = [
        "789caa56ca2f50b23234d0514a51b2aa56ca484d2c2a494a4d2c89cfcc2b492d2a4bcc51b23231343235a8ad05000000ffff",
        "aa06ab042a2c51b2520a7275748954aa05000000ffff", "8288191ad602000000ffff",
    ].map { hex($0) }

    @Test("each message by itself is opened, and what it holds is read", arguments: [("gzip", gzip), ("zlib", zlib), ("zstd", zstd)])
    func single(coding: String, bytes: [UInt8]) {
        var talk = MessagingTalk()
        let said = talk.say(bytes, from: .server, opcode: 2)
        #expect(said?.line.hasPrefix("\(coding) 42 B  ") == true && said?.line.contains("s3cretvalue") == true, "\(said?.line ?? "-")")
        #expect(said?.json.contains(#""coding":"\#(coding)","size":42,"content":{"#) == true, "\(said?.json ?? "-")")
        // A text message, one that was cut and one that is damaged are not.
        #expect(talk.say(bytes, from: .server, opcode: 1)?.json.contains("coding") != true)
        // After a block of Zstandard a stream may be flushed: nothing tells that from a frame without its checksum.
        guard coding != "zstd" else { return }
        #expect(talk.say(Array(bytes.dropLast()), from: .server, opcode: 2)?.json.contains("content") != true)
        var damaged = bytes
        damaged[bytes.count - 3] ^= 0x40
        #expect(talk.say(damaged, from: .server, opcode: 2)?.json.contains("content") != true)
    }

    @Test("a stream over all messages of a side goes on while the other side says something else")
    func streamed() {
        var talk = MessagingTalk()
        #expect(talk.say(Self.stream[0], from: .server, opcode: 2)?.line.contains("41250") == true)
        _ = talk.say(#"{"op":1,"d":null}"#)
        let second = talk.say(Self.stream[1], from: .server, opcode: 2)
        #expect(second?.json.contains(#""coding":"zlib","stream":true,"size":20"#) == true, "\(second?.json ?? "-")")
        #expect(talk.say(Self.stream[2], from: .server, opcode: 2)?.line.contains(#"{"op":11}"#) == true)
        // The other side has none.
        #expect(talk.say(Self.stream[1], from: .client, opcode: 2)?.json.contains("content") != true)
    }

    /// What a message holds; what is lent to a check of the test would have to be copied.
    private static func open(_ bytes: [UInt8], _ messages: inout CompressedMessages) -> CompressedMessages.Opened? {
        messages.open(bytes.rawBytes)
    }

    @Test("after bytes that are missing nothing of the stream is opened")
    func lost() {
        var messages = CompressedMessages()
        #expect(Self.open(Self.stream[0], &messages)?.isOfStream == true && messages.isInStream)
        messages.lose()
        #expect(Self.open(Self.stream[1], &messages) == nil && !messages.isInStream && messages.heldBytes == 0)
        // A stream that cannot go on ends.
        #expect(Self.open(Self.stream[0], &messages) != nil)
        #expect(Self.open([1, 2, 3, 4, 5, 6, 7], &messages) == nil && !messages.isInStream)
    }

    @Test("what merely begins so is not taken for it, and a message that grows beyond 1 MiB is shown as it came")
    func near() {
        var messages = CompressedMessages()
        for text in ["789c0102030405060708", "1f8b08000000000000030102030405", "28b52ffd0102030405", "789c", "1f8b"] {
            #expect(Self.open(hex(text), &messages) == nil && !messages.isInStream, "\(text)")
        }
        // 2 MiB of zeros, by Python's zlib.
        let bomb = Self.zeros(1 << 21)
        #expect(Self.open(bomb, &messages) == nil)
        #expect(Self.open(Self.zeros(1 << 19), &messages)?.bytes.count == 1 << 19)
    }

    /// A stream of zlib that makes so many zeros: one fixed block of a literal and copies of 258 bytes, without a check, ended by a flush.
    private static func zeros(_ count: Int) -> [UInt8] {
        var (bytes, bit, current): ([UInt8], UInt8, UInt8) = ([0x78, 0x9c], 0, 0)
        func put(_ value: Int, _ width: Int, isCode: Bool = false) {
            for index in 0..<width {
                let shift = isCode ? width - 1 - index : index
                if value >> shift & 1 == 1 { current |= 1 << bit }
                bit += 1
                if bit == 8 {
                    bytes.append(current)
                    (bit, current) = (0, 0)
                }
            }
        }
        put(0, 1)
        put(1, 2)
        put(0x30, 8, isCode: true)
        var made = 1
        // Length 258 is code 285, of eight bits from 0xC0 on; distance 1 is code 0 of five bits.
        while made + 258 <= count {
            put(0xC5, 8, isCode: true)
            put(0, 5, isCode: true)
            made += 258
        }
        while made < count {
            put(0x30, 8, isCode: true)
            made += 1
        }
        put(0, 7, isCode: true)
        put(0, 3)
        while bit != 0 { put(0, 1) }
        return bytes + [0, 0, 0xff, 0xff]
    }

    /// What is left of messages of a server when secrets are hidden.
    private static func left(_ messages: [[UInt8]], length: UInt64? = nil, frame: MessageFrame? = nil) -> [[UInt8]] {
        let redactor = Redactor(Redacted.plan)
        return messages.map { bytes in
            var left: [UInt8] = []
            let length = length ?? UInt64(bytes.count)
            var message = Message(opcode: 2, length: length, wireLength: length, fragments: 1, compressed: false)
            if let frame { message = Message(cut: frame, length: length, wireLength: length) }
            let event = ConversationEvent(
                conversation: 1, from: .server, place: Place(), offset: 0, fact: .message(message), content: bytes.rawBytes)
            redactor.take(event) { left = $0.content.copy }
            return left
        }
    }

    private static func hidden(_ bytes: [UInt8]) -> [UInt8] { Array(repeating: 0x78, count: bytes.count) }

    @Test(
        "a secret in a compressed message is hidden, whether it stands alone, in a stream, or in what was cut",
        arguments: [nil, MessageFrame(.length(LengthPrefix(.u32be))), MessageFrame(.json, guess: .init(fits: 3, of: 3))] as [MessageFrame?])
    func redacted(frame: MessageFrame?) {
        for bytes in [Self.gzip, Self.zlib, Self.zstd] {
            let text = String(decoding: Self.left([bytes], frame: frame)[0], as: UTF8.self)
            #expect(text.hasPrefix(#"{"op":0,"t":"READY","token":""#) && !text.contains("s3cret"), "\(text)")
        }
        // In a stream what comes later could not be undone without what came before: all is given undone.
        let streamed = Self.left(Self.stream, frame: frame).map { String(decoding: $0, as: UTF8.self) }
        #expect(streamed[1] == #"{"op":0,"t":"READY"}"# && streamed[2] == #"{"op":11}"#, "\(streamed)")
        let cut = Array(Self.gzip.prefix(40))
        #expect(Self.left([cut], length: UInt64(Self.gzip.count), frame: frame)[0] == Self.hidden(cut))
        // What has no secret, and what is no compressed message, stays.
        #expect(Self.left([hex("789c0102030405060708")], frame: frame)[0] == hex("789c0102030405060708"))
    }

    @Test("of a stream that cannot be followed all later messages are hidden whole, up to one that opens by itself")
    func closed() {
        let (first, second) = (Self.stream[0], Self.stream[1])
        // Something else in it, more than is undone, and other data after its end.
        for broken in [[1, 2, 3, 4, 5, 6, 7], Self.zeros(1 << 21), Self.zlib + [0]] {
            let left = Self.left([first, broken, second, [9, 9], Self.gzip, second, first, second])
            #expect(left[1] == Self.hidden(broken) && left[2] == Self.hidden(second) && left[3] == Self.hidden([9, 9]))
            #expect(left[4].starts(with: #"{"op":0"#.bytes) && left[5] == Self.hidden(second))
            #expect(left[7] == #"{"op":0,"t":"READY"}"#.bytes)
        }
        // One that is too large need not be of a stream: nothing says so.
        #expect(Self.left([Self.zeros(1 << 21), second]) == [Self.hidden(Self.zeros(1 << 21)), Self.hidden(second)])
        #expect(Self.left([Self.zlib + [0], [9, 9]]) == [Self.hidden(Self.zlib + [0]), [9, 9]])
    }

    @Test("a stream that is cut into messages elsewhere than at its flushes is followed from the next flush on")
    func cutElsewhere() {
        let (first, rest) = (Array(Self.stream[0].prefix(10)), Array(Self.stream[0].dropFirst(10)))
        let left = Self.left([first, rest, Self.stream[1], Self.stream[2]])
        #expect(left[0] == Self.hidden(first) && left[1] == Self.hidden(rest))
        #expect(left[2] == #"{"op":0,"t":"READY"}"#.bytes && left[3] == #"{"op":11}"#.bytes)
        // What merely began so does not hide what follows.
        let other = [UInt8](repeating: 0, count: 64)
        #expect(Self.left([first, other, other]) == [Self.hidden(first), other, other])
    }
}
