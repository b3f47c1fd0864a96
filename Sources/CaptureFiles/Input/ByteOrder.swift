import Dissection

/// The order of the machine that wrote the file.
struct ByteOrder {
    /// Whether that order is the opposite of this machine's.
    var isSwapped: Bool
}

extension ByteSource {
    /// The integer at `index` of the buffer.
    @inline(__always)
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ order: ByteOrder, at index: Int, as type: Integer.Type = Integer.self
    ) -> Integer {
        let value = buffer.rawBytes.nativeInteger(at: index, as: type)
        return order.isSwapped ? value.byteSwapped : value
    }

    /// The byte at `index` of the buffer.
    @inline(__always)
    func byte(at index: Int) -> UInt8 { buffer.rawBytes[index] }

    /// The error for an input that ends where more was promised: the input's own failure if it had one.
    func endError(_ problem: String) -> CaptureFileError {
        failure
            ?? CaptureFileError(
                kind: .cutShort, input: name, offset: offset, isDecompressed: isCompressed, problem: problem,
                advice: "the capture was not written to its end; what came before was read")
    }
}
