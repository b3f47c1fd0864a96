#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// DER in its text form (RFC 7468 2).
package struct PEMBlock: Hashable, Sendable {
    /// The labels of a certificate and of a key in PKCS #8 (sections 5.1 and 10).
    package static let certificate = "CERTIFICATE"
    package static let privateKey = "PRIVATE KEY"

    package var label: String
    package var der: [UInt8]

    package init(label: String, der: [UInt8]) {
        self.label = label
        self.der = der
    }

    /// The one block of a text, between whatever else is there; nil where there is none, or another one after it.
    package init?(_ text: String) {
        let blocks = Self.all(in: text)
        guard blocks.count == 1, let block = blocks[0] else { return nil }
        self = block
    }

    /// The blocks of a text in order; nil for one that cannot be decoded, or that does not end.
    package static func all(in text: String) -> [PEMBlock?] {
        var blocks: [PEMBlock?] = []
        var open: (label: Substring, body: String)?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = trimmed(line)
            if let label = label(line, "BEGIN") {
                if open != nil { blocks.append(nil) }
                open = (label, "")
            } else if let label = label(line, "END") {
                guard let block = open else { continue }
                open = nil
                let data = label == block.label ? Data(base64Encoded: block.body) : nil
                blocks.append(data.flatMap { $0.isEmpty ? nil : PEMBlock(label: String(label), der: Array($0)) })
            } else {
                open?.body += line
            }
        }
        return blocks + (open == nil ? [] : [nil])
    }

    /// The text of the block, lines of 64 letters, a line feed at its end.
    package var text: String {
        let letters = Array(Data(der).base64EncodedString().utf8)
        let lines = stride(from: 0, to: letters.count, by: 64).map {
            String(decoding: letters[$0..<min($0 + 64, letters.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----"]).joined(separator: "\n") + "\n"
    }

    /// The label of a line that begins or ends a block.
    private static func label(_ line: Substring, _ word: String) -> Substring? {
        let start = "-----\(word) "
        guard line.hasPrefix(start), line.hasSuffix("-----"), line.utf8.count > start.utf8.count + 5 else { return nil }
        return line.dropFirst(start.count).dropLast(5)
    }

    private static func trimmed(_ line: Substring) -> Substring {
        var line = line
        while let last = line.last, last.isWhitespace { line.removeLast() }
        return line
    }
}
