/// What undoes one coding of a body. What `ContentInflater.inflate` promises, all of them do.
package enum ContentStage {
    case deflate(ContentInflater)
    case brotli(BrotliInflater)
    case zstd(ZstdInflater)

    /// See `ContentInflater.inflate`.
    package func inflate(_ input: RawSpan, room: Int, into output: inout [UInt8], capacity: Int) -> ContentInflater.Step {
        switch self {
        case .deflate(let inflater): inflater.inflate(input, room: room, into: &output, capacity: capacity)
        case .brotli(let inflater): inflater.inflate(input, room: room, into: &output, capacity: capacity)
        case .zstd(let inflater): inflater.inflate(input, room: room, into: &output, capacity: capacity)
        }
    }

    /// Whether the input so far is whole.
    var isComplete: Bool {
        switch self {
        case .deflate(let inflater): inflater.isComplete
        case .brotli(let inflater): inflater.isComplete
        case .zstd(let inflater): inflater.isComplete
        }
    }

    /// The first two bytes, which say whether there is a coding at all; nothing of brotli, which begins with anything.
    var lead: [UInt8] {
        switch self {
        case .deflate(let inflater): inflater.leadCount == 2 ? [inflater.lead.0, inflater.lead.1] : []
        case .brotli: []
        case .zstd(let inflater): inflater.leadCount == 2 ? [inflater.lead.0, inflater.lead.1] : []
        }
    }

    /// Bytes that it costs now.
    var heldBytes: Int {
        switch self {
        case .deflate: ContentInflater.cost
        case .brotli(let inflater): inflater.heldBytes
        case .zstd(let inflater): inflater.heldBytes
        }
    }
}
