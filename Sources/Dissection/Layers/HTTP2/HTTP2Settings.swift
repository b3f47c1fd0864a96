/// What one side has told the other of itself (RFC 9113, section 6.5.2; RFC 8441, section 3).
struct HTTP2Settings {
    /// Bytes of the table that the other side's header blocks may use.
    var headerTableSize: UInt32 = 4_096
    var enablesPush = true
    /// Streams that the other side may have open at once; without a bound until it was said.
    var openStreams = UInt32.max
    /// Bytes that the other side may send on a new stream before it is given more.
    var initialWindow: UInt32 = 65_535
    /// Bytes of payload of one frame that the other side may send.
    var maxFrameSize: UInt32 = 16_384
    /// Bytes of a head's fields that the side takes; advice, without a bound until it was said.
    var listBytes = UInt32.max
    /// The other side may ask for a protocol by CONNECT.
    var enablesConnectProtocol = false
    /// It takes the bytes of `-bin` fields of gRPC as they are, after a NUL (gRPC's own setting, which its C core announces).
    var takesRawMetadata = false

    /// One of them: two bytes that say which, then four of its value.
    struct Setting: Equatable {
        var number: UInt16
        var value: UInt32

        static let size = 6

        /// - Parameter position: at least six bytes before the end.
        init(_ bytes: RawSpan, at position: Int) {
            number = bytes.bigEndianUInt16(at: position)
            value = bytes.bigEndianUInt32(at: position + 2)
        }

        /// Its name as the registry has it; empty where it has none.
        var name: StaticString {
            switch number {
            case 1: "HEADER_TABLE_SIZE"
            case 2: "ENABLE_PUSH"
            case 3: "MAX_CONCURRENT_STREAMS"
            case 4: "INITIAL_WINDOW_SIZE"
            case 5: "MAX_FRAME_SIZE"
            case 6: "MAX_HEADER_LIST_SIZE"
            case 8: "ENABLE_CONNECT_PROTOCOL"
            case 9: "NO_RFC7540_PRIORITIES"
            default: ""
            }
        }

        /// Whether its value is one that it may have.
        var isValid: Bool {
            switch number {
            case 2, 8, 9: value <= 1
            case 4: value <= 0x7FFF_FFFF
            case 5: value >= 16_384 && value <= 0xFF_FFFF
            default: true
            }
        }
    }

    init() {}

    /// What the request of an upgrade says of its client in `HTTP2-Settings`: the payload of a SETTINGS frame in base64url (RFC 7540, section
    /// 3.2.1). Nil where it says nothing.
    init?(upgrading offer: UpgradeOffer) {
        let head = offer.head.rawBytes
        var fields = HeaderFields(in: head, at: offer.request.fields)
        while let field = fields.next() {
            guard head.equals("http2-settings", in: field.name.start..<field.name.end) else { continue }
            self.init()
            var (bits, count): (UInt32, Int) = (0, 0)
            var bytes: [UInt8] = []
            for index in field.value.start..<field.value.end {
                guard let digit = HTTP2Settings.digit(head[index]) else { break }
                bits = bits << 6 & 0xFFFF | digit
                count += 6
                guard count >= 8 else { continue }
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
            for position in stride(from: 0, through: bytes.count - Setting.size, by: Setting.size) {
                let setting = Setting(bytes.rawBytes, at: position)
                if setting.isValid { take(setting) }
            }
            return
        }
        return nil
    }

    /// The value of a digit of base64url (RFC 4648, section 5).
    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// Takes one of them, whose value is valid.
    mutating func take(_ setting: Setting) {
        switch setting.number {
        case 1: headerTableSize = setting.value
        case 2: enablesPush = setting.value == 1
        case 3: openStreams = setting.value
        case 4: initialWindow = setting.value
        case 5: maxFrameSize = setting.value
        case 6: listBytes = setting.value
        case 8: enablesConnectProtocol = setting.value == 1
        case 0xFE03: takesRawMetadata = setting.value == 1
        default: return  // Others change nothing in how frames are read.
        }
    }
}
