import Dissection
import Support
import Testing

/// What was delivered is remembered until it is acknowledged, 64 KiB at most, in memory that grows with it.
@Suite struct DeliveredHistoryTests {
    @Test func aDifferenceIsFoundAnywhereInTheLast64KiB() {
        var random = SplitMix(seed: 5)
        let bytes = (0..<200_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var history = DeliveredHistory()
        var position = 0
        while position < bytes.count {
            let count = min(bytes.count - position, 1 + Int(random.next() % 5_000))
            history.append(Array(bytes[position..<position + count]).rawBytes, at: UInt64(position))
            position += count
            for _ in 0..<4 {
                let known = min(position, DeliveredHistory.mostBytes)
                let at = position - 1 - Int(random.next() % UInt64(known))
                let start = max(position - known, at - 100)
                var copy = Array(bytes[start..<min(position, at + 100)])
                #expect(history.firstDifference(from: copy.rawBytes, at: UInt64(start)) == nil)
                copy[at - start] ^= 1
                #expect(history.firstDifference(from: copy.rawBytes, at: UInt64(start)) == UInt64(at))
            }
        }
        #expect(history.heldBytes == DeliveredHistory.mostBytes + 32)
    }

    /// Any mixture of segments and acknowledgements: what is not acknowledged is compared, nothing else is.
    @Test func whatIsAcknowledgedLeavesAtOnce() {
        var random = SplitMix(seed: 11)
        let bytes = (0..<400_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var history = DeliveredHistory()
        var (position, acknowledged) = (0, 0)
        while position < bytes.count {
            let count = min(bytes.count - position, 1 + Int(random.next() % 3_000))
            history.append(Array(bytes[position..<position + count]).rawBytes, at: UInt64(position))
            position += count
            switch random.next() % 4 {
            case 0: acknowledged = position
            case 1: acknowledged += Int(random.next() % UInt64(position - acknowledged + 1))
            default: break
            }
            history.forget(before: UInt64(acknowledged))
            for _ in 0..<4 {
                let at = max(0, position - 1 - Int(random.next() % 5_000))
                let known = at >= acknowledged && at >= position - DeliveredHistory.mostBytes
                let start = max(acknowledged, at - 100)
                guard start <= at || !known else { continue }
                var copy = Array(bytes[min(start, at)..<min(position, at + 100)])
                #expect(history.firstDifference(from: copy.rawBytes, at: UInt64(min(start, at))) == nil)
                copy[at - min(start, at)] ^= 1
                let found = history.firstDifference(from: copy.rawBytes, at: UInt64(min(start, at)))
                #expect(found == (known ? UInt64(at) : nil))
            }
            if acknowledged == position { #expect(history.heldBytes <= DeliveredHistory.keptBytes + 32) }
        }
    }

    @Test func whatNeverWaitsLongTakesNoMore() {
        var history = DeliveredHistory()
        let piece = [UInt8](repeating: 1, count: 100)
        for index in 0..<10_000 {
            history.append(piece.rawBytes, at: UInt64(index * 100))
            // The last but one is acknowledged.
            history.forget(before: UInt64(index * 100))
        }
        #expect(history.heldBytes == 256 + 32)
    }

    @Test func littleCostsLittle() {
        var history = DeliveredHistory()
        #expect(history.heldBytes == 0)
        history.append([UInt8](repeating: 1, count: 200).rawBytes, at: 0)
        #expect(history.heldBytes == 256 + 32)
        history.append([UInt8](repeating: 1, count: 1_000).rawBytes, at: 200)
        #expect(history.heldBytes == 4_096 + 32)
    }

    @Test func aConflictFarBackIsTold() {
        var talk = Segments().handshake()
        let piece = [UInt8](repeating: 0x61, count: 1_000)
        for index in 0..<60 { talk = talk.packet(.server, piece, at: index * 1_000) }
        let told = talk.server("aaaXaaaaaa", at: 1_000).transcript()
        #expect(told.contains("< @1003 ! tcp.overlap-conflict a=1003 b=0"))
        #expect(!talk.server("aaaaaaaaaa", at: 1_000).transcript().contains { $0.contains("!") })
    }

    /// A receiver has handed on what it acknowledged: a later copy changes nothing there, whatever it says (RFC 9293, 3.10.7.4).
    @Test func aCopyOfWhatWasAcknowledgedIsNotCompared() {
        let sent = Segments().handshake().server("one two", at: 0)
        #expect(sent.server("ten two", at: 0).transcript().contains("< @0 ! tcp.overlap-conflict a=0 b=0"))
        let acknowledged = sent.packet(.client, at: 0, ack: 7)
        #expect(!acknowledged.server("ten two", at: 0).transcript().contains { $0.contains("!") })
        // Of a part it is the rest that counts.
        let partly = sent.packet(.client, at: 0, ack: 4)
        #expect(!partly.server("ten two", at: 0).transcript().contains { $0.contains("!") })
        #expect(partly.server("one ten", at: 0).transcript().contains("< @5 ! tcp.overlap-conflict a=5 b=0"))
    }

    @Test func underPressureItIsTheFirstToGo() {
        var limits = Limits()
        limits.totalBytes = 112 << 10
        var talk = Segments()
        talk.limits = limits
        talk = talk.handshake()
        let piece = [UInt8](repeating: 0x61, count: 1_400)
        // Bytes behind a hole want the room.
        for index in 0..<50 { talk = talk.packet(.server, piece, at: index * 1_400) }
        for index in 0..<40 { talk = talk.packet(.client, piece, at: 10 + index * 1_400) }
        #expect(talk.transcript().filter { $0.contains("evicted") || $0.contains("!") } == [])
    }
}
