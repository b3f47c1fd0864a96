import Dissection
import Support
import Testing

/// TLS records in streams whose beginning is missing.
@Suite struct TLSRecordSearchTests {
    private func record(_ type: UInt8, _ length: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix(seed: seed)
        return [type, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    @Test func recordsThatFollowEachOtherAreTLS() {
        let talk = Talk(
            [.server(record(23, 40, seed: 1) + record(23, 60, seed: 2)), .client(record(23, 30, seed: 3))], knowsRoles: false,
            start: .midstream)
        #expect(
            talk.difference(from: [
                "opened midstream by ports",
                "< @0 data 45 B tlsRecord(contentType: 23) \"\"",
                "< @45 data 65 B tlsRecord(contentType: 23) \"\"",
                "> @0 data 35 B tlsRecord(contentType: 23) \"\"",
                "closed unknown endOfCapture  client open 35 B  server open 110 B",
            ]) == nil)
    }

    @Test func oneWholeRecordAloneIsTLS() {
        let talk = Talk([.client(record(23, 30, seed: 3))], knowsRoles: false, start: .midstream)
        #expect(talk.transcript().contains("> @0 data 35 B tlsRecord(contentType: 23) \"\""), "\(talk.transcript())")
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    @Test func recordsAreFoundBehindTheRestOfOne() {
        let rest = [UInt8](repeating: 0xE7, count: 300)
        let talk = Talk([.client(rest + record(23, 30, seed: 3) + record(23, 31, seed: 4))], knowsRoles: false, start: .midstream)
        #expect(talk.transcript().contains("> @300 data 35 B tlsRecord(contentType: 23) \"\""), "\(talk.transcript())")
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    @Test func aRecordOfWhichBytesAreMissingStillEndsWhereItSays() {
        let talk = Talk(
            [.client(Array(record(23, 100, seed: 3).prefix(60))), .gap(.client, 45, .truncated), .client(record(23, 31, seed: 4))],
            knowsRoles: false, start: .midstream)
        #expect(talk.transcript().contains("> @105 data 36 B tlsRecord(contentType: 23) \"\""), "\(talk.transcript())")
    }

    @Test func otherBytesAreNot() {
        // One header with something else behind it; another version in the second header; a record that is too long.
        let second = [23, 3, 1] + record(23, 30, seed: 3).dropFirst(3)
        for bytes in [
            record(23, 30, seed: 3) + [1, 2, 3], record(23, 30, seed: 3) + second + [0],
            [23, 3, 3, 0x50, 0] + [UInt8](repeating: 0, count: 80),
        ] {
            let lines = Talk([.client(bytes)], knowsRoles: false, start: .midstream).transcript()
            #expect(!lines.contains { $0.contains("tlsRecord") }, "\(lines)")
        }
    }

    private func framed(_ records: [UInt8]) -> [UInt8] {
        (records.count < 126 ? [0x82, UInt8(records.count)] : [0x82, 126, UInt8(records.count >> 8), UInt8(records.count & 0xFF)]) + records
    }

    @Test func recordsInTheFramesOfATunnelAreItsContent() {
        var frames: [UInt8] = []
        for seed in 0..<5 as Range<UInt64> {
            frames += framed(record(23, 30 + Int(seed) * 40, seed: seed) + record(23, 200, seed: seed + 10))
        }
        var search = TLSRecordSearch()
        #expect(search.advance(over: frames.rawBytes) == nil)
        let mask: [UInt8] = [0x82, 0x85, 1, 2, 3, 4] + [0x16, 1, 0, 7, 9]
        let talk = Talk([.server(frames), .client(mask + mask), .server(frames)], knowsRoles: false, start: .midstream)
        let lines = talk.transcript()
        #expect(lines.filter { $0.contains("message binary") }.count == 12, "\(lines)")
        #expect(!lines.contains { $0.contains("tlsRecord") || $0.contains("!") }, "\(lines)")
        // Nearly: what stands before the record is no header of a frame that has room for it.
        for first: [UInt8] in [[0x82, 20], [0x83, 120], [0x82, 0xE0]] {
            var other = TLSRecordSearch()
            #expect(other.advance(over: (first + record(23, 30, seed: 1) + record(23, 30, seed: 2)).rawBytes) == .records)
        }
        // More follow than the frame has room for.
        var beyond = TLSRecordSearch()
        #expect(beyond.advance(over: ([0x82, 36] + record(23, 30, seed: 1) + record(23, 30, seed: 2)).rawBytes) == .records)
    }

    @Test func whatStandsBetweenRecordsThatASearchHasFoundIsNoFault() {
        var bytes = [UInt8](repeating: 0xE7, count: 300)
        for seed in 0..<6 as Range<UInt64> {
            bytes += record(23, 30, seed: seed) + record(22, 31, seed: seed + 10) + [0x82, 0x7E, 5, 0x8F]
        }
        let lines = Talk([.server(bytes)], knowsRoles: false, start: .midstream).transcript()
        #expect(lines.filter { $0.contains("tlsRecord") }.count == 12 && lines.contains("< @371 gap 4 resync"), "\(lines)")
        #expect(!lines.contains { $0.contains("!") }, "\(lines)")
    }

    /// Numbers of 32 bits, the low byte first.
    private static func numbers(_ values: [UInt32]) -> [UInt8] {
        values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0 >> 16), 0] }
    }

    @Test("numbers of 32 bits, the low byte first, are data, though 790 and 300 read as the beginning of a hello")
    func numbersAreNotTLS() {
        // A pen that moves to the right and down; the server confirms each fourth place.
        let places = (0..<40 as Range<UInt32>).flatMap { index -> [Talk.Step] in
            let place: Talk.Step = .client(Self.numbers([1, 770 + index, 300 + index]))
            return index % 4 == 3 ? [place, .server(Self.numbers([2, index, 0]))] : [place]
        }
        let talk = Talk(places, knowsRoles: false, start: .midstream)
        let lines = talk.transcript()
        #expect(lines.count == 22 && lines.dropFirst().dropLast().allSatisfy { $0.contains(" data ") }, "\(lines)")
        #expect(talk.difference(from: lines) == nil)
    }

    @Test("numbers below 1000 are not TLS, however many there are", arguments: 1...20 as ClosedRange<UInt64>)
    func smallNumbersAreNotTLS(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let bytes = Self.numbers((0..<20_000).map { _ in UInt32(random.next() % 1_000) })
        var search = TLSRecordSearch()
        #expect(search.advance(over: bytes.rawBytes) == nil)
    }

    @Test func randomBytesAreNotTLS() {
        var random = SplitMix(seed: 11)
        var search = TLSRecordSearch()
        let bytes = (0..<1 << 20).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        #expect(search.advance(over: bytes.rawBytes) == nil)
        #expect(!search.beginsWithOneRecord)
    }

    @Test(arguments: [[0x17, 3, 3], [0x16, 3, 1, 0, 9], [0x17, 3, 3, 0, 1, 9], [0x16, 3, 3, 0x16]] as [[UInt8]])
    func eachByteIsLookedAtOnce(_ unit: [UInt8]) {
        func steps(_ size: Int) -> Int {
            var search = TLSRecordSearch()
            var bytes: [UInt8] = []
            while bytes.count < size { bytes += unit }
            for end in 1...size where search.advance(over: bytes.rawBytes.extracting(0..<end)) == nil {}
            return search.steps
        }
        #expect(steps(32_000) <= 2 * steps(16_000) + 100)
    }
}
