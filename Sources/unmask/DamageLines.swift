import CaptureFiles

/// What is told of the damaged places of one input: the first ten, why it could not be read further, and how many more there were.
struct DamageLines {
    private static let most = 10

    /// Whether anything is told at all.
    private let tells: Bool

    private var told = 0
    private var more: UInt64 = 0
    private var input = ""

    init(tells: Bool = true) { self.tells = tells }

    mutating func tell(_ error: CaptureFileError) {
        guard tells else { return }
        if error.canGoOn, told == Self.most {
            input = error.input
            more += 1
            return
        }
        finish()
        told += error.canGoOn ? 1 : 0
        writeLine("unmask: \(error)")
    }

    /// Says how many were left out since the last line.
    mutating func finish() {
        guard more > 0 else { return }
        writeLine("unmask: \(input): \(more) more damaged \(more == 1 ? "place" : "places") after these")
        more = 0
    }
}
