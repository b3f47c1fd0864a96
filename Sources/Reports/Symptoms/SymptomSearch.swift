/// Finds symptoms by what somebody pastes: a code, some words of a message, or a whole line of a log.
///
/// A phrase of the table counts where the text has its words one after the other, else where the phrase has all words of the text, in any order.
/// Case, punctuation and quotes do not count.
package enum SymptomSearch {
    /// The symptoms that fit, the best first; those that fit equally well in the order of the page.
    package static func symptoms(for text: String) -> [Symptom] {
        let asked = words(of: text)
        guard !asked.isEmpty else { return [] }
        let scored = Symptom.all.enumerated().compactMap { index, symptom in
            symptom.said.compactMap { fit(words(of: $0), asked) }.max().map { (index: index, fit: $0, symptom: symptom) }
        }
        let best = scored.map(\.fit).max() ?? 0
        // A phrase that is contained leaves out those that merely share words with it.
        return scored.filter { best < contained ? true : $0.fit >= contained }
            .sorted { ($1.fit, $0.index) < ($0.fit, $1.index) }.map(\.symptom)
    }

    /// Symptoms that share most words with the text, where none fits.
    package static func nearest(to text: String, most: Int = 3) -> [Symptom] {
        let asked = Set(words(of: text).filter { $0.count > 2 })
        let scored = Symptom.all.enumerated().map { index, symptom in
            (index: index, shared: symptom.said.map { asked.intersection(words(of: $0)).count }.max() ?? 0, symptom: symptom)
        }
        return scored.filter { $0.shared > 0 }.sorted { ($1.shared, $0.index) < ($0.shared, $1.index) }.prefix(most).map(\.symptom)
    }

    /// What a contained phrase counts for at least.
    private static let contained = 1_000

    /// How well a phrase fits; nil where it does not.
    private static func fit(_ phrase: [String], _ asked: [String]) -> Int? {
        guard !phrase.isEmpty else { return nil }
        if phrase.count <= asked.count {
            let starts = 0...(asked.count - phrase.count)
            if starts.contains(where: { Array(asked[$0..<$0 + phrase.count]) == phrase }) {
                // All of what was asked is best; then the longer phrase, which says more.
                return contained + phrase.count * 10 + (phrase.count == asked.count ? 500 : 0)
            }
        }
        guard Set(asked).isSubset(of: phrase) else { return nil }
        return max(1, 500 - (phrase.count - asked.count))
    }

    /// The words of a text in small letters: letters and digits, and a minus sign before digits.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var before: Character = " "
        for character in text.lowercased() {
            if character.isLetter || character.isNumber || character == "_" {
                if word.isEmpty, before == "-", character.isNumber { word = "-" }
                word.append(character)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
            // After a letter it is a hyphen.
            before = character == "-" && (before.isLetter || before.isNumber) ? " " : character
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}
