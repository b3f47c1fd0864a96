import Dissection

/// The fields of a frame of AMQP 0-9-1 in which secrets may stand (specification 0-9-1, sections 4.2.3 to 4.2.6): texts, and values that are secrets by
/// their name. A frame's header, its lengths and its end are none of them.
struct AMQPFrameParts {
    /// Texts to be looked through, each by itself.
    private(set) var texts: [Range<Int>] = []
    /// Secrets whole.
    private(set) var secrets: [Range<Int>] = []
    /// The payload of a body frame.
    private(set) var content: Range<Int>?
    /// Of a header frame: the length of the content that follows it.
    private(set) var contentLength: UInt64?
    private(set) var channel: UInt16 = 0
    /// Of the payload.
    private(set) var length: UInt64 = 0

    private let bytes: [UInt8]
    private var place = AMQPFrameHead.count
    /// The end of the payload, or of what is there of it.
    private var end: Int

    /// Tables inside of tables that are looked into.
    private static let deepest = 8

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count
        guard !bytes.starts(with: Array("AMQP".utf8)), let head = AMQPFrameHead(bytes.rawBytes) else {
            add(text: 0..<bytes.count)
            return
        }
        (channel, length) = (head.channel, UInt64(head.length))
        end = min(bytes.count, AMQPFrameHead.count + Int(head.length))
        switch head.type {
        case 1: method()
        case 2: header()
        case 3: content = place..<end
        case _: add(text: place..<end)
        }
    }

    private mutating func add(text range: Range<Int>, isSecret: Bool = false) {
        guard !range.isEmpty else { return }
        if isSecret { secrets.append(range) } else { texts.append(range) }
    }

    /// So many bytes; nil, and all is passed, where they are not there.
    private mutating func number(_ width: Int) -> UInt64? {
        guard end - place >= width else {
            place = end
            return nil
        }
        defer { place += width }
        return bytes[place..<place + width].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What stands after its length, as much as is there of it.
    private mutating func field(_ width: Int) -> Range<Int> {
        let length = number(width) ?? 0
        let start = place
        place += Int(min(length, UInt64(end - place)))
        return start..<place
    }

    private mutating func skip(_ count: Int) { place = min(end, place + count) }

    private mutating func method() {
        let start = place
        guard let group = number(2), let method = number(2), let row = AMQPMethods.row(group, method) else {
            return add(text: start..<end)
        }
        read(row.fields.map { $0.1 })
    }

    private static let properties: [AMQPFields.Kind] = [
        .short, .short, .table, .octet, .octet, .short, .short, .short, .short, .int64, .short, .short, .short, .short,
    ]

    private mutating func header() {
        guard number(4) != nil, let length = number(8), let flags = number(2) else { return }
        contentLength = length
        read(Self.properties.enumerated().filter { flags >> UInt64(15 - $0.offset) & 1 == 1 }.map { $0.element })
    }

    private mutating func read(_ kinds: [AMQPFields.Kind]) {
        for kind in kinds {
            switch kind {
            case .octet, .bits: skip(1)
            case .int16, .reservedInt16: skip(2)
            case .int32: skip(4)
            case .int64: skip(8)
            case .short, .reservedShort: add(text: field(1))
            case .long: add(text: field(4))
            case .secret: add(text: field(4), isSecret: true)
            case .table: table(isSecret: false, depth: 0)
            }
        }
        add(text: place..<end)
    }

    private mutating func table(isSecret: Bool, depth: Int) {
        let range = field(4)
        let (after, outer) = (place, end)
        (place, end) = (range.lowerBound, range.upperBound)
        defer { (place, end) = (after, outer) }
        guard depth < Self.deepest else { return add(text: range, isSecret: isSecret) }
        while place < end {
            let name = field(1)
            value(isSecret: isSecret || SecretNames.isSecret(bytes[name]), depth: depth)
        }
    }

    /// A value with its type before it (section 4.2.5.5, and RabbitMQ's errata): the texts of one with a secret name are secrets, its numbers are not.
    private mutating func value(isSecret: Bool, depth: Int) {
        guard let type = number(1) else { return }
        switch UInt8(type) {
        case UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "B"): skip(1)
        case UInt8(ascii: "s"), UInt8(ascii: "u"), UInt8(ascii: "U"): skip(2)
        case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "f"): skip(4)
        case UInt8(ascii: "D"): skip(5)
        case UInt8(ascii: "L"), UInt8(ascii: "l"), UInt8(ascii: "d"), UInt8(ascii: "T"): skip(8)
        case UInt8(ascii: "V"): break
        case UInt8(ascii: "S"), UInt8(ascii: "x"): add(text: field(4), isSecret: isSecret)
        case UInt8(ascii: "F"): table(isSecret: isSecret, depth: depth + 1)
        case UInt8(ascii: "A"):
            let range = field(4)
            let (after, outer) = (place, end)
            (place, end) = (range.lowerBound, range.upperBound)
            if depth < Self.deepest {
                while place < end { value(isSecret: isSecret, depth: depth + 1) }
            } else {
                add(text: range, isSecret: isSecret)
            }
            (place, end) = (after, outer)
        case _:
            // What type it is of is not known, nor where it ends.
            add(text: place..<end, isSecret: isSecret)
            place = end
        }
    }
}

/// A content of a channel that goes on in further body frames.
struct AMQPContent {
    var text = OverwrittenText()
    /// Bytes that are still to come; nil where the header frame was not seen.
    var left: UInt64?

    /// Contents of a side that are kept in mind, one for each channel.
    static let most = 64

    /// Takes the length of a body frame.
    ///
    /// - Returns: whether the content goes on after it.
    mutating func goesOn(after length: UInt64) -> Bool {
        guard let left else { return true }
        self.left = left - min(left, length)
        return length < left
    }
}
