import Dissection

/// What is wrong in a `.proto` file or a descriptor set, and where.
package struct ProtoError: Error, Hashable, CustomStringConvertible {
    package let file: String
    /// From 1; nil for a file as a whole.
    package let line: Int?
    /// From 1, in characters, a tab counting as one.
    package let column: Int?
    package let reason: String

    init(_ file: String, _ reason: String) { self.init(file, nil, reason) }

    init(_ file: String, _ place: ProtoPlace?, _ reason: String) {
        self.file = file
        line = place?.line
        column = place?.column
        self.reason = reason
    }

    package var description: String {
        guard let line, let column else { return "\(file): \(reason)" }
        return "\(file):\(line):\(column): \(reason)"
    }
}

/// Where something stands in a file, both from 1.
struct ProtoPlace: Hashable {
    var line = 1
    var column = 1
}

/// One word of a `.proto` file (protobuf.dev, "Lexical elements").
struct ProtoToken {
    enum Kind: Equatable {
        case name, number, text, symbol, end
    }

    var kind: Kind
    /// Of text what stands between its quotes.
    var text: String
    var place: ProtoPlace

    /// As an error quotes it.
    var quoted: String { kind == .end ? "the end of the file" : "\"\(text)\"" }
}

/// Takes a `.proto` file apart into words, without comments. Linear.
struct ProtoTokens {
    private let bytes: [UInt8]
    private let file: String
    private var position = 0
    private var place = ProtoPlace()

    init(_ bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }
    private var following: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

    private mutating func step() {
        if bytes[position] == 0x0a {
            place.line += 1
            place.column = 1
        } else if bytes[position] & 0xc0 != 0x80 {
            place.column += 1
        }
        position += 1
    }

    /// - Throws: `ProtoError` for a comment or a text that does not end, and for a byte that begins nothing.
    mutating func next() throws(ProtoError) -> ProtoToken {
        try skipBlanksAndComments()
        let start = position
        let place = place
        guard let first = current else { return ProtoToken(kind: .end, text: "", place: place) }
        if first.isNameLetter {
            while let byte = current, byte.isNameLetter || byte.isDigit { step() }
            return token(.name, start, place)
        }
        if first.isDigit || first == UInt8(ascii: "."), following?.isDigit ?? false || first.isDigit {
            // Exponents have a sign.
            while let byte = current, byte.isNameLetter || byte.isDigit || byte == UInt8(ascii: ".") {
                step()
                let isExponent = byte | 0x20 == UInt8(ascii: "e") && bytes[start] != UInt8(ascii: "0")
                if isExponent, let sign = current, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { step() }
            }
            return token(.number, start, place)
        }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            step()
            while let byte = current, byte != first, byte != 0x0a {
                step()
                if byte == UInt8(ascii: "\\"), current != nil, current != 0x0a { step() }
            }
            guard current == first else { throw ProtoError(file, place, "a string does not end") }
            let text = String(decoding: bytes[(start + 1)..<position], as: UTF8.self)
            step()
            return ProtoToken(kind: .text, text: text, place: place)
        }
        guard 0x21..<0x7f ~= first else { throw ProtoError(file, place, "an unexpected character") }
        step()
        return token(.symbol, start, place)
    }

    private func token(_ kind: ProtoToken.Kind, _ start: Int, _ place: ProtoPlace) -> ProtoToken {
        ProtoToken(kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self), place: place)
    }

    private mutating func skipBlanksAndComments() throws(ProtoError) {
        while let byte = current {
            if byte <= 0x20 {
                step()
            } else if byte == UInt8(ascii: "/"), following == UInt8(ascii: "/") {
                while let byte = current, byte != 0x0a { step() }
            } else if byte == UInt8(ascii: "/"), following == UInt8(ascii: "*") {
                let start = place
                step()
                step()
                while current != UInt8(ascii: "*") || following != UInt8(ascii: "/") {
                    guard current != nil else { throw ProtoError(file, start, "a comment does not end") }
                    step()
                }
                step()
                step()
            } else {
                return
            }
        }
    }
}

extension UInt8 {
    fileprivate var isNameLetter: Bool { isLetter || self == UInt8(ascii: "_") }
}
