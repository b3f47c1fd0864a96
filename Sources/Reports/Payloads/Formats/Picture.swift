import Dissection

/// Pictures by their header: which kind, and how large. Bytes tell the kind, whatever the content type says.
enum Picture: PayloadFormat {
    static var name: StaticString { "image" }
    static var keys: [StaticString] { ["type", "width", "height"] }
    static var readsHead: Bool { true }

    static func mayBegin(with byte: UInt8) -> Bool { PictureHeader.beginnings.contains(byte) }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.carrier != .data else { return .no }
        if context.carrier == .body, context.isOfType("image/svg+xml") { return .typed }
        let isTyped = context.carrier == .body && context.mediaType.prefix(6).isWord("image/")
        return PictureHeader.kind(of: bytes, isTyped: isTyped) == nil ? .no : isTyped ? .typed : .certain
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard let kind = PictureHeader.kind(of: bytes, isTyped: true) ?? (PictureHeader.isSVG(bytes) ? .svg : nil) else {
            return decoded.stop("its first bytes are not those of a picture", at: 0)
        }
        let mark = kind == .svg ? bytes.position(of: "<svg") ?? 0 : 0
        decoded.add("type", .word(kind.rawValue), at: mark..<min(bytes.byteCount, mark + (kind == .svg ? 4 : 16)))
        decoded.say(kind.rawValue.utf8)
        guard let size = PictureHeader.size(of: bytes, kind) else {
            // A scalable picture need not have a size.
            if kind != .svg { decoded.stop("the size of the picture is not where it should be", at: min(bytes.byteCount, 8)) }
            return
        }
        decoded.add("width", .number(size.width), at: size.places.width)
        decoded.add("height", .number(size.height), at: size.places.height)
        decoded.say(" \(size.width) × \(size.height)".utf8)
    }
}

/// What the first bytes of pictures say.
enum PictureHeader {
    enum Kind: String { case png, jpeg, gif, webp, bmp, ico, svg, avif, heic }

    /// In pixels, and where the header says so.
    typealias Size = (width: UInt64, height: UInt64, places: (width: Range<Int>, height: Range<Int>))

    /// The first bytes of those that `kind` knows.
    static let beginnings: [UInt8] = [0x00, 0x42, 0x47, 0x52, 0x89, 0xff]

    /// By the first bytes; nil where they are those of no picture.
    ///
    /// - Parameter isTyped: the sender says that it is a picture, so that the few bytes by which ico is known are enough.
    static func kind(of bytes: RawSpan, isTyped: Bool) -> Kind? {
        guard bytes.byteCount >= 8 else { return nil }
        switch bytes[0] {
        case 0x89: return bytes.bigEndianUInt64(at: 0) == 0x8950_4e47_0d0a_1a0a ? .png : nil
        case 0xff: return bytes[1] == 0xd8 && bytes[2] == 0xff && bytes[3] >= 0xc0 ? .jpeg : nil
        case 0x47: return bytes.begins("GIF87a") || bytes.begins("GIF89a") ? .gif : nil
        case 0x52: return bytes.byteCount >= 16 && bytes.begins("RIFF") && bytes.suffix(from: 8).begins("WEBPVP8") ? .webp : nil
        case 0x42: return isBitmap(bytes) ? .bmp : nil
        case 0x00:
            if bytes.suffix(from: 4).begins("ftyp") { return brand(bytes) }
            return isTyped && bytes.bigEndianUInt32(at: 0) == 0x100 && bytes[4] > 0 && bytes[5] == 0 ? .ico : nil
        case _: return nil
        }
    }

    /// A file header whose own numbers agree, as two letters are few.
    private static func isBitmap(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount >= 26, bytes[1] == 0x4d, bytes.bigEndianUInt32(at: 6) == 0 else { return false }
        let (start, header) = (little(bytes, 10, 4), little(bytes, 14, 4))
        return [12, 40, 52, 56, 64, 108, 124].contains(header) && start >= 14 + header && start <= 14 + header + 2_048
    }

    /// What a file of ISO base media says that it is (ISO 23008-12).
    private static func brand(_ bytes: RawSpan) -> Kind? {
        guard bytes.byteCount >= 12 else { return nil }
        let brand = bytes.extracting(8..<12)
        if brand.begins("avif") || brand.begins("avis") { return .avif }
        return ["heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"].contains { brand.begins($0) } ? .heic : nil
    }

    static func isSVG(_ bytes: RawSpan) -> Bool { bytes.prefix(4_096).contains("<svg") }

