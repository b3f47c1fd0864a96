/// Ciphertext of one side that was not opened, until it is told inside: as gaps of the plaintext that it can have carried.
///
/// Which of it carried any is known once a record behind it is opened: the number of that record counts those before it under the same keys.
/// Where something of the peer has to be told first, what is likely is told instead.
struct LostPlaintext {
    /// Ciphertext in a row, of one cause.
    private struct Loss {
        var cause: Gap.Cause
        /// Headers of records included.
        var bytes: UInt64
        var records: UInt64
        /// Each record of it was seen, or a part of it.
        var isCounted: Bool
        var keys: TLSKeys
        /// It carried plaintext: a record behind it was opened that says so.
        var isSure = false
        /// Bytes of it that were no plaintext, beside what encryption adds.
        var idle: UInt64 = 0
        /// How many records it had is not known, or not what of its bytes was plaintext: it is told as if as few as possible was not.
        var isGuessed = false
        /// Counts the losses of both sides.
        var number: UInt64
        /// Where it ends.
        var arrival: Arrival
    }

    private var losses: [Loss] = []
    /// Of the record that was opened last, and where the next one stands under the same keys.
    private var keys = TLSKeys()
    private var nextSequence: UInt64 = 0
    /// Records that were told as lost since then, as far as anybody could say.
    private var toldRecords: UInt64 = 0
    /// Ciphertext is missing since the record that was opened last.
    private(set) var isAfterLoss = false

    /// More losses in a row are told as one.
    private static var mostLosses: Int { 8 }

    /// A KeyUpdate of TLS 1.3, and a Finished of TLS 1.2 (RFC 8446, section 4.6.3; RFC 5246, section 7.4.9).
    private static var updateLength: UInt64 { 5 }
    private static var finishedLength: UInt64 { 16 }

    /// That of the first loss that is not told; nil where there is none.
    var firstNumber: UInt64? { losses.first?.number }

    var heldBytes: Int { losses.capacity * MemoryLayout<Loss>.stride }

    /// Ciphertext is not opened.
    ///
    /// - Parameters:
    ///   - isRecord: it is one record, whose header came; otherwise bytes in which any number of records may have been.
    ///   - keys: those that hold, as far as was seen.
    ///   - number: counts the losses of both sides.
    mutating func add(
        _ count: UInt64, _ cause: Gap.Cause, isRecord: Bool, keys: TLSKeys, number: UInt64, endingAt arrival: Arrival
    ) {
        if cause == .missing { isAfterLoss = true }
        let longest = UInt64(TLSRecordHeader.length + TLSRecordHeader.longestFragment)
        let records = isRecord ? 1 : max(1, count / longest)
        if let last = losses.last, !last.isSure, losses.count >= Self.mostLosses || last.cause == cause && last.keys == keys {
            losses[losses.count - 1].bytes &+= count
            losses[losses.count - 1].records &+= records
            losses[losses.count - 1].arrival = arrival
            if !isRecord { losses[losses.count - 1].isCounted = false }
            return
        }
        losses.append(
            Loss(
                cause: cause, bytes: count, records: records, isCounted: isRecord, keys: keys, number: number, arrival: arrival))
    }

    /// A record was opened: says what of the losses before it were plaintext.
    mutating func note(_ opened: TLSPlaintext) {
        defer {
            keys = opened.keys
            nextSequence = opened.sequence &+ 1
            toldRecords = 0
            isAfterLoss = false
        }
        guard !losses.isEmpty else { return }
        guard opened.keys.kind != .handshake else {
            // What came under the keys of the handshake, or before them, was none.
            losses.removeAll { $0.keys.kind == .handshake }
            for index in losses.indices where !losses[index].isSure {
                losses[index].isSure = true
                if !losses[index].isCounted { losses[index].isGuessed = true }
            }
            return
        }
        var missed = opened.sequence
        var isFinishedMissed = false
        if opened.keys == keys {
            missed = opened.sequence > nextSequence ? opened.sequence &- nextSequence : 0
        } else if opened.keys.kind == .session, missed > 0 {
            // The first under keys of TLS 1.2 is Finished.
            missed &-= 1
            isFinishedMissed = true
        }
        missed = missed > toldRecords ? missed &- toldRecords : 0
        settle(missed, under: opened.keys, isFinishedMissed: isFinishedMissed)
    }

