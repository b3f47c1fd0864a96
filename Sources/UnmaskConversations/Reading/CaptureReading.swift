import CaptureFiles

/// The events of a capture file, as an asynchronous sequence.
///
/// ```swift
/// for try await event in CaptureReading(path: path) {
///     if case .message(let message) = event.content { print(message.text ?? "\(message.length) bytes") }
/// }
/// ```
///
/// pcap and pcapng, snoop and Network Monitor files are read, plain or compressed with gzip or zstd. The file is read as far as events are
/// asked for: a consumer that is slow, or stops, holds the reading up, and no more than some 64 events wait for it. Each iteration opens the file
/// anew.
///
/// A place that is damaged is an event (``ConversationEvent/Content/damage(_:)``), and reading goes on after it. Where a file cannot be read
/// to its end the iteration throws a ``CaptureError`` after all events that could be read. In a task that is cancelled it throws
/// `CancellationError`.
public struct CaptureReading: AsyncSequence, Sendable {
    public typealias Element = ConversationEvent

    enum Input: Sendable {
        case file(String)
        case memory([UInt8], name: String)
    }

    private let input: Input
    private let options: ReadingOptions

    /// Reads a file, a FIFO, or standard input for `-`; it is opened when the first event is asked for.
    public init(path: String, options: ReadingOptions = ReadingOptions()) {
        input = .file(path)
        self.options = options
    }

    /// Reads a capture that is in memory.
    ///
    /// - Parameters:
    ///   - bytes: the file, plain or compressed.
    ///   - name: what errors call it.
    ///   - options: bounds, keys, and whether payloads are decoded.
    public init(bytes: [UInt8], name: String = "memory", options: ReadingOptions = ReadingOptions()) {
        input = .memory(bytes, name: name)
        self.options = options
    }

    private init(_ input: Input, _ options: ReadingOptions) { (self.input, self.options) = (input, options) }

    /// The same capture, of whose payloads nothing is kept.
    var withoutPayloads: CaptureReading {
        var options = options
        options.decodesPayloads = false
        options.limits.payloadBytes = 0
        return CaptureReading(input, options)
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(input, options) }

    /// Gives one event after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let stop = StopFlag()
        private let queue: CaptureQueue
        private var events: ArraySlice<ConversationEvent> = []
        private var isOver = false

        init(_ input: Input, _ options: ReadingOptions) { queue = CaptureQueue(input, options, stop: stop) }

        /// Bytes that were taken of the input so far.
        package var inputBytes: Int { get async { await queue.inputBytes } }

        /// The next event; nil at the end.
        ///
        /// - Throws: ``CaptureError``, or `CancellationError` where the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> ConversationEvent? {
            try Task.checkCancellation()
            if events.isEmpty, !isOver {
                let (stop, queue) = (stop, queue)
                events = try await withTaskCancellationHandler {
                    try await queue.next()[...]
                } onCancel: {
                    stop.stop()
                }
                try Task.checkCancellation()
                isOver = events.isEmpty
            }
            return events.popFirst()
        }
    }
}
