import CaptureFiles
import Dissection
import Foundation
import Support

/// What the relay would have seen of the conversations of a capture: their runs of bytes and their ends, in order of time.
///
/// The dissector itself finds them: with every port forced to `data` each run is an event, and `closed` tells the ends. Gaps
/// are left out, since no socket has them: what remains is fed as if it were all.
struct StreamSteps: ConversationSink {
    enum What {
        case begin(Endpoint, Endpoint)
        case bytes(Side, [UInt8])
        case finished(Side)
        case reset(Side)
    }

    struct Step {
        var conversation: UInt64
        var time: Timestamp
        var what: What
    }

    private(set) var steps: [Step] = []
    private(set) var ports: Set<UInt16> = []

    mutating func receive(_ event: borrowing ConversationEvent) {
        guard event.conversation != 0 else { return }
        let time = event.place.time ?? Timestamp(nanoseconds: 0)
        func step(_ what: What, at moment: Timestamp? = nil) -> Step {
            Step(conversation: event.conversation, time: moment ?? time, what: what)
        }
        switch event.fact {
        case .opened(let opening):
            ports.formUnion([opening.client.port, opening.server.port])
            steps.append(step(.begin(opening.client, opening.server)))
        case .data:
            guard let side = event.from else { return }
            steps.append(step(.bytes(side, Transcript.copy(event.content))))
        case .closed(let closing):
            // The first end is the one that counts; the other came when it was answered, or at the very end.
            for (side, end) in [(Side.client, closing.clientEnd), (.server, closing.serverEnd)] where end != .open {
                let isFirst = closing.by == (side == .client ? .client : .server)
                let answered = closing.endedAt.flatMap { begun in
                    closing.answered.map { Timestamp(nanoseconds: begun.nanoseconds + $0) }
                }
                let what: What = end == .fin ? .finished(side) : .reset(side)
                steps.append(step(what, at: end == .reset ? time : isFirst ? closing.endedAt : answered))
            }
        default: return
        }
    }

    /// - Parameter path: of a capture.
    static func steps(of path: String) throws -> [Step] {
        let ports = try dissect(path, []).ports
        let found = try dissect(path, ports.filter { $0 > 0 }.map { DecodeRule(port: $0, layer: .data) }).steps
        // By time, and at the same time in the order of what was told; a reset comes after all else of its conversation.
        return found.enumerated().sorted { ($0.element.time, $0.element.rank, $0.offset) < ($1.element.time, $1.element.rank, $1.offset) }
            .map(\.element)
    }

    private static func dissect(_ path: String, _ rules: [DecodeRule]) throws -> StreamSteps {
        var sink = StreamSteps()
        var dissector = Dissector(decodeAs: rules, seed: 7)
        var reader = try CaptureReader(path: path)
        while true {
            do {
                guard let item = try reader.next() else { break }
                if case .packet(let packet) = item { dissector.receive(packet, sink: &sink) }
            } catch {
                if !error.canGoOn { break }
            }
        }
        dissector.finish(sink: &sink)
        return sink
    }
}

extension StreamSteps.Step {
    fileprivate var rank: Int {
        switch what {
        case .begin: 0
        case .bytes: 1
        case .finished: 2
        case .reset: 3
        }
    }
}
