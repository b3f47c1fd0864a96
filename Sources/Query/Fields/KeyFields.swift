import Dissection
import Reports

extension FieldSource {
    /// The source of a key whose row says where its value is; nil where the kind has no such key, or is written by hand.
    ///
    /// - Parameter path: of the key, after those of the objects that it stands in.
    static func key(_ kind: FactKind, _ path: String) -> FieldSource? {
        if let row = KeyRow(kind, path) { return .key(row) }
        let parts = path.split(separator: ".")
        guard parts.count == 2, let row = KeyRow(kind, String(parts[0])) else { return nil }
        return CertificateField(rawValue: String(parts[1])).map { .certificate(row, $0) }
    }
}

extension KeyRow {
    func visit(_ event: borrowing ConversationEvent, _ take: ValueVisitor) -> Bool {
        guard event.kind == kind, let value = value(of: event) else { return false }
        return value.visit(event, take)
    }

    func visit(_ event: borrowing ConversationEvent, certificates field: CertificateField, _ take: ValueVisitor) -> Bool {
        guard event.kind == kind, case .text(let range, .certificates) = value(of: event) else { return false }
        return field.visit(event.part(range), take)
    }

    func visit(_ event: borrowing ConversationEvent, number take: ValueVisitor) -> Bool {
        guard event.kind == kind, case .code(let number?, _) = value(of: event) else { return false }
        return take(.number(UInt64(number)))
    }
}

extension FactKind {
    /// That of the events that become such records; nil of what is no record of an event.
    init?(_ carrier: FieldCarrier) {
        guard carrier.rawValue >= FieldCarrier.opened.rawValue else { return nil }
        self.init(rawValue: carrier.rawValue - FieldCarrier.opened.rawValue)
    }
}

extension KeyValue {
    fileprivate func visit(_ event: borrowing ConversationEvent, _ take: ValueVisitor) -> Bool {
        switch self {
        case .word(let word, let place), .label(let word?, let place): return hand(word, place, take)
        case .number(let number): return handNumber(number, take)
        case .seconds(let nanoseconds): return handSeconds(nanoseconds, take)
        case .flag(let flag?): return take(.flag(flag))
        case .code(let number?, let registry): return hand(made: Array(registry.written(number).utf8), take)
        case .address(let address): return take(.address(address.unmapped))
        case .text(let range, .one): return hand(event.part(range), take)
        case .headers(let range?): return HeaderLines.visit(event.content, range, take)
        case .text(let range, .names):
            var names = OfferedProtocols(event.part(range))
            while let name = names.next() { if hand(name, take) { return true } }
            return false
        case .latin1(let texts): return handFlag(texts.contains { $0.isLatin1(event) }, take)
        case .label, .flag, .code, .headers, .text: return false
        }
    }

    /// Whether it is a text that is not UTF-8.
    private func isLatin1(_ event: borrowing ConversationEvent) -> Bool {
        switch self {
        case .text(let range, .one): return !event.part(range).isUTF8
        case .headers(let range?): return HeaderLines.isLatin1(event.content, range)
        case .text(let range, .names):
            var names = OfferedProtocols(event.part(range))
            while let name = names.next() { if !name.isUTF8 { return true } }
            return false
        case .text(let range, .certificates):
            var certificates = CertificateList(event.part(range))
            while let certificate = certificates.next() { if certificate.isLatin1 { return true } }
            return false
        case .word, .label, .number, .seconds, .flag, .code, .address, .headers, .latin1: return false
        }
    }
}

extension TLSRegistry {
    /// A number by its name, or as `0x1301`.
    fileprivate func written(_ number: UInt16) -> String {
        if let name = name(of: number) { return name }
        let digits = String(number, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
