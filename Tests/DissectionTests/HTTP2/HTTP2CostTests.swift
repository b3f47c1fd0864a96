import Dissection
import Support
import Testing

/// What a frame costs does not depend on how many streams are open.
@Suite("HTTP/2, cost")
struct HTTP2CostTests {
    private typealias Frames = HTTP2Frames

    enum Frame: CaseIterable {
        case connectionWindow
        case firstWindow
        case noFrames
        case lossAroundTunnels
    }

    /// Streams that were looked at for so many frames, while so many are open.
    private func steps(_ frame: Frame, streams: UInt32, frames: Int) -> Int {
        let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
        var conversation = Conversation(
            number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake, forced: nil, limits: Limits(),
            place: Place())
        var sink = Transcript()
        conversation.open(sink: &sink)
        func say(_ bytes: [UInt8], _ direction: Direction) {
            let place = Place(time: Timestamp(nanoseconds: 0))
            conversation.receive(.bytes(bytes.rawBytes), direction: direction, place: place, sink: &sink)
        }
        // A window of one byte, which each response uses up.
        say(Frames.preface + Frames.settings([(4, 1)]), .first)
        say(Frames.server + Frames.accepted, .second)
        for index in 0..<streams {
            let number = 2 * index + 1
            if frame == .lossAroundTunnels {
                say(Frames.headers(number, [(":method", "CONNECT"), (":authority", "x:80")]), .first)
                say(Frames.ok(number), .second)
                say(Frames.data(number, String(decoding: Frames.client, as: UTF8.self)), .first)
            } else {
                say(Frames.post(number), .first)
                say(Frames.ok(number) + Frames.data(number, "x"), .second)
            }
        }
        let before = conversation.searchSteps
        for index in 0..<frames {
            switch frame {
            case .connectionWindow: say(Frames.window(0, 1), .first)
            // A window that stays used up, and changes.
            case .firstWindow: say(Frames.settings([(4, UInt32(index % 2))]), .first)
            case .noFrames, .lossAroundTunnels:
                say([UInt8](repeating: 0xFF, count: 9) + Frames.ping() + Frames.ping(), .first)
            }
        }
        return conversation.searchSteps - before
    }

    @Test("a frame that is about all streams", arguments: Frame.allCases)
    func frameForAll(frame: Frame) {
        let (few, many) = (steps(frame, streams: 40, frames: 300), steps(frame, streams: 320, frames: 300))
        // Waits are watched in 32 streams; nothing else looks at any.
        let isWatched = frame == .connectionWindow || frame == .firstWindow
        #expect(few == many && many == (isWatched ? 300 * 32 : 0), "\(few) with 40 streams, \(many) with 320")
    }
}
