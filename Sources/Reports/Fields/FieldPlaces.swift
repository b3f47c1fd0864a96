import Dissection

// The places that facts have for values: each is passed to a visitor as a `KeyValue`, and takes the value that the visitor returns.
extension FieldVisitor where Self: ~Copyable & ~Escapable {
    package static var fills: Bool { false }
    package mutating func refuse(_ field: Field, _ problem: StaticString) {}

    @inline(__always)
    mutating func word<Word: FieldWord>(_ field: Field, _ value: inout Word) {
        guard case .word(_, let place) = take(field, .word(value.word, value.rawValue)), Self.fills else { return }
        value = Word(rawValue: place) ?? value
    }

    @inline(__always)
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_ field: Field, _ value: inout Number?) {
        guard case .number(let number) = take(field, .number(value.map { UInt64($0) })), Self.fills else { return }
        value = number.flatMap { Number(exactly: $0) }
        if value == nil, number != nil { refuse(field, "too large") }
    }

    @inline(__always)
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_ field: Field, _ value: inout Number) {
        var number: Number? = value
        self.number(field, &number)
        if Self.fills { value = number ?? value }
    }

    @inline(__always)
    mutating func seconds(_ field: Field, _ value: inout Int64?) {
        if case .seconds(let time) = take(field, .seconds(value)), Self.fills { value = time }
    }

    @inline(__always)
    mutating func flag(_ field: Field, _ value: inout Bool?) {
        if case .flag(let flag) = take(field, .flag(value)), Self.fills { value = flag }
    }

    @inline(__always)
    mutating func flag(_ field: Field, _ value: inout Bool) {
        if case .flag(let flag?) = take(field, .flag(value)), Self.fills { value = flag }
    }

    @inline(__always)
    mutating func code(_ field: Field, _ value: inout UInt16?, of registry: TLSRegistry) {
        if case .code(let code, _) = take(field, .code(value, registry)), Self.fills { value = code }
    }

    @inline(__always)
    mutating func address(_ field: Field, _ value: inout IPAddress) {
        if case .address(let address) = take(field, .address(value)), Self.fills { value = address }
    }

    @inline(__always)
    mutating func text(_ field: Field, _ value: inout ByteRange, _ texts: KeyValue.Texts = .one) {
        if case .text(let range, _) = take(field, .text(value, texts)), Self.fills { value = range }
    }

    @inline(__always)
    mutating func headers(_ field: Field, _ value: inout ByteRange, isThere: Bool = true) {
        if case .headers(let range?) = take(field, .headers(isThere ? value : nil)), Self.fills { value = range }
    }

    @inline(__always)
    mutating func label(_ field: Field, _ word: StaticString?, _ place: UInt8) { _ = take(field, .label(word, place)) }

    /// Whether a text before this key was not UTF-8.
    @inline(__always)
    mutating func latin1() { _ = take(.latin1, .latin1([])) }
}
