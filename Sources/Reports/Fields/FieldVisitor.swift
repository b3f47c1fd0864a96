import Dissection

/// What goes through the keys of a record, each with its row and the place of its value in the fact.
///
/// A kind of record of which there are few has its keys once, in the `visit` of its fact, and everything that knows them is a visitor: what
/// writes a record, what reads it back into a fact, what looks a value up for the display filter, and what lists the rows. Each is compiled
/// for itself, so that writing costs what it would cost by hand, and nothing is built when the program starts.
package protocol FieldVisitor: ~Copyable, ~Escapable {
    /// Whether it gives values to the places.
    static var fills: Bool { get }
    /// Takes a key of a record.
    ///
    /// - Parameter value: as it is in the fact, with nil in it where it is absent.
    /// - Returns: what the fact is to have, where the visitor fills it.
    mutating func take(_ field: Field, _ value: KeyValue) -> KeyValue
    /// An object begins whose keys follow until `end`.
    ///
    /// - Returns: false where the keys are to be left out, and `end` as well.
    mutating func begin(_ field: Field, isThere: Bool) -> Bool
    mutating func end()
    /// A value does not fit into its place.
    mutating func refuse(_ field: Field, _ problem: StaticString)
}

/// The fact of a record whose keys are visited.
package protocol FieldedFact {
    /// A fact of which nothing is known yet.
    static var blank: Self { get }
    /// Visits the keys in the order in which they stand in a record.
    mutating func visit(_ row: inout some FieldVisitor & ~Copyable & ~Escapable)
}

/// A value that is one of the format's own words, numbered from 0 as `FieldWords` has them.
package protocol FieldWord: RawRepresentable<UInt8> {
    var word: StaticString { get }
}

/// The value of a key, as it is in the fact.
package enum KeyValue: Sendable {
    /// A word of the format, and its place among those that its type has.
    case word(StaticString, UInt8)
    /// What another key says in other words: no fact has a place for it.
    case label(StaticString?, UInt8)
    case number(UInt64?)
    /// Nanoseconds.
    case seconds(Int64?)
    case flag(Bool?)
    /// A number of TLS that is written by its name.
    case code(UInt16?, TLSRegistry)
    case address(IPAddress)
    /// A part of the content; absent where it is empty.
    case text(ByteRange, Texts = .one)
    /// Field lines in the content.
    case headers(ByteRange?)
    /// Whether one of these texts is not UTF-8.
    case latin1([KeyValue])

    /// What a part of the content holds: a text, names each after a length byte, or a `CertificateList`.
    package enum Texts: Sendable { case one, names, certificates }

    /// Whether a record does not have the key.
    var isAbsent: Bool {
        switch self {
        case .label(nil, _), .number(nil), .seconds(nil), .flag(nil), .code(nil, _), .headers(nil): true
        case .address(let address): address.family == .none
        case .text(let range, _): range.isEmpty
        case .word, .label, .number, .seconds, .flag, .code, .headers, .latin1: false
        }
    }
}

/// Where the names of a number of TLS are registered.
package enum TLSRegistry: Sendable {
    case versions, ciphers

    /// Nil of a number that has none.
    package func name(of number: UInt16) -> String? {
        self == .versions ? TLSNames.version(number) : TLSCipherSuite.name(number)
    }

    /// The numbers by their names.
    var numbers: [String: UInt16] { self == .versions ? TLSNumbers.versions : TLSNumbers.ciphers }
}
