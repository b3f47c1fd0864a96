package import Dissection

/// Something that can be dissected, and cut into runs in several ways that all mean the same.
package protocol Scene: Sendable {
    var cuttings: [Talk.Cutting] { get }

    func play<Sink: ConversationSink & ~Copyable>(_ cutting: Talk.Cutting, into sink: inout Sink)
}

extension Scene {
    package var cuttings: [Talk.Cutting] { [.whole] }

    /// What is found, a line each.
    package func findings(_ cutting: Talk.Cutting = .whole) -> [String] {
        var sink = FindingRecords()
        play(cutting, into: &sink)
        return sink.lines()
    }
}

extension Talk: Scene {
    package var cuttings: [Cutting] { Talk.cuttings }
}

extension Segments: Scene {
    package func play<Sink: ConversationSink & ~Copyable>(_ cutting: Talk.Cutting, into sink: inout Sink) { _ = dissect(into: &sink) }
}

/// A row of the catalogue with a scene in which it is found, and one in which it nearly is.
package struct FindingCase: Sendable, CustomStringConvertible {
    /// The row's id.
    package var row: String
    /// All that is found in `fires`: the row, and what cannot be had without.
    package var found: [String]
    package var fires: any Scene
    package var nearly: any Scene

    package init(_ row: String, _ found: [String], fires: any Scene, nearly: any Scene) {
        self.row = row
        self.found = found
        self.fires = fires
        self.nearly = nearly
    }

    package var description: String { row }

    /// What does not hold; empty where all does.
    package func complaints() -> [String] {
        var complaints: [String] = []
        if !found.contains(where: mentions) { complaints.append("\(row) is not among what is to be found") }
        for cutting in fires.cuttings {
            let lines = fires.findings(cutting)
            if lines != found { complaints.append("\(cutting), found \(lines)") }
        }
        for cutting in nearly.cuttings {
            let lines = nearly.findings(cutting)
            if lines.contains(where: mentions) { complaints.append("\(cutting), what nearly fires it does: \(lines)") }
        }
        return complaints
    }

    private func mentions(_ line: String) -> Bool { line.split(separator: " ").contains { $0 == "\(row):" } }
}
