import Dissection

/// What methods and headers of AMQP said of the contents that follow them: of at most 64 channels of each side.
struct AMQPContents: PayloadState {
    private struct Content: Sendable {
        var inner: InnerPayload
        var length: UInt64?
    }

    /// The client's first.
    private var contents: [[UInt16: Content]] = [[:], [:]]
    private static let mostChannels = 64

    init() {}

    var heldBytes: Int {
        contents.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.inner.topic.capacity + $1.inner.contentType.capacity + 96 } }
    }

    mutating func lose(bytesOf side: Side) { contents[side == .client ? 0 : 1] = [:] }

    /// A method begins a content with a routing key.
    mutating func note(topic: [UInt8], of channel: UInt16, from side: Side) {
        let place = side == .client ? 0 : 1
        guard contents[place][channel] != nil || contents[place].count < Self.mostChannels else { return }
        contents[place][channel] = Content(inner: InnerPayload(topic: topic))
    }

    /// Its header says how long it is.
    mutating func note(length: UInt64, _ contentType: [UInt8], of channel: UInt16, from side: Side) {
        let place = side == .client ? 0 : 1
        contents[place][channel]?.length = length
        contents[place][channel]?.inner.contentType = contentType
    }

    /// What is said of a content that is whole in one frame; nil where it is not, or nothing is known of it.
    func inner(of channel: UInt16, from side: Side, length: UInt64) -> InnerPayload? {
        guard let content = contents[side == .client ? 0 : 1][channel], content.length == length else { return nil }
        return content.inner
    }
}
