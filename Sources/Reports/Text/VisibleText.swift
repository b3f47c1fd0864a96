extension String {
    /// The text as one line that can do nothing to a terminal: names of files, arguments, what a peer or the system said.
    ///
    /// Line ends and other controls are shown by their pictures (`␊`, `␛`), what turns the reading direction or cannot be
    /// seen as `\u{202e}`; of more than `TextLine.mostMarks` characters that combine with one an ellipsis is left.
    package var visible: String { madeVisible(keepingLineEnds: false) }

    /// The same for text of ours in which such names stand: its line ends stay.
    package var visibleLines: String { madeVisible(keepingLineEnds: true) }

    private func madeVisible(keepingLineEnds: Bool) -> String {
        guard unicodeScalars.contains(where: { !(0x20..<0x7F ~= $0.value) }) else { return self }
        var shown = String.UnicodeScalarView()
        var marks = 0
        for scalar in unicodeScalars {
            if scalar == "\n", keepingLineEnds {
                shown.append(scalar)
                marks = 0
            } else if scalar.isHarmless {
                marks = scalar.columns == 0 ? marks + 1 : 0
                if marks <= TextLine.mostMarks { shown.append(scalar) } else if marks == TextLine.mostMarks + 1 { shown.append("…") }
            } else if scalar.value < 0x20 || scalar.value == 0x7F {
                shown.append(Unicode.Scalar(0x2400 + (scalar.value == 0x7F ? 0x21 : scalar.value)) ?? "?")
                marks = 0
            } else {
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
                marks = 0
            }
        }
        return String(shown)
    }
}
