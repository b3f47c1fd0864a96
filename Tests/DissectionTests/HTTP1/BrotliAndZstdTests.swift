import Dissection
import Support
import Testing

/// Bodies in brotli (RFC 7932) and Zstandard (RFC 8878). The inputs were made with Python's `brotli` and `zstandard`.
@Suite struct BrotliAndZstdTests {
    /// "hello hello hello gzip\n" in brotli.
    private static let brotli = bytes(
        "c20200808043ce2f74b796c5e520aa245387e7f454de01")
    /// The same in Zstandard, with its length and a checksum.
    private static let zstd = bytes(
        "28b52ffd24178d00005868656c6c6f20677a69700a0100e14a1101bb32c5")
    /// The same in a block that is not compressed, and an empty one.
    private static let zstdRaw = bytes(
        "28b52ffd0058b8000068656c6c6f2068656c6c6f2068656c6c6f20677a69700a010000")
    /// The same with a window of 16 MiB, twice what HTTP allows.
    private static let zstdWide = bytes(
        "28b52ffd00708d00005868656c6c6f20677a69700a0100e14a11")
    /// 300 letters in three meta-blocks, with a window of 1 KiB.
    private static let brotliBlocks = bytes(
        "218c01002036e69ad69b57f2cb542c3202cb2495220121d024c74d6d8d0bbfabf580595596e1242f22918d9ed3f18c7e1b61b0e62ed8a971a968bc4b"
            + "8d7867f67fe1e3c3ae048d43ba628b0118030040744eafb7f78b3100462268e63660034e34c0c03d3018ecbcb28db236add83a15119d86832df91aba"
            + "6df22b38fe3027bca407a1c53c5bf02efb4a415e5f56d36c2e3357ff3568c000180300406c9b344cf3496076d06b6881436e81c34d83a03cd8183b4b"
            + "4a85e52497e552ef6ab6b5d51efd17cbdc6823586799353f885308c00003")
    /// The same in three blocks, with a checksum.
    private static let zstdBlocks = bytes(
        "28b52ffd0458a40200c205131690b56d227f51a3d8f7caf6d3d3db77dcddddd9d8750ebabea728ec0783830c5c254d24c0856356a21f936858d72336"
            + "f1c6c721f22e10e354356dc559e99ef472bc9ddc4085ec785bb25202010012519efc010033c50c0ad9713352177be10c06c84278a1bd587c5272a380"
            + "3b82db21988547082280809b45d3b3047288a361c271bcb8428ff40dce0a0200980329d142e101bc0100f86d6a69787167746e726769796b7475776a"
            + "6f776b627068787a73646b6161610800384477be5419195c81d4d60cf4204a6612946fc0020100009d143ed9")
    /// 3,000 zeros in one block of 4 bytes.
    private static let zstdZeros = bytes(
        "28b52ffd0058c35d0000")
    /// 3,000 zeros.
    private static let brotliZeros = bytes(
        "1bb70bf82700e2b140206e0000")
    /// 3,000,000 zeros.
    private static let brotliBomb = bytes(
        "9bbfc62df82700e2b14020cfb705")
    /// The same.
    private static let zstdBomb = bytes(
        "28b52ffd00585400001000000100fbff39c0020200100002001000020010000200100002001000020010000200100002001000020010000200100002"
            + "0010000200100002001000020010000200100002001000020010000200100002001000020010000200100003360e00")
    /// `brotli` in gzip.
    private static let brotliInGzip = bytes(
        "1f8b08000000000002033bc4c4d0d0e07c4ebf64fbb4a34f1556a904b73fff12728f1100725cd70817000000")
    private static let text = "\"hello hello hello gzip\\n\""

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    private func answer(_ coding: String, _ body: [UInt8], length: Int? = nil, limits: Limits = Limits(), end: Bool = false) -> Talk {
        CodedBody.answer(coding, body, length: length, limits: limits, and: end ? [.finish(.server)] : [])
    }

    private func bodies(_ talk: Talk) -> [String] { CodedBody.told(talk) }

