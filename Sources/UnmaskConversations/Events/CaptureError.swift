import CaptureFiles

/// Why a capture could not be read, or which place of it is damaged.
public struct CaptureError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of problem it is.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: String, Sendable {
        /// The system refused to open or to read the file.
        case unreadable
        /// The first bytes are not those of a capture format that is read here.
        case notACapture
        /// A capture in a version or variant that is not read here.
        case unsupported
        /// The file ends inside a record or inside compressed data.
        case cutShort
        /// The content contradicts itself.
        case damaged
        /// A key log that is not one.
        case notAKeyLog
    }

    /// What kind of problem it is.
    public let kind: Kind
    /// The path, or the name that was given for bytes in memory.
    public let input: String
    /// Position of the problem in bytes from the start, after decompression where the file is compressed; nil where it has none.
    public let offset: Int?
    /// One line for a person: the input, the place, what is wrong, what to do.
    public let description: String
}

extension CaptureError {
    package init(_ kind: Kind, input: String, _ description: String) {
        self.init(kind: kind, input: input, offset: nil, description: description)
    }

    init(_ error: CaptureFileError) {
        kind =
            switch error.kind {
            case .unreadable: .unreadable
            case .notACapture: .notACapture
            case .unsupported: .unsupported
            case .cutShort: .cutShort
            case .damaged: .damaged
            }
        input = error.input
        offset = kind == .unreadable || kind == .notACapture ? nil : Int(clamping: error.offset)
        description = error.description
    }
}
