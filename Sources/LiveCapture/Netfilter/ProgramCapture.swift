#if os(Linux)
import CaptureFiles
import Dissection
import Libc

/// The TCP packets of the processes of a control group, as they leave the program and as they reach it, each once, on every interface.
///
/// Packets are taken in as they come, with their times, and given out a moment later: by then a program has written the keys of the session that they
/// belong to.
///
///     var live = try ProgramCapture.begin(group)
///     while … {
///         try live.takeIn(waitingMilliseconds: 20)
///         while live.advance(before: moment) { let packet = live.current … }
///     }
package struct ProgramCapture: ~Copyable {
    private let feed: PacketFeed
    private let brake: ProgramBrake
    private var isArmed = false
    /// Owns the rules.
    private let rules: NetlinkSocket
    /// Packets that wait, and those that were given out already.
    private var batch = PacketFeed.Batch()
    private var first = 0
    private var lastNumber: UInt64 = 0

    /// Bytes that wait at most; more are given out at once.
    private static let mostWaiting = 64 << 20

    /// Bytes that end a wait early where others are there already.
    private static let quietBytes = 4 << 20

    /// Packets begin with an IP header.
    package static let linkType = LinkType.raw
    package static let name = "nflog"

    /// Begins.
    ///
    /// - Parameter ends: ends of connections whose packets are left out.
    /// - Throws: what is missing.
    package static func begin(_ group: ControlGroup, without ends: [Endpoint] = []) throws(LiveCaptureError) -> ProgramCapture {
        do throws(NetlinkSocket.Refusal) {
            return try ProgramCapture(rulesFor: group, without: ends)
        } catch {
            var failure = ControlGroup.failure("cannot set up rules of nftables", error.code)
            if failure.kind != .notPermitted {
                failure.description += ". Linux 5.13 or later is needed, with nf_tables, nft_socket and nfnetlink_log"
            }
            throw failure
        }
    }

    private init(rulesFor group: ControlGroup, without ends: [Endpoint]) throws(NetlinkSocket.Refusal) {
        let log = try PacketLog()
        var rules = try NetlinkSocket()
        var table = ProgramRules(table: "unmask-run-\(getpid())", group: group.number, level: group.level, log: log.group)
        table.leftOut = ends
        try rules.send(table.messages())
        let brake = ProgramBrake(group.path)
        feed = try PacketFeed(log, brake)
        self.brake = brake
        self.rules = rules
    }

    deinit { feed.end() }

    /// Takes in what has come, and waits at most so long: for the first packet where none waits to be given out, else for a great many. A signal ends
    /// the wait early.
    package mutating func takeIn(waitingMilliseconds: Int32) throws(LiveCaptureError) {
        if !isArmed {
            brake.arm()
            isArmed = true
        }
        feed.wait(milliseconds: waitingMilliseconds, quietBytes: isEmpty ? 0 : Self.quietBytes)
        makeRoom()
        do throws(NetlinkSocket.Refusal) {
            try feed.take(into: &batch)
        } catch {
            throw ControlGroup.failure("no more packets come", error.code)
        }
    }

    /// Forgets what was given out.
    private mutating func makeRoom() {
        if first == batch.places.count {
            first = 0
            batch.removeAll()
        } else if batch.places[first].start > batch.bytes.count / 2 {
            let start = batch.places[first].start
            batch.bytes.removeFirst(start)
            batch.places.removeFirst(first)
            for index in batch.places.indices { batch.places[index].start -= start }
            first = 0
        }
    }

    /// Bytes of memory that waiting packets take.
    package var heldBytes: Int { batch.bytes.count + batch.places.count * MemoryLayout<PacketFeed.Batch.Place>.stride }

    package var isEmpty: Bool { first == batch.places.count }

    /// Goes on to the next packet, which is `current` then.
    ///
    /// - Parameter moment: when it has to have come, unless too many wait.
    /// - Returns: Whether there is one.
    package mutating func advance(before moment: Timestamp) -> Bool {
        guard first < batch.places.count, batch.places[first].time < moment || batch.bytes.count >= Self.mostWaiting else { return false }
        first += 1
        lastNumber += 1
        return true
    }

    /// The packet that `advance` has come to.
    package var current: CapturedPacket {
        @_lifetime(borrow self)
        get {
            let place = batch.places[first - 1]
            let bytes = batch.bytes.span.bytes.extracting(place.start..<place.start + place.length)
            return CapturedPacket(
                number: lastNumber, time: place.time, linkType: Self.linkType, originalLength: Self.originalLength(bytes), bytes: bytes)
        }
    }

    /// The length that the IP header says, where the packet was cut.
    private static func originalLength(_ bytes: RawSpan) -> UInt32 {
        guard bytes.byteCount >= 6 else { return UInt32(bytes.byteCount) }
        let isFirst = bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self) >> 4 == 4
        let stated = UInt32(bytes.unsafeLoadUnaligned(fromByteOffset: isFirst ? 2 : 4, as: UInt16.self).bigEndian)
        return max(UInt32(bytes.byteCount), isFirst ? stated : 40 + stated)
    }

    /// How long the program has stood still in all, so that no packet is dropped.
    package var held: Duration { brake.held }

    /// Packets that came, and those that the kernel had no room for.
    package var statistics: InterfaceStatistics { feed.statistics }
}
#endif
