import Dissection

/// Findings that were known before, as a file keeps them: a JSON array with a finding a line, sorted, so that a version control system shows what
/// changed.
package struct FindingBaseline: Sendable {
    package struct Problem: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package private(set) var keys: Set<FindingKey>

    package init(_ keys: Set<FindingKey> = []) { self.keys = keys }

    /// - Parameter text: the file.
    /// - Throws: what is wrong with it. The reader's bounds hold: 200,000 values, which is 40,000 findings.
    package init(_ text: RawSpan) throws(Problem) {
        let value: JSONValue
        do {
            var reader = JSONReader(text)
            value = try reader.whole()
        } catch {
            throw Problem(description: error.words)
        }
        guard let elements = value.elements else { throw Problem(description: "it is not an array of findings") }
        keys = []
        for (index, element) in elements.enumerated() {
            func text(_ name: StaticString) throws(Problem) -> String {
                guard let bytes = element[name]?.string else {
                    throw Problem(description: "finding \(index + 1) has no text \"\(name)\"")
                }
                return String(decoding: bytes, as: UTF8.self)
            }
            keys.insert(FindingKey(id: try text("id"), host: try text("host"), path: try text("path"), about: try text("about")))
        }
    }

    /// The file.
    package var text: [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for (index, key) in keys.sorted().enumerated() {
            bytes += (index == 0 ? "\n" : ",\n").utf8
            var composer = JSONComposer()
            composer.object { finding in
                finding.member("id", key.id)
                finding.member("host", key.host)
                finding.member("path", key.path)
                finding.member("about", key.about)
            }
            // A line for each: no string of JSON has a line feed in it.
            var isBlank = false
            for byte in composer.bytes {
                if byte == 0x0A {
                    isBlank = true
                    if bytes.last == UInt8(ascii: ",") { bytes.append(0x20) }
                } else if !isBlank || byte != 0x20 {
                    isBlank = false
                    bytes.append(byte)
                }
            }
        }
        return bytes + Array("\n]\n".utf8)
    }
}
