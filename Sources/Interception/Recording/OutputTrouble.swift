import Reports

/// Tells the person who runs the proxy what cannot be written, once, and says when it is time to try again.
struct OutputTrouble {
    private let settings: RecorderSettings
    private var output: OutputError?
    private var recording: OutputError?
    private var lastTry: Int64 = 0

    /// Between two tries.
    private static let pause: Int64 = 1_000_000_000

    init(_ settings: RecorderSettings) { self.settings = settings }

    /// Whether something cannot be written and it is time to try again; it counts as tried.
    var isDue: Bool {
        mutating get {
            guard output != nil || recording != nil else { return false }
            let now = MonotonicTime.nanoseconds
            guard now - lastTry >= OutputTrouble.pause else { return false }
            lastTry = now
            return true
        }
    }

    /// Makes the next try due.
    mutating func retryNow() { lastTry = 0 }

    /// Looks at what writing came to, and tells what is new.
    mutating func look(at outputError: OutputError?, _ recordingError: OutputError?) {
        if outputError != output {
            switch (output, outputError) {
            case (_, .readerGone): settings.readerGone()
            case (nil, let error?):
                settings.tell("the records cannot be written: \(error.message); the conversations go on, and writing is tried again")
            case (_?, nil): settings.tell("the records are written again")
            case (_, _): break
            }
            if output == nil { lastTry = MonotonicTime.nanoseconds }
            output = outputError
        }
        if recordingError != recording {
            switch (recording, recordingError) {
            case (nil, let error?):
                settings.tell("the recording cannot be written: \(error.message); the conversations go on, and writing is tried again")
            case (_?, nil): settings.tell("the recording is written again")
            case (_, _): break
            }
            if recording == nil { lastTry = MonotonicTime.nanoseconds }
            recording = recordingError
        }
    }

    /// Tells at the end what was never written.
    func tellLoss(records: UInt64, packets: UInt64) {
        if records > 0, output != .readerGone { settings.tell("\(records) records could not be written") }
        if packets > 0 { settings.tell("\(packets) packets could not be written to the recording") }
    }
}