    @Test func eachFormatIsUndone() {
        #expect(bodies(answer("br", Self.brotli)) == ["body 1 final br 23/\(Self.brotli.count) B \(Self.text)"])
        #expect(bodies(answer("zstd", Self.zstd)) == ["body 1 final zstd 23/\(Self.zstd.count) B \(Self.text)"])
        #expect(bodies(answer("zstd", Self.zstdRaw)) == ["body 1 final zstd 23/\(Self.zstdRaw.count) B \(Self.text)"])
        #expect(bodies(answer("br, gzip", Self.brotliInGzip)) == ["body 1 final br, gzip 23/\(Self.brotliInGzip.count) B \(Self.text)"])
        #expect(bodies(answer("br", Self.brotliBlocks)).first?.hasPrefix("body 1 final br 300/210 B \"ccaoay paktmj") == true)
        #expect(bodies(answer("zstd", Self.zstdBlocks)).first?.hasPrefix("body 1 final zstd 300/224 B \"ccaoay paktmj") == true)
    }

    @Test func overHTTP2AsWell() {
        let talk = HTTP2Frames.talk([
            .client(HTTP2Frames.get(1) + HTTP2Frames.get(3)),
            .server(
                HTTP2Frames.ok(1, [("content-encoding", "br")]) + HTTP2Frames.ok(3, [("content-encoding", "zstd")])
                    + HTTP2Frames.frame(0, stream: 1, Array(Self.brotli.prefix(9)))
                    + HTTP2Frames.frame(0, flags: 1, stream: 3, Self.zstd)
                    + HTTP2Frames.frame(0, flags: 1, stream: 1, Array(Self.brotli.dropFirst(9)))),
        ])
        let told = bodies(talk)
        #expect(told.contains { $0.hasSuffix("body 1 final br 23/23 B \(Self.text)") }, "\(told)")
        #expect(told.contains { $0.hasSuffix("body 1 final zstd 23/30 B \(Self.text)") }, "\(told)")
    }