    /// Pixels; nil where the header is not whole, or says otherwise than it should.
    static func size(of bytes: RawSpan, _ kind: Kind) -> Size? {
        switch kind {
        case .png:
            // The bit depth and the colour type, too, have few values (PNG, section 11.2.1): a signature alone is easily written.
            guard bytes.byteCount >= 26, bytes.suffix(from: 12).begins("IHDR"), [1, 2, 4, 8, 16].contains(bytes[24]),
                [0, 2, 3, 4, 6].contains(bytes[25])
            else { return nil }
            return (UInt64(bytes.bigEndianUInt32(at: 16)), UInt64(bytes.bigEndianUInt32(at: 20)), (16..<20, 20..<24))
        case .gif:
            guard bytes.byteCount >= 10 else { return nil }
            return (little(bytes, 6, 2), little(bytes, 8, 2), (6..<8, 8..<10))
        case .jpeg: return jpeg(bytes)
        case .webp: return webp(bytes)
        case .bmp:
            if little(bytes, 14, 4) == 12 { return (little(bytes, 18, 2), little(bytes, 20, 2), (18..<20, 20..<22)) }
            guard bytes.byteCount >= 26 else { return nil }
            // Rows from the top down have a negative height.
            let height = Int32(truncatingIfNeeded: little(bytes, 22, 4))
            return (little(bytes, 18, 4), UInt64(height.magnitude), (18..<22, 22..<26))
        // Of several pictures in a file the first; 0 stands for 256.
        case .ico:
            guard bytes.byteCount >= 8 else { return nil }
            return ((UInt64(bytes[6]) + 255) % 256 + 1, (UInt64(bytes[7]) + 255) % 256 + 1, (6..<7, 7..<8))
        case .avif, .heic: return isoBaseMedia(bytes)
        case .svg: return svg(bytes)
        }
    }

    /// The frame header, found from segment to segment (ITU-T T.81, annex B).
    private static func jpeg(_ bytes: RawSpan) -> Size? {
        var position = 2
        while bytes.byteCount - position >= 9 {
            guard bytes[position] == 0xff else { return nil }
            let marker = bytes[position + 1]
            switch marker {
            case 0xff: position += 1
            case 0x01, 0xd0...0xd7: position += 2
            case 0xc0...0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf:
                let places = (width: position + 7..<position + 9, height: position + 5..<position + 7)
                return (UInt64(bytes.bigEndianUInt16(at: position + 7)), UInt64(bytes.bigEndianUInt16(at: position + 5)), places)
            case 0xd8...0xda: return nil
            case _:
                let length = Int(bytes.bigEndianUInt16(at: position + 2))
                guard length >= 2 else { return nil }
                position += 2 + length
            }
        }
        return nil
    }

    /// Of the three kinds of WebP (RFC 9649, section 2).
    private static func webp(_ bytes: RawSpan) -> Size? {
        guard bytes.byteCount >= 30 else { return nil }
        switch bytes[15] {
        case 0x20:
            guard bytes[23] == 0x9d, bytes[24] == 0x01, bytes[25] == 0x2a else { return nil }
            return (little(bytes, 26, 2) & 0x3fff, little(bytes, 28, 2) & 0x3fff, (26..<28, 28..<30))
        case 0x4c:
            guard bytes[20] == 0x2f else { return nil }
            let bits = little(bytes, 21, 4)
            return (bits & 0x3fff + 1, bits >> 14 & 0x3fff + 1, (21..<23, 22..<25))
        case 0x58: return (little(bytes, 24, 3) + 1, little(bytes, 27, 3) + 1, (24..<27, 27..<30))
        case _: return nil
        }
    }

    /// The largest of the extents of a picture's items (`ispe`), which is the whole of what is made of tiles (ISO 23008-12, section 6.5.3).
    private static func isoBaseMedia(_ bytes: RawSpan) -> Size? {
        let head = bytes.prefix(65_536)
        var largest: Size?
        var position = 4
        while head.byteCount - position >= 16 {
            if head[position] == 0x69, head.suffix(from: position).begins("ispe"), head.bigEndianUInt32(at: position - 4) == 20 {
                let places = (width: position + 8..<position + 12, height: position + 12..<position + 16)
                let size = (
                    width: UInt64(head.bigEndianUInt32(at: position + 8)), height: UInt64(head.bigEndianUInt32(at: position + 12)), places
                )
                if size.width * size.height > (largest?.width ?? 0) * (largest?.height ?? 0) { largest = size }
                position += 16
            } else {
                position += 1
            }
        }
        return largest
    }

    /// The attributes of the first `svg` tag, where they are plain numbers or pixels.
    private static func svg(_ bytes: RawSpan) -> Size? {
        let head = bytes.prefix(8_192)
        guard let start = head.position(of: "<svg") else { return nil }
        var end = start
        while end < head.byteCount, head[end] != UInt8(ascii: ">") { end += 1 }
        let tag = String(decoding: head.extracting(start..<end).copy, as: UTF8.self)
        // Its places are those of the bytes, unless some of them are not UTF-8.
        let isWhole = tag.utf8.count == end - start
        func pixels(_ name: String) -> (number: UInt64, place: Range<Int>)? {
            for word in tag.split(whereSeparator: \.isWhitespace) where word.hasPrefix(name + "=") {
                let digits = word.dropFirst(name.count + 2).prefix { $0.isASCII && $0.isNumber || $0 == "." }
                let unit = word.dropFirst(name.count + 2 + digits.count).prefix { $0 != "\"" && $0 != "'" && $0 != "/" }
                guard unit.isEmpty || unit == "px", let value = Double(digits), value < 1e9 else { return nil }
                let first = start + tag.utf8.distance(from: tag.startIndex, to: digits.startIndex)
                return (UInt64(value.rounded()), isWhole ? first..<first + digits.utf8.count : start..<end)
            }
            return nil
        }
        guard let width = pixels("width"), let height = pixels("height") else { return nil }
        return (width.number, height.number, (width.place, height.place))
    }

    /// A number with its lowest byte first, which lies in the bytes.
    private static func little(_ bytes: RawSpan, _ start: Int, _ size: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<size where start + index < bytes.byteCount { number |= UInt64(bytes[start + index]) << UInt64(8 * index) }
        return number
    }
}
