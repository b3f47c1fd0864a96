internal import Foundation

/// A path at which nothing lies, whatever somebody made on this machine: its name is new each time.
package enum AbsentPath {
    /// One more such path, in the folder for temporary files.
    package static func next() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("absent-\(UUID().uuidString)").path
    }
}
