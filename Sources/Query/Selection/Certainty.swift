/// Whether a conversation, or an exchange in it, is one that the user wants: what is not known yet may become known with a later event.
enum Certainty: UInt8, Comparable {
    case no, unknown, yes

    static func < (one: Certainty, other: Certainty) -> Bool { one.rawValue < other.rawValue }
}
