import Dissection
import Support
import Testing

@Suite("Packets, whole, cut and mutated")
struct PacketDecoderTests {
    @Test("every wrapping leads to the same segment", arguments: PacketSample.all)
    func wrapping(_ sample: PacketSample) throws {
        let decoded = decode(sample.bytes, link: sample.link)
        #expect(decoded.text == "hello, world", "\(decoded)")
        let segment = try #require(decoded.segment)
        #expect(segment.source.port == 51_422)
        #expect(segment.destination.port == 8_080)
        #expect(segment.sequence == 1)
        #expect(segment.flags == [.psh, .ack])
        #expect(segment.window == 65_535)
        #expect(segment.payloadLength == 12)
        switch segment.source.address.family {
        case .ipv4:
            #expect(segment.source.address == IPAddress(ipv4: 0x0A00_0005))
            #expect(segment.destination.address == IPAddress(ipv4: 0x0A00_0009))
        case .ipv6:
            #expect(segment.source.address == IPAddress(ipv6High: 0x2001_0DB8_0000_0000, low: 5))
            #expect(segment.destination.address == IPAddress(ipv6High: 0x2001_0DB8_0000_0000, low: 9))
        case .none: Issue.record("no address")
        }
    }

    @Test("a packet cut by the capture is the segment with less payload, or truncated", arguments: PacketSample.all)
    func cut(_ sample: PacketSample) {
        let whole = decode(sample.bytes, link: sample.link)
        for length in 0..<sample.bytes.count {
            let part = Array(sample.bytes.prefix(length))
            let decoded = decode(part, link: sample.link, originalLength: sample.bytes.count)
            if let segment = decoded.segment {
                #expect(segment.payloadLength == 12, "cut at \(length)")
                #expect(segment.source == whole.segment?.source)
                #expect("hello, world".hasPrefix(decoded.text))
            } else {
                #expect(decoded.skipped == .truncated, "cut at \(length): \(decoded)")
            }
            // The same bytes when the record says that nothing was cut: no promise but that it stands.
            _ = decode(part, link: sample.link)
        }
    }

    @Test("mutated packets never stop the program, and payloads stay inside the packet")
    func mutated() {
        var random = SplitMix(seed: 0x5EED)
        var decoder = PacketDecoder()
        var segments = 0
        for round in 0..<60_000 {
            let sample = PacketSample.all[round % PacketSample.all.count]
            var bytes = sample.bytes
            for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.below(4) == 0 { bytes.removeLast(random.below(bytes.count)) }
            let link = random.below(16) == 0 ? LinkType(rawValue: UInt32(random.below(280))) : sample.link
            let original = random.below(8) == 0 ? random.below(Int(UInt32.max)) : bytes.count
            let decoded = decoder.decode(bytes, link: link, number: UInt64(round + 1), originalLength: original)
            if let segment = decoded.segment {
                segments += 1
                #expect(segment.payloadLength >= decoded.payload.count)
            }
        }
        #expect(segments > 10_000)
        #expect(decoder.fragmentBytes <= 4 << 20)
    }

    @Test("the way around gives what the fast path gives")
    func fastPath() {
        for options in stride(from: 0, through: 40, by: 4) {
            for text in ["", "x", "hello"] {
                let segment = tcp(text, options: Array(repeating: 1, count: options))
                for padded in [false, true] {
                    let fast = decode(Build.ethernet(Build.ipv4(segment), padded: padded))
                    // An option of IPv4, and a tag of no network, keep the fast path out.
                    let slow = decode(Build.ethernet(Build.vlan(0, Build.ipv4(segment)), type: 0x8100, padded: padded))
                    #expect(fast == slow)
                    #expect(fast.text == text)
                    #expect(slow.segment?.scope == 0)
                }
            }
        }
    }

    @Test("scope: none without tags, equal in both directions, other for another network")
    func scope() {
        func scope(_ identifier: UInt16, swapped: Bool = false) -> UInt32? {
            let packet = swapped ? Build.ipv4(from: 0x0A00_0009, to: 0x0A00_0005, tcp()) : ipv4()
            return decode(Build.ethernet(Build.vlan(identifier, packet), type: 0x8100)).segment?.scope
        }
        #expect(decode(Build.ethernet(ipv4())).segment?.scope == 0)
        #expect(scope(7) == scope(7, swapped: true))
        #expect(scope(7) != scope(8))
        #expect(scope(7) != 0)
        // A priority of 5 on the same network.
        #expect(scope(7) == scope(7 | 5 << 13))
        func vxlan(_ network: UInt8) -> UInt32? {
            decode(
                Build.ethernet(Build.ipv4(Build.udp(to: 4789, [8, 0, 0, 0, 0, 0, network, 0] + Build.ethernet(ipv4())), ipProtocol: 17))
            )
            .segment?.scope
        }
        #expect(vxlan(1) != vxlan(2))
        #expect(vxlan(1) == vxlan(1))
    }
}

extension SplitMix {
    fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
