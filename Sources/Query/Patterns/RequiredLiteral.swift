/// The longest text that stands in whatever a regular expression matches, as far as that can be read off the expression without doubt: what does not
/// have it need not be searched.
///
/// Only what stands outside of all groups and is not optional counts. Whatever is not surely understood makes an end of it: then there is none.
package enum RequiredLiteral {
    /// - Parameter ignoresCase: letters of either case are alike, which is known of those in ASCII alone; then the text is so too.
    /// - Returns: nil where there is none, or it has fewer than two bytes.
    package static func find(in pattern: String, ignoresCase: Bool) -> [UInt8]? {
        var reader = Reader(Array(pattern.unicodeScalars), ignoresCase)
        guard reader.read() else { return nil }
        return reader.longest.count >= 2 ? reader.longest : nil
    }

    private struct Reader {
        private let characters: [Unicode.Scalar]
        private let ignoresCase: Bool
        private var position = 0
        /// The run of plain characters that ends here.
        private var run: [Unicode.Scalar] = []
        private(set) var longest: [UInt8] = []

        init(_ characters: [Unicode.Scalar], _ ignoresCase: Bool) {
            self.characters = characters
            self.ignoresCase = ignoresCase
        }

        private var current: Unicode.Scalar? { position < characters.count ? characters[position] : nil }

        /// Whether all of it was understood.
        mutating func read() -> Bool {
            while let character = current {
                position += 1
                switch character {
                case "|": return false
                case "*", "?":
                    dropOptional()
                case "{":
                    guard let next = current, next.isASCII, next == "," || next == " " || next.properties.numericType != nil else {
                        take(character)
                        continue
                    }
                    dropOptional()
                    guard skipQuantifier() else { return false }
                case "+", ".", "^", "$": end()
                case "[":
                    if let member = onlyMember {
                        position += 2
                        take(member)
                        continue
                    }
                    end()
                    guard skipClass() else { return false }
                case "(":
                    end()
                    guard skipGroup() else { return false }
                case ")": return false
                case "\\":
                    guard readEscape() else { return false }
                case _: take(character)
                }
            }
            end()
            return true
        }

        private mutating func take(_ character: Unicode.Scalar) {
            // Two letters beyond ASCII fold to such in it: the long s and the sign of Kelvin.
            let isUnsure = !character.isASCII || "sSkK".unicodeScalars.contains(character)
            if ignoresCase, isUnsure { end() } else { run.append(character) }
        }

        private mutating func end() {
            var bytes: [UInt8] = []
            for character in run { bytes += Array(String(Character(character)).utf8) }
            if bytes.count > longest.count { longest = bytes }
            run = []
        }

        /// What a quantifier is about need not be there.
        private mutating func dropOptional() {
            if !run.isEmpty { run.removeLast() }
            end()
        }

        /// `{2,5}`, whose brace was taken.
        private mutating func skipQuantifier() -> Bool {
            while let character = current {
                position += 1
                if character == "}" { return true }
                guard character == "," || character == " " || "0"..."9" ~= character else { return false }
            }
            return false
        }

        /// What follows a backslash.
        private mutating func readEscape() -> Bool {
            guard let character = current, character.isASCII else { return false }
            position += 1
            switch character {
            case "d", "D", "w", "W", "s", "S", "b", "B", "A", "z", "Z", "h", "H", "v", "V", "R", "X", "n", "r", "t", "f", "e", "a":
                end()
                return true
            case "a"..."z", "A"..."Z", "0"..."9": return false
            case _:
                take(character)
                return true
            }
        }

        /// The character of a class that has no other: `[e]`.
        private var onlyMember: Unicode.Scalar? {
            guard position + 1 < characters.count, characters[position + 1] == "]" else { return nil }
            let member = characters[position]
            return "^[]\\".unicodeScalars.contains(member) ? nil : member
        }

        /// A class of characters, whose bracket was taken.
        private mutating func skipClass() -> Bool {
            if current == "^" { position += 1 }
            // One that stands first is a member.
            if current == "]" { position += 1 }
            while let character = current {
                position += 1
                switch character {
                case "]": return true
                // Named classes have brackets of their own, and \Q takes them for plain.
                case "[": return false
                case "\\":
                    if current == "Q" || current == "E" { return false }
                    position += 1
                case _: break
                }
            }
            return false
        }

        /// A group, whose parenthesis was taken: what is in it does not count.
        private mutating func skipGroup() -> Bool {
            if current == "*" { return false }
            if current == "?" {
                position += 1
                // Of those that begin so, this one changes nothing outside of it.
                guard current == ":" else { return false }
                position += 1
            }
            while let character = current {
                position += 1
                switch character {
                case ")": return true
                case "(": guard skipGroup() else { return false }
                case "[": guard skipClass() else { return false }
                case "\\":
                    if current == "Q" || current == "E" { return false }
                    position += 1
                case _: break
                }
            }
            return false
        }
    }
}