    /// Says of the losses that are open which have carried plaintext, where `missed` records under the keys of now are missing.
    private mutating func settle(_ missed: UInt64, under now: TLSKeys, isFinishedMissed: Bool) {
        var left = missed
        for index in losses.indices.reversed() where !losses[index].isSure {
            let loss = losses[index]
            if loss.keys != now, loss.keys.kind != .handshake {
                // The change of keys was lost with it.
                losses[index].isSure = true
                losses[index].isGuessed = true
                if loss.keys.kind == .traffic { losses[index].idle = Self.updateLength }
                continue
            }
            guard left > 0 else {
                losses[index].records = 0
                continue
            }
            losses[index].isSure = true
            if loss.isCounted, loss.records > left {
                // The first of them belong to the handshake.
                losses[index].bytes = loss.bytes / loss.records * left
                losses[index].isGuessed = true
                losses[index].records = left
            } else if !loss.isCounted {
                losses[index].records = max(1, left &- min(left, countedBefore(index)))
            }
            left &-= min(left, losses[index].records)
        }
        losses.removeAll { $0.records == 0 }
        if isFinishedMissed, let index = losses.firstIndex(where: { $0.keys != now || !$0.isCounted }) {
            losses[index].idle = Self.finishedLength
            losses[index].isGuessed = true
        }
    }

    /// Records in the losses before one that were all counted.
    private func countedBefore(_ index: Int) -> UInt64 {
        losses[..<index].reduce(0) { $0 &+ ($1.isCounted && !$1.isSure && $1.keys.kind != .handshake ? $1.records : 0) }
    }

    /// What is to be told next, where it ends, and whether its length is a guess; nil where nothing is.
    ///
    /// - Parameters:
    ///   - overhead: bytes that encryption adds to the content of a record at least, its header left out.
    ///   - isLast: nothing will say more, or not before something has to be told that comes later: what is likely counts.
    mutating func next(overhead: UInt64, isTLS13: Bool, isLast: Bool) -> (gap: Gap, arrival: Arrival, isGuessed: Bool)? {
        while let loss = losses.first {
            var idle = loss.idle
            var isGuessed = loss.isGuessed
            if !loss.isSure {
                guard isLast else { return nil }
                if loss.keys.kind == .handshake {
                    // The flight of a server has any length; what a client says at the end of the handshake is short.
                    let own = Self.clientFlight(isTLS13) &+ overhead
                    guard loss.arrival.side == .client, loss.bytes > own else { return nil }
                    idle = own
                    isGuessed = true
                }
                if !loss.isCounted { isGuessed = true }
                toldRecords &+= loss.records
            }
            losses.removeFirst()
            let (added, isTooMuch) = loss.records.multipliedReportingOverflow(by: UInt64(TLSRecordHeader.length) &+ overhead)
            let (taken, isMore) = added.addingReportingOverflow(idle)
            let isNothing = isTooMuch || isMore || taken >= loss.bytes
            // Nothing but the change of keys was in it.
            if isNothing, loss.idle > 0 { continue }
            return (Gap(length: isNothing ? 1 : loss.bytes &- taken, cause: loss.cause), loss.arrival, isGuessed || isNothing)
        }
        return nil
    }

    /// Of TLS 1.3 a Finished; before, ClientKeyExchange with a key of 4,096 bits, ChangeCipherSpec and Finished.
    private static func clientFlight(_ isTLS13: Bool) -> UInt64 { isTLS13 ? 57 : 580 }

    /// Nothing of them was plaintext.
    mutating func forget(_ kind: TLSKeys.Kind) { losses.removeAll { $0.keys.kind == kind } }
}