    @Test func framesOfZstandardMayFollowEachOther() {
        let skipped: [UInt8] = [0x53, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        let twice = bodies(answer("zstd", Self.zstd + skipped + Self.zstdRaw))
        #expect(twice.count == 1 && twice.first?.hasPrefix("body 1 final zstd 46/") == true, "\(twice)")
        // A stream of brotli ends the body.
        let rest = ["! http.content-coding-trailing a=0 b=0", "gap 1 undecodable", "body 2 final br 0/0 B \"\""]
        #expect(bodies(answer("br", Self.brotli + [1])) == ["body 1 br 23/23 B \(Self.text)"] + rest)
        #expect(bodies(answer("zstd", Self.zstd + [1, 2])).contains("! http.content-coding-trailing a=0 b=0"))
    }

    @Test func decodedBytesMakeTheParts() {
        var limits = Limits()
        limits.bodyPartBytes = 1_024
        limits.messageBytes = 4
        for (coding, zeros) in [("br", Self.brotliZeros), ("zstd", Self.zstdZeros)] {
            limits.bodyPartBytes = 1_024
            let told = bodies(answer(coding, zeros, limits: limits))
            #expect(told.count == 3 && told.last?.hasPrefix("body 3 final \(coding) 952/") == true, "\(told)")
            limits.bodyPartBytes = 1_500
            let halves = bodies(answer(coding, zeros, limits: limits))
            #expect(halves.count == 2 && halves.last?.hasPrefix("body 2 final \(coding) 1500/") == true, "\(halves)")
        }
    }

    @Test func damageIsAFindingAndTheRestAGap() {
        for (coding, body, place) in [
            ("br", Self.brotliBlocks, 70), ("zstd", Self.zstdBlocks, 60), ("zstd", Self.zstd, 27), ("zstd", Self.zstd, 2),
        ] {
            var damaged = body
            damaged[place] ^= 0xFF
            let told = bodies(answer(coding, damaged))
            #expect(told.contains("! http.content-coding-corrupt a=0 b=0"), "\(coding) \(told)")
        }
    }

    @Test func aCodingThatIsCutOrNotThere() {
        #expect(bodies(answer("br", Self.brotli.dropLast())).first == "! http.content-coding-cut a=0 b=0")
        #expect(bodies(answer("zstd", Self.zstd.dropLast(4))).first == "! http.content-coding-cut a=0 b=0")
        #expect(bodies(answer("zstd", Array("plain".utf8))) == ["! http.content-coding-mismatch a=0 b=0", "body 1 final 5/5 B \"plain\""])
    }

    /// A window larger than 8 MiB is no fault (RFC 9659): it is too much.
    @Test func aWideWindowIsNotRead() {
        let told = bodies(answer("zstd", Self.zstdWide))
        #expect(told.contains("! http.content-limit a=0 b=0"), "\(told)")
        #expect(told.contains { $0.hasPrefix("gap ") && $0.hasSuffix(" limit") }, "\(told)")
    }

    @Test func aFewBytesBecomeNoMoreThanAThousandTimesAsMuch() {
        for (coding, bomb) in [("br", Self.brotliBomb), ("zstd", Self.zstdBomb)] {
            let told = bodies(answer(coding, bomb))
            #expect(told.filter { $0.hasPrefix("body ") }.count < 20, "\(told.count)")
            #expect(told.contains { $0.hasPrefix("! http.content-limit a=11") }, "\(told)")
            #expect(told.filter { $0.hasPrefix("gap ") && $0.hasSuffix(" limit") }.count == 1)
        }
    }

    /// What the decoders need counts against the memory of all conversations together: here a window of 2 MiB.
    @Test func memoryIsBounded() {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: \(Self.zstdBlocks.count)\r\n\r\n"
        let body = Self.zstdBlocks
        let asks = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        let answer = Array(head.utf8) + body.prefix(150)
        var talk = Segments().handshake().packet(.client, asks).packet(.server, answer, ack: asks.count)
            .packet(.server, Array(body.dropFirst(150)), at: answer.count, ack: asks.count)
        var most = 0
        var sink = Transcript()
        _ = talk.dissect(into: &sink) { most = max(most, $0) }
        #expect(sink.finished().contains { $0.contains("body 1 final zstd 300/224") })
        #expect(most > 2 << 20)
        talk.limits.totalBytes = 1 << 20
        most = 0
        var bounded = Transcript()
        _ = talk.dissect(into: &bounded) { most = max(most, $0) }
        let told = bounded.finished()
        #expect(told.contains { $0.contains("gap") && $0.hasSuffix(" limit") }, "\(told)")
        #expect(most <= 1 << 20)
    }

    /// Whole, damaged, cut and followed by something, in parts of every size: how it comes in changes nothing.
    @Test(arguments: 0..<12) func cuttingChangesNothing(_ block: UInt64) {
        for seed in block * 25..<(block + 1) * 25 {
            var random = SplitMix(seed: seed)
            let forms = [
                ("br", Self.brotli), ("zstd", Self.zstd), ("zstd", Self.zstdRaw), ("br", Self.brotliBlocks), ("zstd", Self.zstdBlocks),
                ("br", Self.brotliZeros), ("zstd", Self.zstdZeros), ("br, gzip", Self.brotliInGzip),
            ]
            var (coding, body) = forms[Int(random.next() % 8)]
            if random.next() % 3 == 0 { body += body }
            if random.next() % 3 == 0 { body[Int(random.next() % UInt64(body.count))] ^= UInt8(truncatingIfNeeded: random.next()) }
            if random.next() % 4 == 0 { body.removeLast(Int(random.next() % 9)) }
            if random.next() % 4 == 0 { body.append(UInt8(truncatingIfNeeded: random.next())) }
            var limits = Limits()
            let sizes = [1, 2, 3, 23, 100, 258, 1_000, 3_000, 65_536]
            limits.bodyPartBytes = sizes[Int(random.next() % 9)]
            if random.next() % 3 == 0 { limits.messageBytes = Int(random.next() % 40) }
            if random.next() % 5 == 0 { limits.codedBodyBytes = random.next() % 3_000 }
            if random.next() % 6 == 0 { coding = ["br", "zstd", "zstd, br", "br, zstd", "zstd, zstd"][Int(random.next() % 5)] }
            let isCut = random.next() % 4 == 0
            let talk = answer(coding, body, length: isCut ? body.count + 5 : nil, limits: limits, end: isCut)
            let told = talk.transcript()
            for cutting in [Talk.Cutting.bytewise, .random(seed: seed), .random(seed: seed + 1)] where talk.transcript(cutting) != told {
                Issue.record("seed \(seed) \(coding) \(limits.bodyPartBytes)\n\(talk.difference(from: told) ?? "")")
                return
            }
        }
    }
}
