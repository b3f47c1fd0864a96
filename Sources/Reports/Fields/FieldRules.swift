/// What holds between fields of one record or object, beside what each row says.
enum FieldRule: Sendable {
    /// Not both of them are there.
    case notBoth(Field, Field)
    /// Where the first is there, the second is as well.
    case needs(Field, Field)
    /// The first is there exactly where the second is true.
    case exactly(Field, where: Field)

    /// What holds in a record or an object.
    static func rules(of carrier: FieldCarrier) -> [FieldRule] {
        var rules: [FieldRule] = []
        if FieldCarriers.withPayload.union(.withShortPayload).contains(carrier) { rules.append(.notBoth(.text, .base64)) }
        if FieldCarriers.withShortPayload.contains(carrier) {
            rules += [.needs(.truncated, .cutLength), .needs(.cutLength, .truncated)]
        }
        switch carrier {
        case .endpoint: rules.append(.needs(.address, .port))
        case .message:
            rules += [
                .notBoth(.messageOpcode, .messageFraming), .needs(.messageOpcode, .fragments), .needs(.fragments, .compressed),
                .needs(.compressed, .messageOpcode),
            ]
        case .framing: rules += [.needs(.framingGuessed, .framingFit), .needs(.framingFit, .framingGuessed)]
        case .frame: rules.append(.exactly(.maskingKey, where: .masked))
        case .response: rules += [.needs(.exchange, .method), .needs(.method, .target), .needs(.target, .exchange)]
        case .pong: rules.append(.notBoth(.roundTrip, .unsolicited))
        case .close: rules.append(.needs(.closeName, .closeCode))
        case _: break
        }
        return rules
    }
}
