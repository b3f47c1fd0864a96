import Dissection

/// The head of a request to a proxy: its line in parts, and what its fields say to a proxy.
struct ProxyRequestHead: Sendable {
    /// All of it as it came, with the empty lines before it and the one that ends it.
    let bytes: [UInt8]
    let method: Range<Int>
    let target: Range<Int>
    /// Where the field lines stand; before them the line end of the request line.
    let fieldLines: Range<Int>
    let fields: MessageFields
    /// HTTP/1.0: no chunks, no upgrade, and one request a connection unless both want more.
    let isBefore11: Bool

    enum Fault: Error, Hashable {
        case notHTTP
        case version
    }

    /// - Parameters:
    ///   - bytes: the whole head.
    ///   - start: where the request line begins.
    init(_ bytes: [UInt8], from start: Int) throws(Fault) {
        guard let lineFeed = bytes[start...].firstIndex(of: 0x0A) else { throw .notHTTP }
        let lineEnd = lineFeed > start && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
        // A target with spaces in it is against the rules, and goes on as it is: it ends with the last space (RFC 9112, section 3.2).
        guard let first = bytes[start..<lineEnd].firstIndex(of: 0x20), let last = bytes[start..<lineEnd].lastIndex(of: 0x20),
            first > start, last > first + 1
        else { throw .notHTTP }
        guard bytes[start..<first].allSatisfy({ $0.isTokenCharacter }) else { throw .notHTTP }
        let version = Array(bytes[(last + 1)..<lineEnd])
        guard version.count == 8, version.starts(with: "HTTP/".utf8), version[5].isDigit, version[6] == UInt8(ascii: "."),
            version[7].isDigit
        else { throw .notHTTP }
        guard version[5] <= UInt8(ascii: "1") else { throw .version }
        isBefore11 = version[5] == UInt8(ascii: "0") || version[7] == UInt8(ascii: "0")
        method = start..<first
        target = (first + 1)..<last
        // The empty line has one byte or two.
        let emptyLine = bytes.count > 1 && bytes[bytes.count - 2] == 0x0D ? bytes.count - 2 : bytes.count - 1
        fieldLines = (lineFeed + 1)..<max(lineFeed + 1, emptyLine)
        self.bytes = bytes
        fields = MessageFields(bytes, at: fieldLines)
    }

    /// Where a field line can be put in: a fold right after the request line, against the rules as it is (RFC 9112, section 2.2), would become a part
    /// of what stands before it.
    var firstUnfoldedLine: Int {
        var place = fieldLines.lowerBound
        while place < fieldLines.upperBound, bytes[place] == 0x20 || bytes[place] == 0x09 {
            place = bytes[place..<fieldLines.upperBound].firstIndex(of: 0x0A).map { $0 + 1 } ?? fieldLines.upperBound
        }
        return place
    }

    /// Methods are case-sensitive (RFC 9110, section 9.1).
    func isMethod(_ name: String) -> Bool { bytes[method].elementsEqual(name.utf8) }

    /// The client closes when it has its answer, or counts on that (RFC 9112, section 9.3).
    var closesAfter: Bool { fields.hasClose || isBefore11 && !fields.hasKeepAlive }

    /// Everything after it may belong to another protocol, once the server agrees (RFC 9110, section 7.8).
    var offersUpgrade: Bool { fields.hasUpgrade && fields.hasConnectionUpgrade && !isBefore11 }

    /// How the end of the body is found; unknown where the server may see another one.
    var framing: MessageFraming {
        let framing = fields.framing(isBefore11: isBefore11)
        return framing.isDisputed ? .unknown : MessageFraming(request: framing)
    }
}
