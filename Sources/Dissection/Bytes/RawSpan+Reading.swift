/// Reading bytes and network-order integers out of a `RawSpan`.
///
/// Every access is checked against the bounds of the span and stops the program outside them, as an array does; a
/// parser asks for `byteCount` first. The integers have no padding and no invalid bit patterns, which is why the
/// standard library's loads, unsafe for arbitrary types, are safe here.
extension RawSpan {
    /// The byte at `offset`.
    @inlinable @inline(__always)
    public subscript(offset: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Two bytes in network order.
    @inlinable @inline(__always)
    public func bigEndianUInt16(at offset: Int) -> UInt16 {
        UInt16(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// Three bytes in network order, as TLS lengths are.
    @inlinable @inline(__always)
    public func bigEndianUInt24(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 16 | UInt32(bigEndianUInt16(at: offset + 1))
    }

    /// Four bytes in network order.
    @inlinable @inline(__always)
    public func bigEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Eight bytes in network order.
    @inlinable @inline(__always)
    public func bigEndianUInt64(at offset: Int) -> UInt64 {
        UInt64(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Two, four or eight bytes in the order of this machine; for formats that carry their own byte order.
    @inlinable @inline(__always)
    public func nativeInteger<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Integer.Type) -> Integer {
        unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }

    /// The bytes from `offset` to the end; none when `offset` is at the end.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public func suffix(from offset: Int) -> RawSpan {
        extracting(offset..<byteCount)
    }
}

extension Array where Element == UInt8 {
    /// The array's bytes, borrowed.
    @inlinable
    public var rawBytes: RawSpan {
        @_lifetime(borrow self)
        get { unsafe span.bytes }
    }

    /// Appends a copy of `bytes`.
    @inlinable
    public mutating func append(copying bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}
