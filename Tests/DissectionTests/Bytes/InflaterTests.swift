import CZlib
import Dissection
import Support
import Testing

/// Our inflater against zlib's: what zlib deflates comes back, and what zlib refuses is refused.
@Suite struct InflaterTests {
    /// Deflates messages with one window, each ended by a sync flush without its last four bytes (RFC 7692, 7.2.1).
    static func deflate(_ messages: [[UInt8]], level: Int32 = 6, windowBits: Int32 = 15, strategy: Int32 = Z_DEFAULT_STRATEGY) -> [[UInt8]]
    {
        var stream = z_stream()
        guard
            deflateInit2_(&stream, level, Z_DEFLATED, -windowBits, 8, strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return [] }
        defer { deflateEnd(&stream) }
        return messages.map { message in
            var output = [UInt8](repeating: 0, count: message.count * 2 + 1_024)
            let count = message.count
            var input = message + [0]
            let produced = input.withUnsafeMutableBufferPointer { source in
                output.withUnsafeMutableBufferPointer { target in
                    stream.next_in = source.baseAddress
                    stream.avail_in = UInt32(count)
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    CZlib.deflate(&stream, Z_SYNC_FLUSH)
                    return target.count - Int(stream.avail_out)
                }
            }
            // An empty message right behind a flush gets no second one; this is how it is written (7.2.3.6).
            return produced < 4 ? [0] : Array(output[0..<produced - 4])
        }
    }

    /// What zlib's inflate makes of one raw stream and whether it refused it.
    static func zlibInflate(_ bytes: [UInt8], windowBits: Int32 = 15) -> (output: [UInt8], isValid: Bool) {
        var stream = z_stream()
        guard inflateInit2_(&stream, -windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return ([], false) }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var input = bytes + [0]
        let status = input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(bytes.count)
            while true {
                let status = chunk.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    return CZlib.inflate(&stream, Z_SYNC_FLUSH)
                }
                output += chunk[0..<chunk.count - Int(stream.avail_out)]
                if status != Z_OK || stream.avail_out > 0 || output.count > 4 << 20 { return status }
            }
        }
        return (output, status == Z_OK || status == Z_BUF_ERROR || status == Z_STREAM_END)
    }

    enum Result: Equatable {
        case complete
        case unterminated
        case invalid
    }

    /// Inflates one message in pieces.
    static func inflate(_ message: [UInt8], with inflater: Inflater, piece: () -> Int) -> (output: [UInt8], result: Result) {
        var output: [UInt8] = []
        func take() {
            inflater.withPending { output += Transcript.copy($0) }
            inflater.take()
        }
        var start = 0
        while start < message.count {
            let count = min(piece(), message.count - start)
            let bytes = message.rawBytes.extracting(start..<start + count)
            var position = 0
            reading: while true {
                switch inflater.inflate(bytes, from: &position) {
                case .needsInput: break reading
                case .needsRoom:
                    take()
                    inflater.makeRoom()
                case .overAllowance: break reading
                case .invalid:
                    take()
                    return (output, .invalid)
                }
            }
            start += count
        }
        take()
        return (output, inflater.finishMessage() == .complete ? .complete : .unterminated)
    }

    /// Bytes of several makes: noise, text, runs, repeats from far back.
    static func sample(_ count: Int, _ random: inout SplitMix) -> [UInt8] {
        var bytes: [UInt8] = []
        let words = ["price", "volume", "{\"type\":\"", "\",\"id\":", "true", "room", "ä", "…"]
        while bytes.count < count {
            switch random.next() % 5 {
            case 0: for _ in 0..<random.next() % 40 { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
            case 1: for _ in 0..<random.next() % 20 { bytes += Array(words[Int(random.next() % 8)].utf8) }
            case 2: bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: Int(random.next() % 700))
            case 3:
                let period = 1 + Int(random.next() % 12)
                for index in 0..<Int(random.next() % 200) { bytes.append(UInt8(index % period)) }
            default:
                guard bytes.count > 10 else { continue }
                let start = Int(random.next() % UInt64(bytes.count - 5))
                bytes += bytes[start..<min(bytes.count, start + Int(random.next() % 300))]
            }
        }
        return Array(bytes.prefix(count))
    }

    @Test("after a first short message it holds a kilobyte, where zlib has taken its whole window")
    func firstMessageIsCheap() {
        let text = Array(String(repeating: "{\"sym\":\"QUAD\",\"px\":189.30},", count: 7).utf8.prefix(185))
        let inflater = Inflater(windowBits: 15)
        for message in Self.deflate([text]) {
            #expect(Self.inflate(message, with: inflater) { message.count }.output == text)
        }
        #expect(inflater.heldBytes <= 1_024)
    }

    @Test func everythingThatZlibDeflatesComesBack() {
        var random = SplitMix(seed: 7)
        for level: Int32 in 0...9 {
            for strategy in [Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED] {
                for windowBits: Int32 in [9, 12, 15] {
                    let messages = (0..<6).map { _ in Self.sample(Int(random.next() % (1 << (random.next() % 18))), &random) }
                    let deflated = Self.deflate(messages, level: level, windowBits: windowBits, strategy: strategy)
                    let inflater = Inflater(windowBits: UInt8(windowBits))
                    for (message, bytes) in zip(messages, deflated) {
                        let most = 1 + Int(random.next() % 3) * 20
                        let (output, result) = Self.inflate(bytes, with: inflater) {
                            most == 1 ? bytes.count : 1 + Int(random.next() % UInt64(most))
                        }
                        #expect(output == message && result == .complete, "level \(level) strategy \(strategy) window \(windowBits)")
                    }
                }
            }
        }
    }

    @Test func whatZlibRefusesIsRefused() {
        var random = SplitMix(seed: 11)
        var refused = 0
        for round in 0..<4_000 {
            let message = Self.sample(Int(random.next() % 3_000), &random)
            var bytes = Self.deflate([message], level: Int32(random.next() % 10), strategy: Int32(random.next() % 5))[0]
            for _ in 0..<1 + random.next() % 4 where !bytes.isEmpty {
                let index = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[index] ^= 1 << UInt8(random.next() % 8)
                case 1: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                default: bytes.remove(at: index)
                }
            }
            let theirs = Self.zlibInflate(bytes)
            let ours = Self.inflate(bytes, with: Inflater(windowBits: 15)) { 1 + Int(random.next() % 64) }
            if ours.result == .invalid { refused += 1 }
            // zlib stops at a final block; a message may go on behind one (RFC 7692, section 7.2.3.4).
            let isSame = theirs.output == ours.output || ours.output.starts(with: theirs.output)
            #expect(isSame && (theirs.isValid || ours.result == .invalid), "round \(round)")
            if !isSame { return }
        }
        #expect(refused > 500)
    }

    @Test func noiseNeverTraps() {
        var random = SplitMix(seed: 13)
        for _ in 0..<20_000 {
            let bytes = (0..<Int(random.next() % 200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let inflater = Inflater(windowBits: UInt8(truncatingIfNeeded: random.next()))
            let whole = Self.inflate(bytes, with: inflater) { 200 }
            inflater.reset()
            let pieces = Self.inflate(bytes, with: inflater) { 1 }
            #expect(whole.output == pieces.output && whole.result == pieces.result)
        }
    }
}
