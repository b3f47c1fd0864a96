import Dissection
import Reports

/// What a field is compared with.
enum Constant: Sendable, Hashable {
    case quantity(Quantity)
    /// Compared with itself and its opposite alone: in JSON `true` is not 1.
    case flag(Bool)
    /// Text in UTF-8, or bytes.
    case bytes([UInt8])
    /// A word of the field's, by its place.
    case word(Int)
    /// An address, or a network of so many bits.
    case network(IPAddress, bits: Int)
    case nothing

    /// How a value of a field stands to it; nil where the two cannot be compared.
    func order(of value: FieldValue) -> Order? {
        switch self {
        case .quantity(let quantity):
            if case .range(let low, let high) = value { return range(low, high, quantity) }
            return value.quantity?.order(to: quantity)
        case .flag(let flag):
            guard case .flag(let other) = value else { return nil }
            return Order(other ? 1 : 0, flag ? 1 : 0)
        case .bytes(let bytes):
            guard let span = value.span else { return nil }
            return span.order(to: bytes.rawBytes)
        case .word(let place):
            guard case .word(let other, _) = value else { return nil }
            return Order(other, place)
        case .network(let network, let bits):
            guard case .address(let address) = value, address.family == network.family else { return nil }
            return address.order(to: network, bits: bits)
        case .nothing:
            if case .nothing = value { return .same }
            return nil
        }
    }

    /// Of a run of numbers each may be meant.
    private func range(_ low: UInt64, _ high: UInt64, _ quantity: Quantity) -> Order? {
        if Quantity.whole(Int128(high)).order(to: quantity) == .before { return .before }
        if Quantity.whole(Int128(low)).order(to: quantity) == .after { return .after }
        return .same
    }

    /// A value of another field, kept to compare with it.
    init(_ value: FieldValue) {
        switch value {
        case .flag(let flag): self = .flag(flag)
        case .number, .signed, .real, .seconds, .time: self = value.quantity.map { .quantity($0) } ?? .nothing
        case .text(let span), .bytes(let span), .word(_, let span): self = .bytes(span.copy)
        case .address(let address): self = .network(address, bits: address.family == .ipv4 ? 32 : 128)
        case .range(let low, _): self = .quantity(.whole(Int128(low)))
        case .nothing: self = .nothing
        }
    }
}

extension RawSpan {
    /// By the first byte that differs; what is the beginning of the other comes before it.
    func order(to other: RawSpan) -> Order {
        for index in 0..<Swift.min(byteCount, other.byteCount) where self[index] != other[index] {
            return self[index] < other[index] ? .before : .after
        }
        return Order(byteCount, other.byteCount)
    }
}

extension IPAddress {
    /// By their first bits as numbers.
    fileprivate func order(to other: IPAddress, bits: Int) -> Order {
        let spare = (family == .ipv4 ? 32 : 128) - bits
        let mask: UInt128 = spare >= 128 ? 0 : UInt128.max << UInt128(spare)
        func number(_ address: IPAddress) -> UInt128 { (UInt128(address.high) << 64 | UInt128(address.low)) & mask }
        return Order(number(self), number(other))
    }
}
