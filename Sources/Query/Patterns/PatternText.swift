import CPCRE2

/// A regular expression in the syntax of PCRE2 (pcre2pattern(3)), which is Perl's: known to be one that can be compiled.
package struct PatternText: Hashable, Sendable {
    package let text: String
    /// Whether `A` and `a` are alike (PCRE2_CASELESS).
    package let ignoresCase: Bool

    /// An expression that is none.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// In PCRE2's words, such as `missing closing parenthesis`.
        package let reason: String
        /// The byte of the expression, from 0, at which it was noticed.
        package let offset: Int

        package var description: String { "\(reason) (at byte \(offset + 1))" }
    }

    package init(_ text: String, ignoresCase: Bool = false) throws(Problem) {
        self.text = text
        self.ignoresCase = ignoresCase
        _ = try PatternMatcher(compiling: self)
    }
}
