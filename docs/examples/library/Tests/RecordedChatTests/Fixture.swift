import Foundation

/// The recordings of Unmask itself, in the folder `fixtures` of its repository.
enum Fixture {
    static func path(_ name: String) -> String {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<6 { folder.deleteLastPathComponent() }
        return folder.appendingPathComponent("fixtures/\(name)").path
    }
}
