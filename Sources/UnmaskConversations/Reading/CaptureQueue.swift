import CaptureFiles

/// Reads one capture apart from the threads on which tasks run, because reading may wait for a disk or for the writer of a pipe.
actor CaptureQueue {
    private let input: CaptureReading.Input
    private let options: ReadingOptions
    private let stop: StopFlag
    private var pass: CapturePass?
    private var isOver = false
    private let executor = QueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ input: CaptureReading.Input, _ options: ReadingOptions, stop: StopFlag) {
        self.input = input
        self.options = options
        self.stop = stop
    }

    /// Bytes that were taken of the input, as far as it is open.
    var inputBytes: Int { pass?.inputBytes ?? 0 }

    /// The next events; none at the end.
    func next() throws -> [ConversationEvent] {
        guard !isOver else { return [] }
        do {
            if pass == nil { pass = try CapturePass(input, options, stop: stop) }
            let events = try pass?.next() ?? []
            if events.isEmpty { close() }
            return events
        } catch let error as CaptureFileError {
            close()
            throw CaptureError(error)
        } catch {
            close()
            throw error
        }
    }

    /// The file is closed as soon as nothing more comes of it.
    private func close() {
        isOver = true
        pass = nil
    }
}
