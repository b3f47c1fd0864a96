/// Builds capture files byte by byte in either byte order, right or wrong as the test wants them.
struct CaptureBytes {
    var isBigEndian = false
    var bytes: [UInt8] = []

    mutating func add<Integer: FixedWidthInteger>(_ values: Integer...) {
        for value in values {
            let ordered = isBigEndian ? value.bigEndian : value.littleEndian
            withUnsafeBytes(of: ordered) { bytes.append(contentsOf: $0) }
        }
    }

    mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func pad() {
        while bytes.count % 4 != 0 { bytes.append(0) }
    }

    // MARK: pcap

    mutating func pcapHeader(
        magic: UInt32 = 0xA1B2_C3D4, version: (UInt16, UInt16) = (2, 4), snapshotLength: UInt32 = 65_535, network: UInt32 = 1
    ) {
        add(magic)
        add(version.0, version.1)
        add(0 as UInt32, 0, snapshotLength, network)
    }

    mutating func pcapRecord(
        _ text: String, seconds: UInt32 = 1, fraction: UInt32 = 2, original: UInt32? = nil, extra: [UInt8] = []
    ) {
        let count = UInt32(text.utf8.count)
        add(seconds, fraction, count, original ?? count)
        bytes += extra
        add(text)
    }

    // MARK: pcapng

    /// A block with the right lengths, or with the ones given.
    mutating func block(
        _ type: UInt32, length: UInt32? = nil, trailing: UInt32? = nil, _ body: (inout CaptureBytes) -> Void
    ) {
        var inner = CaptureBytes(isBigEndian: isBigEndian)
        body(&inner)
        inner.pad()
        let right = UInt32(inner.bytes.count + 12)
        add(type, length ?? right)
        bytes += inner.bytes
        add(trailing ?? length ?? right)
    }

    mutating func section(version: UInt16 = 1, comment: String? = nil) {
        block(0x0A0D_0D0A) {
            $0.add(0x1A2B_3C4D as UInt32)
            $0.add(version, 0)
            $0.add(UInt64.max)
            if let comment { $0.option(1, comment) }
        }
    }

    mutating func interface(
        link: UInt16 = 1, snapshotLength: UInt32 = 0, resolution: UInt8? = nil, offset: Int64? = nil, name: String? = nil
    ) {
        block(1) {
            $0.add(link, 0)
            $0.add(snapshotLength)
            if let name { $0.option(2, name) }
            if let resolution {
                $0.add(9 as UInt16, 1)
                $0.bytes += [resolution, 0, 0, 0]
            }
            if let offset {
                $0.add(14 as UInt16, 8)
                $0.add(offset)
            }
        }
    }

    mutating func enhancedPacket(
        _ text: String, interface: UInt32 = 0, ticks: UInt64 = 1_000_002, original: UInt32? = nil, captured: UInt32? = nil,
        comments: [String] = [], process: UInt32? = nil
    ) {
        block(6) {
            let count = UInt32(text.utf8.count)
            $0.add(interface, UInt32(ticks >> 32), UInt32(truncatingIfNeeded: ticks), captured ?? count, original ?? count)
            $0.add(text)
            $0.pad()
            if let process {
                $0.add(0x8001 as UInt16, 4)
                $0.add(process)
            }
            for comment in comments { $0.option(1, comment) }
        }
    }

    /// A Process Information Block of macOS.
    mutating func process(_ identifier: UInt32, name: String?) {
        block(0x8000_0001) {
            $0.add(identifier)
            if let name { $0.option(2, name) }
        }
    }

    mutating func simplePacket(_ text: String, original: UInt32? = nil) {
        block(3) {
            $0.add(original ?? UInt32(text.utf8.count))
            $0.add(text)
        }
    }

    mutating func option(_ code: UInt16, _ text: String) {
        add(code, UInt16(text.utf8.count))
        add(text)
        pad()
    }
}
