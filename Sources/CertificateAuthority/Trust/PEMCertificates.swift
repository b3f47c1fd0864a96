import SwiftASN1
import X509

/// The certificates that stand in a PEM file, between whatever else stands there.
package enum PEMCertificates {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// The DER form of each certificate in a text (RFC 7468 5.1), in order, once each. Blocks that cannot be decoded are left out.
    ///
    /// - Parameter isReadable: only those that a TLS library can read as a certificate; this takes longer.
    package static func der(in text: String, isReadable: Bool = false) -> [[UInt8]] {
        var (found, seen): ([[UInt8]], Set<[UInt8]>) = ([], [])
        var block: [Substring]?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = trimmed(line)
            if line == begin { block = [] }
            block?.append(line)
            guard line == end, let lines = block else { continue }
            block = nil
            guard let bytes = try? PEMDocument(pemString: lines.joined(separator: "\n")).derBytes, seen.insert(bytes).inserted else {
                continue
            }
            if !isReadable || (try? Certificate(derEncoded: bytes)) != nil { found.append(bytes) }
        }
        return found
    }

    /// The text form of a certificate, a line feed at its end.
    package static func text(_ der: [UInt8]) -> String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString + "\n" }

    private static func trimmed(_ line: Substring) -> Substring {
        var line = line
        while let last = line.last, last.isWhitespace { line.removeLast() }
        return line
    }
}
