import Dissection
import Support
import Testing

@testable import Reports

/// Methods of AMQP that had no answer: those that wait together, and those that a close answers.
@Suite struct UnansweredAMQPTests {
    private typealias Step = (from: Side, bytes: [UInt8])

    private func method(_ channel: UInt8, _ classNumber: UInt8, _ number: UInt8, _ fields: [UInt8] = []) -> [UInt8] {
        [1, 0, channel, 0, 0, 0, UInt8(fields.count + 4), 0, classNumber, 0, number] + fields + [0xce]
    }
    private func declare(_ channel: UInt8 = 1, noWait: Bool = false) -> Step {
        (.client, method(channel, 50, 10, [0, 0, 1, 0x71, noWait ? 0x10 : 0, 0, 0, 0, 0]))
    }
    private func declared(_ channel: UInt8 = 1) -> Step { (.server, method(channel, 50, 11, [1, 0x71, 0, 0, 0, 0, 0, 0, 0, 0])) }
    /// Of a channel, or the connection for 0.
    private func close(_ channel: UInt8 = 1, by side: Side = .server, of failed: (UInt8, UInt8) = (0, 0)) -> Step {
        let (classNumber, number): (UInt8, UInt8) = channel > 0 ? (20, 40) : (10, 50)
        return (side, method(channel, classNumber, number, [1, 0x94, 0, 0, failed.0, 0, failed.1]))
    }
    private func closed(_ channel: UInt8 = 1, by side: Side = .client) -> Step {
        (side, channel > 0 ? method(channel, 20, 41) : method(0, 10, 51))
    }

    /// The records of a talk with a step a second.
    private func records(_ steps: [Step]) -> [Substring] {
        var settings = RecordSettings()
        settings.payloads = .standard
        var dialogue = Dialogue(RecordReport(Output(), settings: settings))
        dialogue.say(0, nil, .opened(RecordScript.opening))
        for (index, step) in steps.enumerated() {
            let length = UInt64(step.bytes.count)
            dialogue.say(
                1_000 * Int64(index + 1), step.from,
                .message(Message(cut: MessageFrame(.protocol(.amqp)), length: length, wireLength: length)), step.bytes)
        }
        dialogue.say(20_000, nil, .closed(Closing(by: .client, how: .fin)))
        return String(decoding: dialogue.report.takeBytes(), as: UTF8.self).split(separator: "\n")
    }

    private func unanswered(_ steps: Step...) -> String? {
        records(steps).last.flatMap { $0.split(separator: #","unanswered":"#).dropFirst().first.map { String($0.dropLast()) } }
    }

    private func latencies(_ steps: Step...) -> [String] {
        records(steps).compactMap { $0.split(separator: #""latency":"#).dropFirst().first.map { String($0.prefix { $0 != "}" }) } }
    }

    @Test func `calls that wait together are answered in their order`() {
        #expect(
            unanswered(declare(), declare(), declare(), declared(), declared())
                == #"[{"from":"client","call":"queue.declare on channel 1","waited":17}]"#)
        #expect(latencies(declare(), declare(), declared(), declared(), declare(), declared()) == ["2", "2", "1"])
        // One without an answer takes none from the others.
        #expect(latencies(declare(noWait: true), declare(), declared()) == ["1"])
        #expect(unanswered(declare(noWait: true), (.server, [8, 0, 0, 0, 0, 0, 0, 0xce])) == nil)
    }

    @Test func `after a loss it is not known which of several is answered`() {
        let broken: Step = (.server, [1, 0, 1, 0, 0, 0, 9, 0xce])
        #expect(latencies(declare(), declare(), broken, declared(), declare(), declared()) == ["1"])
        #expect(latencies(declare(), broken, declare(), declared()) == ["1"])
    }

    @Test func `what a channel is closed for is answered so, and nothing else waits on it`() {
        #expect(unanswered(declare(), close(of: (50, 10)), closed()) == nil)
        #expect(latencies(declare(), close(of: (50, 10)), closed()) == ["1", "1"])
        #expect(latencies(declare(), close(of: (60, 40)), closed()) == ["1"])
        // The other calls of the channel, and no call of another.
        #expect(
            unanswered(declare(1), declare(1), declare(11), close(of: (50, 10)), closed())
                == #"[{"from":"client","call":"queue.declare on channel 11","waited":17}]"#)
        #expect(unanswered(close(of: (50, 10)), declare(2)) != nil)
        // The close itself has to be answered.
        #expect(
            unanswered(declare(), close(of: (50, 10))) == #"[{"from":"server","call":"channel.close on channel 1","waited":18}]"#)
        // A queue that is declared on the channel anew is a new call.
        #expect(latencies(declare(), close(), closed(), declare(), declared()) == ["1", "1"])
    }

    @Test func `what a connection is closed for is answered so, on whatever channel it was called`() {
        #expect(unanswered(declare(3), declare(4), close(0, of: (50, 10)), closed(0)) == nil)
        #expect(latencies(declare(3), declare(4), close(0, of: (50, 10)), closed(0)) == ["2", "1"])
        let open: Step = (.client, method(0, 10, 40, [1, 0x2f, 0, 0]))
        #expect(latencies(open, close(0, of: (10, 40)), closed(0)) == ["1", "1"])
    }

    @Test func `who closes need not be answered what was asked before, but may be`() {
        #expect(unanswered(declare(), close(by: .client), closed(by: .server)) == nil)
        #expect(latencies(declare(), close(by: .client), declared(), closed(by: .server)) == ["2", "2"])
    }
}
