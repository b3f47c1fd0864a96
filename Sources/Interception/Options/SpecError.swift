/// What is wrong with a value that a person wrote, in words for that person.
package struct SpecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence without a full stop, which quotes what was written and says how to write it.
    package let description: String

    package init(_ description: String) { self.description = description }
}
