import Dissection

// The words that framings have, in the log and in `--framing`. They are part of the format: docs/log-format.md.

extension LengthPrefix.Width {
    package var word: StaticString {
        switch self {
        case .u8: "u8"
        case .u16be: "u16be"
        case .u16le: "u16le"
        case .u24be: "u24be"
        case .u24le: "u24le"
        case .u32be: "u32be"
        case .u32le: "u32le"
        case .u64be: "u64be"
        case .u64le: "u64le"
        case .varint: "varint"
        }
    }
}

/// What cuts messages, without its parameters: `framing.by`.
package enum FramingKind: CaseIterable {
    case length, delimiter, fixed, lines, tlv, contentLength, json, `protocol`

    package init(_ framing: StreamFraming) {
        switch framing {
        case .length: self = .length
        case .delimiter: self = .delimiter
        case .fixed: self = .fixed
        case .lines: self = .lines
        case .tlv: self = .tlv
        case .contentLength: self = .contentLength
        case .json: self = .json
        case .protocol: self = .protocol
        }
    }

    package var word: StaticString {
        switch self {
        case .length: "length"
        case .delimiter: "delimiter"
        case .fixed: "fixed"
        case .lines: "lines"
        case .tlv: "tlv"
        case .contentLength: "content-length"
        case .json: "json"
        case .protocol: "protocol"
        }
    }
}
