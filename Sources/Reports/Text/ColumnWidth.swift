extension Unicode.Scalar {
    /// Whether the character may reach a terminal as it is.
    ///
    /// Not so: controls, line and paragraph separators, and whatever a font shows nothing of: format characters, among them
    /// those that turn the reading direction (U+202E and its like, Unicode TR 36), fillers of Hangul, variation selectors
    /// (the default ignorable ones of Unicode TR 44). The joiners and the selectors of emoji stay, since words and emoji
    /// need them.
    var isHarmless: Bool {
        if value < 0x7f { return value >= 0x20 }
        if value < 0x300 { return value >= 0xa0 && value != 0xad }
        if value == 0x200c || value == 0x200d || value == 0xfe0e || value == 0xfe0f { return true }
        let properties = properties
        if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return false }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
        default: return true
        }
    }

    /// The columns that a harmless character takes on a terminal: 0 for what combines with the one before, 2 for wide
    /// East Asian characters and emoji (Unicode TR 11), otherwise 1.
    package var columns: Int {
        if value < 0x300 { return 1 }
        // Asks for the wide form of the emoji before it, which may have been counted as narrow.
        if value == 0xfe0f { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break  // Its range decides.
        }
        switch value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf, 0xa960...0xa97c,
            0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18aff,
            0x1b000...0x1b2ff, 0x1f200...0x1f2ff, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
            return 2
        default: return properties.isEmojiPresentation ? 2 : 1
        }
    }
}
