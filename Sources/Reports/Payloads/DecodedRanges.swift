import Dissection

// Where the nodes of a decoded payload stand, when that is told of other bytes than those of the payload.

extension DecodedPayload {
    /// What it says stood in bytes that are gone.
    mutating func forgetRanges() {
        for index in entries.indices {
            entries[index].value = entries[index].value.placeless
            entries[index].range = nil
        }
    }

    /// The first bytes came in a payload before: what does not stand wholly behind them has no place, but for what holds other values, whose
    /// place begins with the payload.
    mutating func forgetRanges(before count: Int) {
        func change(_ range: ByteRange, of value: Value) -> ByteRange? {
            if range.start >= count { return range.moved(by: -count) }
            return value.holdsOthers && range.end > count ? ByteRange(0..<range.end - count) : nil
        }
        for index in entries.indices {
            let value = entries[index].value
            entries[index].value = value.withRanges(change)
            entries[index].range = entries[index].range.flatMap { change($0, of: value) }
        }
    }

    /// What it says stands in the payload in another form: escaped, compressed, in base64. All of it stands where that form does.
    ///
    /// - Parameter range: of the bytes that the format reads.
    mutating func unwrap(at range: Range<Int>) {
        let whole = ByteRange(range).moved(by: base)
        for index in entries.indices {
            entries[index].value = entries[index].value.placed(at: whole)
            if entries[index].range != nil { entries[index].range = whole }
        }
    }

    /// The same of a payload of so many bytes, all of which are that form: no place where it stopped is told beyond them.
    mutating func unwrap(from count: Int) {
        unwrap(at: 0..<count)
        guard hasStopped, case .number(let position)? = entries.last?.value else { return }
        entries[entries.count - 1].value = .number(min(position, UInt64(count)))
    }
}

extension ByteRange {
    /// The same of bytes before which so many others stand.
    func moved(by count: Int) -> ByteRange { ByteRange(start: start + count, count: self.count) }
}

extension DecodedPayload.Value {
    /// The same of bytes before which so many others stand.
    func moved(by count: Int) -> Self { count == 0 ? self : withRanges { range, _ in range.moved(by: count) } }

    /// The same of bytes that stand in another form: all of it stands where that form does.
    func placed(at range: ByteRange) -> Self { withRanges { _, _ in range } }

    /// The same of so many bytes that stand in the payload at a range: as they are, where that has as many; otherwise in another form.
    func inside(_ range: Range<Int>, ofCount count: Int) -> Self {
        count == range.count ? moved(by: range.lowerBound) : placed(at: ByteRange(range))
    }

    /// The same of bytes that are gone: no place is told.
    var placeless: Self { withRanges { _, _ in nil } }

    /// Whether there are values inside of it.
    fileprivate var holdsOthers: Bool {
        switch self {
        case .items, .object, .fields: true
        case .text, .word, .number, .signed, .real, .flag, .nothing, .duration, .json, .binary: false
        }
    }

    /// The same with other ranges; what has none is left as it is.
    fileprivate func withRanges(_ change: (ByteRange, DecodedPayload.Value) -> ByteRange?) -> Self {
        switch self {
        case .items(let members): return .items(members.map { $0.withRanges(change) })
        case .object(let members): return .object(members.map { $0.withRanges(change) })
        case .fields(var fields):
            for index in fields.indices { fields[index].range = fields[index].range.flatMap { change($0, .text([])) } }
            return .fields(fields)
        case .text, .word, .number, .signed, .real, .flag, .nothing, .duration, .json, .binary: return self
        }
    }
}

extension DecodedPayload.Value.Member {
    /// The same of bytes before which so many others stand.
    func moved(by count: Int) -> Self { count == 0 ? self : withRanges { range, _ in range.moved(by: count) } }

    /// The same of bytes that stand in another form.
    func placed(at range: ByteRange) -> Self { withRanges { _, _ in range } }

    fileprivate func withRanges(_ change: (ByteRange, DecodedPayload.Value) -> ByteRange?) -> Self {
        Self(name, value.withRanges(change), in: range.flatMap { change($0, value) })
    }
}

extension [DecodedPayload.Value.Member] {
    /// From the first byte of the first to the last byte of the last; nothing where none has a place.
    var place: Range<Int> {
        let places = lazy.compactMap(\.range)
        guard let first = places.first else { return 0..<0 }
        return first.start..<places.reduce(first.end) { Swift.max($0, $1.end) }
    }
}

extension Range<Int> {
    /// The same of bytes before which so many others stand.
    func shifted(by count: Int) -> Range<Int> { lowerBound + count..<upperBound + count }
}
