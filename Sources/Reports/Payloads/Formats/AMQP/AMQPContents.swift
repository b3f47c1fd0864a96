import Dissection

/// What methods and headers of AMQP said of the contents that follow them: of at most 64 channels of each side.
struct AMQPContents: PayloadState {
    private struct Content: Sendable {
        var inner: InnerPayload
        var length: UInt64?
        /// Bytes of it that came, in so many frames.
        var came: UInt64 = 0
        var frames = 0
        /// The bytes so far, where there are more to come and not too many.
        var kept: [UInt8] = []
    }

    /// What a frame has of a content.
    struct Part {
        var inner: InnerPayload
        /// Bytes of the whole content.
        let length: UInt64
        /// Bytes up to the end of this frame, in so many frames.
        let came: UInt64
        let frames: Int
        /// All of it, where this frame is the last of several and the others were kept.
        let whole: [UInt8]?

        var isLast: Bool { came == length }
    }

    /// The client's first.
    private var contents: [[UInt16: Content]] = [[:], [:]]
    private static let mostChannels = 64
    /// Of a longer content the frames are told one by one; those of all channels together do not take more.
    private static let mostBytes = 256 << 10
    private var keptBytes = 0
    /// Seconds between heartbeats that the server proposed.
    var offeredHeartbeat: UInt64?

    init() {}

    var heldBytes: Int {
        contents.reduce(keptBytes) { $0 + $1.values.reduce(0) { $0 + $1.inner.topic.capacity + $1.inner.contentType.capacity + 96 } }
    }

    mutating func lose(bytesOf side: Side) {
        let place = side == .client ? 0 : 1
        keptBytes -= contents[place].values.reduce(0) { $0 + $1.kept.count }
        contents[place] = [:]
    }

    /// A method begins a content with a routing key.
    mutating func note(topic: [UInt8], of channel: UInt16, from side: Side) {
        let place = side == .client ? 0 : 1
        guard contents[place][channel] != nil || contents[place].count < Self.mostChannels else { return }
        forgetKept(channel, place)
        contents[place][channel] = Content(inner: InnerPayload(topic: topic))
    }

    /// Its header says how long it is.
    mutating func note(length: UInt64, _ contentType: [UInt8], of channel: UInt16, from side: Side) {
        let place = side == .client ? 0 : 1
        forgetKept(channel, place)
        contents[place][channel]?.length = length
        contents[place][channel]?.inner.contentType = contentType
        contents[place][channel]?.came = 0
        contents[place][channel]?.frames = 0
    }

    private mutating func forgetKept(_ channel: UInt16, _ place: Int) {
        keptBytes -= contents[place][channel]?.kept.count ?? 0
        contents[place][channel]?.kept = []
    }

    /// Takes the next bytes of a content. Nil where nothing is known of it, or it has more than its header said.
    mutating func take(_ bytes: RawSpan, of channel: UInt16, from side: Side) -> Part? {
        let place = side == .client ? 0 : 1
        guard var content = contents[place].removeValue(forKey: channel), let length = content.length else { return nil }
        keptBytes -= content.kept.count
        let (came, isTooMuch) = content.came.addingReportingOverflow(UInt64(bytes.byteCount))
        guard !isTooMuch, came <= length else { return nil }
        let isWhole = content.came == UInt64(content.kept.count)
        (content.came, content.frames) = (came, content.frames + 1)
        var whole: [UInt8]?
        if isWhole, length <= UInt64(Self.mostBytes), content.frames > 1 || came < length, keptBytes + Int(came) <= Self.mostBytes {
            content.kept.append(copying: bytes)
            if came == length { whole = content.kept }
        } else {
            content.kept = []
        }
        let part = Part(inner: content.inner, length: length, came: came, frames: content.frames, whole: whole)
        if came == length { return part }
        keptBytes += content.kept.count
        contents[place][channel] = content
        return part
    }
}
