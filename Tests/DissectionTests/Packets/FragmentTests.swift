import Dissection
import Support
import Testing

@Suite("IP fragments")
struct FragmentTests {
    private let whole = Build.tcp(Array("The quick brown fox jumps over the lazy dog, again and again and again.".utf8))
    private var text: String { String(decoding: whole.dropFirst(20), as: UTF8.self) }

    private func piece(_ range: Range<Int>, identification: UInt16 = 1, bytes: [UInt8]? = nil) -> [UInt8] {
        Build.ethernet(
            Build.ipv4(
                Array((bytes ?? whole)[range]), identification: identification, fragmentOffset: range.lowerBound,
                hasMore: range.upperBound < (bytes ?? whole).count))
    }

    @Test("in order, backwards and doubled")
    func orders() throws {
        let ranges = [0..<24, 24..<48, 48..<whole.count]
        for order in [[0, 1, 2], [2, 1, 0], [1, 1, 2, 0], [2, 0, 0, 1]] {
            var decoder = PacketDecoder()
            for (step, index) in order.enumerated() {
                let decoded = decoder.decode(piece(ranges[index]), number: UInt64(10 + step))
                guard step == order.count - 1 else {
                    #expect(decoded.skipped == .fragment)
                    #expect(decoder.unfinishedDatagrams == 1)
                    continue
                }
                #expect(decoded.text == text)
                let segment = try #require(decoded.segment)
                #expect(segment.isDefragmented)
                #expect(segment.payloadLength == text.utf8.count)
                #expect(segment.place.packets == PacketRange(lowest: 10, highest: UInt64(10 + step)))
            }
            #expect(decoder.unfinishedDatagrams == 0)
            #expect(decoder.fragmentBytes == 0)
            #expect(decoder.abandonedDatagrams == 0)
        }
    }

    @Test("a UDP datagram with a wrong checksum is whole in any order")
    func wrongChecksumOfUDP() {
        var datagram = Build.udp(to: 53, Array(repeating: 1, count: 40))
        (datagram[6], datagram[7]) = (0xBA, 0xD0)
        let pieces = [(0, 24), (24, 48)].map { range in
            Build.ethernet(
                Build.ipv4(Array(datagram[range.0..<range.1]), ipProtocol: 17, fragmentOffset: range.0, hasMore: range.1 < datagram.count))
        }
        for order in [[0, 1], [1, 0]] {
            var decoder = PacketDecoder()
            #expect(decoder.decode(pieces[order[0]]).skipped == .fragment)
            #expect(decoder.decode(pieces[order[1]]).skipped == .udp)
            #expect(decoder.abandonedDatagrams == 0)
        }
    }

    @Test("where fragments overlap, the bytes that came first stay")
    func overlap() {
        let other = whole.map { $0 ^ 0x20 }
        var decoder = PacketDecoder()
        _ = decoder.decode(piece(24..<48))
        _ = decoder.decode(piece(16..<56, bytes: other))
        _ = decoder.decode(piece(0..<24))
        let decoded = decoder.decode(piece(48..<whole.count))
        let expected = whole[0..<16] + other[16..<24] + whole[24..<48] + other[48..<56] + whole[56...]
        #expect(decoded.payload == Array(expected.dropFirst(20)))
    }

    /// Counts findings about fragments.
    private struct Conflicts: ConversationSink {
        var found: [String] = []
        var text: [UInt8] = []
        mutating func receive(_ event: borrowing ConversationEvent) {
            if case .finding(let finding) = event.fact { found.append("\(finding.row.id) \(finding.a) \(finding.b)") }
            if case .data = event.fact { text += Transcript.copy(event.content) }
        }
    }

    private func dissect(_ packets: [[UInt8]]) -> Conflicts {
        var sink = Conflicts()
        var dissector = Dissector(seed: 1)
        for (index, bytes) in packets.enumerated() {
            dissector.receive(
                CapturedPacket(
                    number: UInt64(index + 1), time: nil, linkType: .ethernet, originalLength: UInt32(bytes.count), bytes: bytes.rawBytes),
                sink: &sink)
        }
        dissector.finish(sink: &sink)
        return sink
    }

