/// Symptoms as pages: one for the terminal, and docs/symptoms.md.
package enum SymptomsPage {
    /// A symptom for the terminal.
    package static func plain(_ symptom: Symptom) -> String {
        var lines = [symptom.said[0]]
        if symptom.said.count > 1 { lines += wrapped("also: " + symptom.said.dropFirst().joined(separator: " · "), indent: 2) }
        lines += wrapped(symptom.means, indent: 2)
        lines += wrapped("Look for: " + symptom.look, indent: 2)
        lines.append("  Shown by: unmask read fixtures/\(symptom.recording)")
        return lines.joined(separator: "\n")
    }

    /// A line each, in groups.
    package static var list: String {
        Symptom.groups.map { group in
            ([group.title] + group.symptoms.map { "  " + $0.said[0] }).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// docs/symptoms.md.
    package static var markdown: String {
        var page = """
            # What an app says, and what to look for

            Made by `unmask explain --markdown`: the same table that `unmask explain "RSV1 must be clear"` searches. Paste a code, some words of a message or a
            whole line of a log. Each entry is held by a recording: `unmask read` prints the line named there (SymptomTests).

            """
        for group in Symptom.groups {
            page += "\n## \(group.title)\n"
            for symptom in group.symptoms {
                page += "\n**\(escaped(symptom.said[0]))**"
                for other in symptom.said.dropFirst() { page += " · \(escaped(other))" }
                page += "\n\n\(escaped(symptom.means)) Look for: \(escaped(symptom.look)).\n"
                page += "Shown by [`fixtures/\(symptom.recording)`](../fixtures/\(symptom.recording)): `\(symptom.shows)`\n"
            }
        }
        return page
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("<", with: "&lt;").replacing("*", with: "\\*").replacing("_", with: "\\_")
    }

    private static func wrapped(_ text: String, indent: Int) -> [String] {
        var (lines, line) = ([String](), "")
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > 100 - indent {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        return lines.map { String(repeating: " ", count: indent) + $0 }
    }
}
