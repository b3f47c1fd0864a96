/// An answer that may have to wait for more bytes.
package enum Recognized: Sendable {
    case yes
    case no
    /// The bytes so far could become it.
    case undecided
}