    @Test("fragments that contradict each other are told once a datagram; the same twice is not")
    func conflict() {
        let other = whole.map { $0 ^ 0x20 }
        let told = dissect([
            piece(0..<24), piece(24..<48), piece(24..<48, bytes: other), piece(24..<48, bytes: other), piece(48..<whole.count),
        ])
        #expect(told.found == ["capture.fragment-conflict 24 4"])
        #expect(String(decoding: told.text, as: UTF8.self) == text)
        #expect(dissect([piece(0..<24), piece(0..<24), piece(16..<48), piece(48..<whole.count)]).found == [])
    }

    @Test("fragments that wait for one that never comes are told at the end")
    func missing() {
        #expect(dissect([piece(0..<24), piece(48..<whole.count)]).found == ["capture.fragments-missing 2 0"])
        #expect(dissect([piece(0..<24), piece(24..<48), piece(48..<whole.count)]).found == [])
    }

    @Test("an IPv6 datagram that contradicts itself is thrown away whole")
    func conflict6() {
        func piece(_ range: Range<Int>, _ bytes: [UInt8]) -> [UInt8] {
            Build.ethernet(
                PacketBuilder.ipv6(
                    PacketBuilder.fragment6(Array(bytes[range]), offset: range.lowerBound, hasMore: range.upperBound < whole.count),
                    next: 44), type: 0x86DD)
        }
        let other = whole.map { $0 ^ 0x20 }
        let told = dissect([piece(0..<24, whole), piece(16..<48, other), piece(24..<48, whole), piece(48..<whole.count, whole)])
        #expect(told.found == ["capture.fragment-conflict 16 6", "capture.fragments-missing 4 0"])
        #expect(told.text == [])
        #expect(String(decoding: dissect([piece(0..<48, whole), piece(48..<whole.count, whole)]).text, as: UTF8.self) == text)
    }

    @Test("fragments that the capture cut: the payload ends at the first cut, its length stays")
    func cut() {
        var decoder = PacketDecoder()
        let first = piece(0..<48)
        _ = decoder.decode(Array(first.dropLast(10)), originalLength: first.count)
        let decoded = decoder.decode(piece(48..<whole.count))
        #expect(decoded.text == String(text.prefix(18)))
        #expect(decoded.segment?.payloadLength == text.utf8.count)
    }

    @Test("IPv6, the part that may be fragmented beginning with options")
    func version6() {
        let datagram: [UInt8] = [6, 0, 1, 4, 0, 0, 0, 0] + whole
        var decoder = PacketDecoder()
        let first = Build.fragment6(Array(datagram[0..<40]), next: 60, offset: 0, hasMore: true)
        let last = Build.fragment6(Array(datagram[40...]), next: 99, offset: 40, hasMore: false)
        #expect(decoder.decode(Build.ethernet(Build.ipv6(last, next: 44), type: 0x86DD)).skipped == .fragment)
        #expect(decoder.decode(Build.ethernet(Build.ipv6(first, next: 44), type: 0x86DD)).text == text)
    }

    @Test("a fragmented tunnel that carries fragments")
    func nested() {
        func tunnel(_ inner: [UInt8], _ identification: UInt16) -> [[UInt8]] {
            let cut = 24
            return [
                Build.ipv4(from: 1, to: 2, Array(inner[..<cut]), ipProtocol: 4, identification: identification, hasMore: true),
                Build.ipv4(
                    from: 1, to: 2, Array(inner[cut...]), ipProtocol: 4, identification: identification, fragmentOffset: cut),
            ].map { Build.ethernet($0) }
        }
        let inner1 = Build.ipv4(Array(whole[0..<40]), identification: 9, hasMore: true)
        let inner2 = Build.ipv4(Array(whole[40...]), identification: 9, fragmentOffset: 40)
        var decoder = PacketDecoder()
        let outcomes = (tunnel(inner1, 5) + tunnel(inner2, 6)).map { decoder.decode($0) }
        #expect(outcomes.prefix(3).allSatisfy { $0.skipped == .fragment })
        #expect(outcomes[3].text == text)
    }

