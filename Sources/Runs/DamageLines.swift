import CaptureFiles

/// What is told of the damaged places of one input: the first ten, why it could not be read further, and how many more there were.
package struct DamageLines {
    private static let most = 10

    private let write: @Sendable (String) -> Void

    private var told = 0
    private var more: UInt64 = 0
    private var input = ""

    /// - Parameter write: takes a line for the user.
    package init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    package mutating func tell(_ error: CaptureFileError) {
        if error.canGoOn, told == Self.most {
            input = error.input
            more += 1
            return
        }
        finish()
        told += error.canGoOn ? 1 : 0
        write("unmask: \(error)")
    }

    /// Says how many were left out since the last line.
    package mutating func finish() {
        guard more > 0 else { return }
        write("unmask: \(input): \(more) more damaged \(more == 1 ? "place" : "places") after these")
        more = 0
    }
}
