import Dissection
import Support
import Testing

/// Bodies under a content coding (RFC 9110, section 8.4).
@Suite struct HTTP1CodingTests {
    /// "hello hello hello gzip\n" in each format.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x22, 0xD3, 0xAB,
        0x32, 0x0B, 0xB8, 0x00, 0x9A, 0x8B, 0x73, 0xDA, 0x17, 0x00, 0x00, 0x00,
    ]
    private static let zlib: [UInt8] = [
        0x78, 0xDA, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x22, 0xD3, 0xAB, 0x32, 0x0B, 0xB8, 0x00, 0x67, 0xEC, 0x08, 0x61,
    ]
    private static let raw: [UInt8] = [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x22, 0xD3, 0xAB, 0x32, 0x0B, 0xB8, 0x00]
    /// gzip of `zlib`.
    private static let double: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0xB8, 0x75, 0xDA, 0xE3, 0xEC, 0xC9, 0x93, 0xE1, 0x27, 0x1C,
        0x94, 0x2E, 0xAF, 0x36, 0xE2, 0xDE, 0xC1, 0x90, 0xFE, 0x86, 0x23, 0x11, 0x00, 0x1D, 0xAB, 0x24, 0x23, 0x15, 0x00, 0x00, 0x00,
    ]
    /// 3,000 zeros.
    private static let zeros: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xC1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xC2, 0xA0, 0xF5, 0x4F,
        0x6D, 0x0D, 0x0F, 0xA0, 0x00, 0x00, 0x80, 0x77, 0x03, 0x0D, 0x5B, 0x86, 0xDA, 0xB8, 0x0B, 0x00, 0x00,
    ]

    private func answer(_ coding: String, _ body: [UInt8], length: Int? = nil, limits: Limits = Limits(), end: Bool = false) -> Talk {
        CodedBody.answer(coding, body, length: length, limits: limits, and: end ? [.finish(.server)] : [])
    }

    private func bodies(_ talk: Talk) -> [String] { CodedBody.told(talk) }

    @Test func eachFormatIsUndone() {
        let text = "\"hello hello hello gzip\\n\""
        #expect(bodies(answer("gzip", Self.gzip)) == ["body 1 final gzip 23/33 B \(text)"])
        #expect(bodies(answer("X-GZip", Self.gzip)) == ["body 1 final x-gzip 23/33 B \(text)"])
        #expect(bodies(answer("deflate", Self.zlib)) == ["body 1 final deflate 23/21 B \(text)"])
        #expect(bodies(answer("deflate", Self.raw)) == ["body 1 final deflate 23/15 B \(text)"])
        #expect(bodies(answer("deflate, gzip", Self.double)) == ["body 1 final deflate, gzip 23/42 B \(text)"])
        #expect(bodies(answer("gzip", Self.gzip + Self.gzip)).first?.hasPrefix("body 1 final gzip 46/66 B") == true)
    }

    @Test func anUnknownCodingIsLeftAsItIs() {
        #expect(bodies(answer("xz", [1, 2, 3])) == ["body 1 final 3/3 B 01 02 03"])
        #expect(bodies(answer("identity", [1, 2, 3])) == ["body 1 final 3/3 B 01 02 03"])
        // What is under it is out of reach, what is over it is not.
        #expect(bodies(answer("gzip, xz", Self.gzip)).first?.hasPrefix("body 1 final 33/33 B") == true)
        #expect(bodies(answer("xz, gzip", Self.gzip)) == ["body 1 final gzip 23/33 B \"hello hello hello gzip\\n\""])
    }

    @Test func decodedBytesMakeTheParts() {
        var limits = Limits()
        limits.bodyPartBytes = 1_024
        limits.messageBytes = 4
        let told = bodies(answer("gzip", Self.zeros, limits: limits))
        #expect(told.count == 3)
        #expect(told.allSatisfy { $0.hasSuffix("B 00 00 00 00") })
        #expect(told.last?.hasPrefix("body 3 final gzip 952/") == true)
        // A last part that is just full is the last.
        limits.bodyPartBytes = 1_500
        let halves = bodies(answer("gzip", Self.zeros, limits: limits))
        #expect(halves.count == 2)
        #expect(halves.last?.hasPrefix("body 2 final gzip 1500/") == true)
        limits.bodyPartBytes = 1
        #expect(bodies(answer("deflate", Self.raw, limits: limits)).count == 23)
        #expect(bodies(answer("deflate, gzip", Self.double, limits: limits)).count == 23)
    }

    @Test func damageIsAFindingAndTheRestAGap() {
        var damaged = Self.gzip
        damaged[20] ^= 0xFF
        let told = bodies(answer("gzip", damaged))
        #expect(told.contains("! http.content-coding-corrupt a=0 b=0"))
        #expect(told.last?.hasPrefix("gap ") == true || told.last?.hasPrefix("body ") == true)
        // Its framing stays: the next answer is read.
        let next = Talk([
            .client("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server(Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 33\r\n\r\n".utf8) + damaged),
            .server("HTTP/1.1 204 N\r\n\r\n"),
        ])
        #expect(next.transcript().contains("< @96 response 204 N"))
        #expect(next.difference(from: next.transcript()) == nil)
    }

    @Test func aCodingThatIsNotThere() {
        #expect(
            bodies(answer("gzip", Array("plain".utf8))) == ["! http.content-coding-mismatch a=0 b=0", "body 1 final 5/5 B \"plain\""])
        var limits = Limits()
        limits.bodyPartBytes = 1
        #expect(bodies(answer("gzip", Array("abc".utf8), limits: limits)).count == 4)
        #expect(bodies(answer("gzip", Array("ab".utf8))) == ["! http.content-coding-mismatch a=0 b=0", "body 1 final 2/2 B \"ab\""])
    }

    @Test func aCodingThatIsCut() {
        #expect(
            bodies(answer("gzip", Array(Self.gzip.dropLast(4))))
                == ["! http.content-coding-cut a=0 b=0", "body 1 final gzip 23/29 B \"hello hello hello gzip\\n\""])
    }

    @Test func bytesBehindTheCoding() {
        let told = bodies(answer("gzip", Self.gzip + [1, 2, 3]))
        let text = "\"hello hello hello gzip\\n\""
        let rest = ["! http.content-coding-trailing a=0 b=0"]
        #expect(told == ["body 1 gzip 23/33 B \(text)"] + rest + ["gap 3 undecodable", "body 2 final gzip 0/0 B \"\""])
        let one = bodies(answer("gzip", Self.gzip + [0x1F]))
        #expect(one == ["body 1 gzip 23/33 B \(text)"] + rest + ["gap 1 undecodable", "body 2 final gzip 0/0 B \"\""])
        let another = bodies(answer("gzip", Self.gzip + Self.gzip.dropLast(9)))
        #expect(another.first == "! http.content-coding-cut a=0 b=0")
        let zlib = bodies(answer("deflate", Self.zlib + [1]))
        #expect(zlib == ["body 1 deflate 23/21 B \(text)"] + rest + ["gap 1 undecodable", "body 2 final deflate 0/0 B \"\""])
    }

    @Test func inflatingHasALimit() {
        var limits = Limits()
        limits.codedBodyBytes = 1_000
        limits.bodyPartBytes = 512
        let told = bodies(answer("gzip", Self.zeros, limits: limits))
        #expect(told.contains { $0.hasPrefix("gap ") && $0.hasSuffix(" limit") })
        #expect(told.count < 6)
    }

    /// 3,000,000 zeros in gzip in gzip, 73 bytes.
    private static let bomb: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x93, 0xEF, 0xE6, 0x60, 0x00, 0x01, 0x26, 0xE6, 0xB7, 0x07,
        0x19, 0x19, 0x81, 0x8C, 0x26, 0x85, 0xFF, 0xEB, 0xF3, 0x3C, 0x1C, 0x18, 0x19, 0x46, 0xC1, 0x28, 0x18, 0x05, 0xA3, 0x60,
        0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18, 0x05, 0x54, 0x00, 0xFA, 0x6C, 0xA9, 0x8B, 0x18, 0x7D, 0x0F,
        0x1C, 0xD3, 0x65, 0x00, 0x00, 0xAA, 0x92, 0x52, 0x10, 0x7D, 0x0B, 0x00, 0x00,
    ]

    @Test func aFewBytesBecomeNoMoreThanAThousandTimesAsMuch() {
        let told = bodies(answer("gzip, gzip", Self.bomb))
        let parts = told.filter { $0.hasPrefix("body ") }
        // 1 MiB is told, whatever it came from; the part that goes beyond is the last.
        #expect(parts.count == 18)
        #expect(told.contains("! http.content-limit a=1114112 b=0"), "\(told)")
        let gaps = told.filter { $0.hasPrefix("gap ") }
        #expect(gaps.count == 1)
        #expect(gaps.first?.hasSuffix(" limit") == true)
        // The same bytes over 1,000 times as many on the wire are told whole.
        let padded = bodies(answer("gzip", Self.zeros))
        #expect(padded.count == 1)
    }

    @Test func moreThanTwoCodingsAreNotUndone() {
        let told = bodies(answer("gzip, gzip, gzip", [1, 2, 3]))
        #expect(told == ["! http.codings-too-many a=3 b=0", "body 1 final 3/3 B 01 02 03"])
        let many = bodies(answer(Array(repeating: "gzip", count: 9_000).joined(separator: ","), [1, 2, 3]))
        #expect(many == ["! http.codings-too-many a=9000 b=0", "body 1 final 3/3 B 01 02 03"])
        let body = "21\r\n".utf8 + Self.gzip + "\r\n0\r\n\r\n".utf8
        let talk = Talk([
            .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server(
                Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nTransfer-Encoding: gzip, chunked\r\n\r\n".utf8) + body),
        ])
        #expect(bodies(talk).first == "! http.codings-too-many a=3 b=0")
        #expect(bodies(talk).last?.hasPrefix("body 1 final 33/33 B") == true)
    }

    @Test func nothingIsDecodedBehindAGap() {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 33\r\n\r\n"
        let talk = Talk([
            .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(Array(head.utf8) + Self.gzip.prefix(20)), .gap(.server, 3, .missing),
            .server(Array(Self.gzip.suffix(10)) + Array("HTTP/1.1 204 N\r\n\r\n".utf8)),
        ])
        let told = talk.transcript()
        #expect(talk.difference(from: told) == nil)
        #expect(told.contains("< @83 gap 3 missing"))
        #expect(told.contains("< @86 gap 10 undecodable"))
        #expect(told.contains("< @96 response 204 N"))
    }

    @Test func aTransferCodingIsUndoneAsWell() {
        let body = "21\r\n".utf8 + Self.gzip + "\r\n0\r\n\r\n".utf8
        let talk = Talk([
            .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n".utf8) + body),
        ])
        #expect(bodies(talk) == ["body 1 final gzip 23/33 B \"hello hello hello gzip\\n\""])
    }

    /// Whole, damaged, cut and followed by something, in parts of every size: how it comes in changes nothing.
    @Test(arguments: 0..<20) func cuttingChangesNothing(_ block: UInt64) {
        for seed in block * 25..<(block + 1) * 25 {
            var random = SplitMix(seed: seed)
            let forms = [
                ("gzip", Self.gzip), ("deflate", Self.zlib), ("deflate", Self.raw), ("deflate, gzip", Self.double), ("gzip", Self.zeros),
            ]
            var (coding, body) = forms[Int(random.next() % 5)]
            if random.next() % 3 == 0 { body += body }
            if random.next() % 3 == 0 { body[Int(random.next() % UInt64(body.count))] ^= UInt8(truncatingIfNeeded: random.next()) }
            if random.next() % 4 == 0 { body.removeLast(Int(random.next() % 9)) }
            if random.next() % 4 == 0 { body.append(UInt8(truncatingIfNeeded: random.next())) }
            var limits = Limits()
            let sizes = [1, 2, 3, 23, 100, 258, 1_000, 3_000, 65_536]
            limits.bodyPartBytes = sizes[Int(random.next() % 9)]
            if random.next() % 3 == 0 { limits.messageBytes = Int(random.next() % 40) }
            if random.next() % 5 == 0 { limits.codedBodyBytes = random.next() % 3_000 }
            if random.next() % 5 == 0 { coding = "gzip" }
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