    @Test("a protocol that is not looked into is told at once, without keeping anything")
    func others() {
        var decoder = PacketDecoder()
        let ping = Build.ethernet(Build.ipv4(Array(repeating: 0, count: 800), ipProtocol: 1, hasMore: true))
        #expect(decoder.decode(ping).skipped == .icmp)
        #expect(decoder.unfinishedDatagrams == 0)
        let datagram = Build.udp(to: 53, Array(repeating: 1, count: 40))
        #expect(
            decoder.decode(Build.ethernet(Build.ipv4(Array(datagram[..<24]), ipProtocol: 17, hasMore: true))).skipped == .fragment)
        #expect(
            decoder.decode(Build.ethernet(Build.ipv4(Array(datagram[24...]), ipProtocol: 17, fragmentOffset: 24))).skipped == .udp)
    }

    @Test("contradictions are damaged: an end that moves, a length off the boundary, beyond 65,535")
    func contradictions() {
        var decoder = PacketDecoder()
        _ = decoder.decode(piece(48..<whole.count))
        let moved = Build.ipv4(Array(repeating: 0, count: 8), fragmentOffset: 24)
        #expect(decoder.decode(Build.ethernet(moved)).skipped == .damaged)
        let odd = Build.ipv4(Array(repeating: 0, count: 9), hasMore: true)
        #expect(decoder.decode(Build.ethernet(odd)).skipped == .damaged)
        let beyond = Build.ipv4(Array(repeating: 0, count: 16), fragmentOffset: 65_528)
        #expect(decoder.decode(Build.ethernet(beyond)).skipped == .damaged)
    }

    @Test("too old by time or by packets: begun anew, and counted")
    func age() {
        for (number, time) in [(40_000 as UInt64, 1 as Int64), (2, 31_000_000_000), (2, 1_100_000_000)] {
            var decoder = PacketDecoder()
            _ = decoder.decode(piece(0..<48), number: 1, time: 0)
            #expect(decoder.decode(piece(48..<whole.count), number: number, time: time).skipped == .fragment)
            #expect(decoder.abandonedDatagrams == 1)
            #expect(decoder.unfinishedDatagrams == 1)
            #expect(decoder.decode(piece(0..<48), number: number + 1, time: time).text == text)
        }
        var patient = PacketDecoder()
        _ = patient.decode(piece(0..<48), number: 1, time: 0)
        #expect(patient.decode(piece(48..<whole.count), number: 30_000, time: 900_000_000).text == text)
    }

    @Test("an identification that comes round again is no contradiction, and the bytes of two datagrams are not mixed")
    func reused() {
        let second = Build.tcp(
            sequence: UInt32(whole.count - 19), Array("THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG, AGAIN AND AGAIN AND AGAIN.".utf8))
        let first = [piece(0..<24), piece(24..<48), piece(48..<whole.count)]
        let next = [piece(0..<24, bytes: second), piece(24..<48, bytes: second), piece(48..<whole.count, bytes: second)]
        let text = String(decoding: second.dropFirst(20), as: UTF8.self)
        // At once: the other header says so.
        for lost in 1...2 {
            let told = dissect(first.enumerated().filter { $0.offset != lost }.map(\.element) + next)
            #expect(told.found == ["capture.fragments-missing 2 0"])
            #expect(String(decoding: told.text, as: UTF8.self) == text)
        }
        // Without the first fragment of the first: other datagrams of the source have come since.
        let others = (0..<33).flatMap { index in
            [piece(0..<24, identification: 100 + UInt16(index)), piece(24..<whole.count, identification: 100 + UInt16(index))]
        }
        for rest in [[first[1], first[2]], [first[2]]] {
            let told = dissect(rest + others + next)
            #expect(told.found == ["capture.fragments-missing \(rest.count) 0"], "\(told.found)")
            #expect(String(decoding: told.text.suffix(text.utf8.count), as: UTF8.self) == text)
        }
    }

    /// A segment with its checksum, as the IP header of the fragments wants it.
    private func checked(_ text: String) -> [UInt8] {
        Array(Build.ipv4(Build.tcp(sequence: 1, Array(text.utf8))).dropFirst(20))
    }

    @Test("a fragment whose first one is missing is not put to the next datagram of its identification")
    func mixed() {
        let old = checked("the first of two datagrams, which have one identification between them")
        let new = checked("the other of two datagrams, and it is no longer than the one before it")
        func cuts(_ bytes: [UInt8], _ boundaries: [Int]) -> [[UInt8]] {
            zip(boundaries, boundaries.dropFirst() + [bytes.count]).map { piece($0..<$1, bytes: bytes) }
        }
        let text = String(decoding: new.dropFirst(20), as: UTF8.self)
        // Two fragments each, then three with one or two missing.
        for (rest, lost) in [
            (cuts(old, [0, 48]).dropFirst(), 1), (cuts(old, [0, 24, 48]).dropFirst(), 2), (cuts(old, [0, 24, 48]).dropFirst(2), 1),
        ] {
            // Where a fragment lies over two of the other datagram and differs, that is what is found.
            for next in [cuts(new, [0, 48]), cuts(new, [0, 24, 48])] where lost == 1 || next.count == 3 {
                let told = dissect(Array(rest) + next)
                #expect(String(decoding: told.text, as: UTF8.self) == text)
                #expect(told.found == ["capture.fragments-missing \(lost) 0"], "\(told.found)")
            }
        }
        // The last of the one and the first of the other were lost: only a capture with right checksums tells.
        let crossed = [cuts(old, [0, 48])[0], cuts(new, [0, 48])[1]]
        #expect(dissect(crossed).text.count == 70)
        #expect(dissect(cuts(new, [0, 48]) + crossed).text == Array(text.utf8))
        // The same where both have brought the middle: nobody has contradicted himself, and no bytes of the two are mixed.
        let overlapping = cuts(old, [0, 24, 48]).dropLast() + cuts(new, [0, 24, 48]).dropFirst()
        #expect(dissect(Array(overlapping)).found == ["capture.fragment-conflict 24 4"])
        let told = dissect(cuts(new, [0, 48]) + overlapping)
        #expect(told.text == Array(text.utf8))
        #expect(told.found == ["capture.fragments-missing 4 0"])
        // Backwards, as some send them, is one datagram.
        #expect(dissect(cuts(new, [0, 24, 48]).reversed()).found == [])
        #expect(dissect(cuts(new, [0, 24, 48]).reversed()).text == Array(text.utf8))
    }

    @Test("memory stays bounded in datagrams, bytes and pieces; what goes is counted, the least recently used first")
    func bounds() {
        var decoder = PacketDecoder()
        for identification in 0..<1_000 { _ = decoder.decode(piece(0..<24, identification: UInt16(identification))) }
        #expect(decoder.unfinishedDatagrams == 256)
        #expect(decoder.abandonedDatagrams == 744)
        #expect(decoder.decode(piece(24..<whole.count, identification: 999)).text == text)
        #expect(decoder.decode(piece(24..<whole.count, identification: 1)).skipped == .fragment)

        var limits = Limits()
        limits.totalBytes = 800_000
        decoder = PacketDecoder(limits: limits)
        for identification in 0..<200 {
            _ = decoder.decode(
                Build.ethernet(
                    Build.ipv4(Array(repeating: 1, count: 8_000), identification: UInt16(identification), fragmentOffset: 8, hasMore: true))
            )
            #expect(decoder.fragmentBytes <= 100_000)
        }
        #expect(decoder.unfinishedDatagrams > 5)

        decoder = PacketDecoder()
        for step in 0..<2_000 {
            let scattered = Build.ipv4([1, 2, 3, 4, 5, 6, 7, 8], fragmentOffset: 16 + step * 16, hasMore: true)
            _ = decoder.decode(Build.ethernet(scattered))
        }
        #expect(decoder.abandonedDatagrams == 1)
    }
}
