import Dissection
import Reports

/// The findings catalogue as a page: docs/findings.md is made by this.
enum FindingsPage {
    static var markdown: String {
        var page = """
            # Findings

            What Unmask can find in a conversation. This page is made from the catalogue in the sources by `make docs`; do not
            edit it. A **violation** breaks a MUST of the document that is named, a **warning** a SHOULD, or peers are known to
            stumble over it; a **note** is worth knowing. In a sentence, `{a}`, `{b}` and `{text}` stand for what was seen;
            what is in brackets is left out where there is nothing to count.

            """
        var layer = ""
        for row in FindingCatalogue.rows {
            let prefix = String(row.id.prefix { $0 != "." })
            if prefix != layer {
                layer = prefix
                page += "\n## \(layer)\n"
            }
            page += "\n### `\(row.id)`\n\n"
            page += "\(row.severity)" + (row.reference.isEmpty ? "" : ", \(row.reference)")
            if let zeek = row.zeekName { page += ". Zeek calls it `\(zeek)`" }
            page += "\n\n> \(row.pattern)\n\n\(row.explanation)\n"
        }
        return page
    }

    static func plain(_ row: FindingRow) -> String {
        var text = "\(row.id)\n\(row.severity)" + (row.reference.isEmpty ? "" : ", \(row.reference)")
        if let zeek = row.zeekName { text += ", Zeek: \(zeek)" }
        return text + "\n\n\(sentence(of: row))\n\n\(row.explanation)"
    }

    /// The sentence with letters for what is filled in, and what they stand for.
    private static func sentence(of row: FindingRow) -> String {
        var sentence = row.pattern.replacing("[", with: "").replacing("]", with: "")
        var numbers: [String] = []
        var meanings: [String] = []
        for (place, word) in [("{a}", "N"), ("{b}", "M"), ("{a:hex}", "0xN"), ("{b:hex}", "0xM")] where sentence.contains(place) {
            sentence = sentence.replacing(place, with: word)
            numbers.append(word)
        }
        if !numbers.isEmpty {
            meanings.append(numbers.joined(separator: " and ") + (numbers.count == 1 ? " stands for a number" : " stand for numbers"))
        }
        for (place, word, meaning) in [("{a:rsv}", "RSVn", "the bits that are set"), ("{text}", "…", "what was seen")]
        where sentence.contains(place) {
            sentence = sentence.replacing(place, with: word)
            meanings.append("\(word) stands for \(meaning)")
        }
        return sentence + (meanings.isEmpty ? "" : "\n  (\(meanings.joined(separator: "; ")))")
    }
}
