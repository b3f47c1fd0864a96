import Dissection

/// How much of one payload is taken apart. What is beyond is an error at the byte where it begins; the payload itself is shown whole.
enum PayloadBounds {
    /// How deep values nest in each other.
    static let levels = JSONCursor.mostLevels
    /// Values of one payload, those that contain others included.
    static let values = 65_536

    static let tooDeep: StaticString = "it is nested deeper than 100 levels"
    static let tooMany: StaticString = "it has more than 65536 values"
}

/// Why reading a payload ended, and at which of its bytes.
struct PayloadProblem: Equatable {
    let reason: StaticString
    let position: Int

    static func == (one: Self, other: Self) -> Bool {
        one.position == other.position && one.reason.bytes.isEqual(other.reason.bytes)
    }
}
