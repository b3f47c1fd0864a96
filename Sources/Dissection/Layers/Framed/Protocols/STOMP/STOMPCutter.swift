/// Line breaks may follow a frame, and a line break keeps the connection alive ("Heart-beating"). Those that come with the end of a frame
/// follow it: they are passed over, whatever comes next. One that comes later is a message of its own.
struct STOMPCutter: CuttingMachine {
    private enum Phase {
        case start
        /// In a header line, of which so many bytes came.
        case head(line: Int)
        case counted(UInt64)
        case untilNUL
    }

    private static let lengthName = Array("\(STOMPGrammar.lengthHeader):".utf8)
    private static let mostHead: UInt64 = 64 << 10
    /// Those that follow it come as close to the end of a frame as two segments do that were sent together.
    private static let nearby: Int64 = 1_000_000
    /// More do not follow a frame.
    private static let mostLineEnds = 64

    private struct FrameEnd {
        var time: Timestamp?
    }

    private var phase = Phase.start
    private var came: UInt64 = 0
    /// Whether the line so far begins with `content-length:`, or is the beginning of it.
    private var isLength = true
    private var number: UInt64?
    private var length: UInt64?
    private var lastIsCR = false
    /// When the bytes came that it takes; nil where there is no clock.
    private var time: Timestamp?
    /// When the frame ended that was the last message; nil where none was.
    private var frameEnd: FrameEnd?
    /// Bytes of line breaks that follow the frame before.
    private var lineEnds = 0
    private(set) var lookedAt = 0

    /// It knows what ended, and when.
    mutating func restart() {
        var next = STOMPCutter()
        next.time = time
        next.frameEnd = frameEnd
        self = next
    }

    mutating func note(_ time: Timestamp?) { self.time = time }

    var header: Int { lineEnds }

    /// Line ends after the last frame are a heartbeat, as those that come between two.
    var mayEndHere: Bool { lineEnds > 0 && came == UInt64(lineEnds) }

    /// Whether a line break that comes now follows the frame before.
    private var followsFrame: Bool {
        guard let frameEnd, lineEnds < Self.mostLineEnds else { return false }
        guard let before = frameEnd.time, let time else { return true }
        return time.nanoseconds(since: before) <= Self.nearby
    }

    private mutating func end(at position: Int, isFrame: Bool) -> Cut {
        frameEnd = isFrame ? FrameEnd(time: time) : nil
        return .ends(position)
    }

    mutating func advance(over bytes: RawSpan) -> Cut {
        var position = 0
        while position < bytes.byteCount {
            if case .counted(let missing) = phase, missing > 0 {
                let step = min(missing, UInt64(bytes.byteCount - position))
                phase = .counted(missing - step)
                position += Int(step)
                continue
            }
            let byte = bytes[position]
            position += 1
            came += 1
            lookedAt = position
            switch phase {
            case .start:
                if byte == 0x0A {
                    guard followsFrame else { return end(at: position, isFrame: false) }
                    lineEnds += lastIsCR ? 2 : 1
                    lastIsCR = false
                    continue
                }
                if byte == 0x0D {
                    lastIsCR = true
                    continue
                }
                guard !lastIsCR, (0x41...0x5A).contains(byte & 0xDF) else { return .broken(.malformed) }
                phase = .head(line: 1)
                isLength = false
            case .head(let line):
                guard came <= Self.mostHead else { return .broken(.tooLong(came)) }
                take(byte, line: line)
            // What a body is followed by.
            case .counted: return byte == 0 ? end(at: position, isFrame: true) : .broken(.malformed)
            case .untilNUL:
                if byte == 0 { return end(at: position, isFrame: true) }
                if came > StreamFraming.mostBytes { return .broken(.tooLong(came)) }
            }
        }
        return .inside
    }

    /// Takes a byte of the head.
    private mutating func take(_ byte: UInt8, line: Int) {
        defer { lastIsCR = byte == 0x0D }
        if byte == 0x0A {
            if line == 0 || (line == 1 && lastIsCR) {
                if let length, length <= StreamFraming.mostBytes { phase = .counted(length) } else { phase = .untilNUL }
                return
            }
            // The first of several counts.
            if isLength, length == nil { length = number }
            phase = .head(line: 0)
            isLength = true
            number = nil
            return
        }
        phase = .head(line: line + 1)
        guard isLength else { return }
        if line < Self.lengthName.count {
            isLength = byte == Self.lengthName[line]
        } else if (0x30...0x39).contains(byte), (number ?? 0) < 1 << 50 {
            number = (number ?? 0) * 10 + UInt64(byte - 0x30)
        } else if byte != 0x0D, byte != 0x20 {
            isLength = false
        }
    }
}
