import Dissection
import Reports

/// The line of outputs, with what the proxy itself looks for in the events that it hands on.
struct WatchedLine: ConversationSink, ~Copyable {
    var line: OutputLine
    var refusals = HostRefusals()

    init(_ line: consuming OutputLine) { self.line = line }

    @inline(__always)
    mutating func receive(_ event: borrowing ConversationEvent) {
        line.receive(event)
        if refusals.isWatching { refusals.take(event) }
    }

    mutating func receive(stream: borrowing StreamRun) { line.receive(stream: stream) }

    var takesStreams: Bool { line.takesStreams }
    var takesFrames: Bool { line.takesFrames }
    var heldBytes: Int { line.heldBytes }
}
