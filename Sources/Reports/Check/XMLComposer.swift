/// Composes one XML document (XML 1.0) with indentation.
struct XMLComposer {
    private(set) var bytes = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    private var depth = 0

    /// An element with other elements in it, or with none.
    mutating func element(_ name: String, _ attributes: [(String, String)], _ body: (inout XMLComposer) -> Void = { _ in }) {
        begin(name, attributes)
        bytes += ">\n".utf8
        let start = bytes.count
        depth += 1
        body(&self)
        depth -= 1
        if bytes.count == start {
            bytes.removeLast(2)
            bytes += "/>\n".utf8
        } else {
            indent()
            bytes += "</\(name)>\n".utf8
        }
    }

    /// An element with text in it.
    mutating func element(_ name: String, _ attributes: [(String, String)], text: String) {
        begin(name, attributes)
        bytes += ">".utf8
        append(escaped: text)
        bytes += "</\(name)>\n".utf8
    }

    private mutating func begin(_ name: String, _ attributes: [(String, String)]) {
        indent()
        bytes += "<\(name)".utf8
        for (name, value) in attributes {
            bytes += " \(name)=\"".utf8
            append(escaped: value)
            bytes += "\"".utf8
        }
    }

    private mutating func indent() { bytes += [UInt8](repeating: 0x20, count: 2 * depth) }

    /// What is not a character of XML (section 2.2) is not there any more: texts were made visible before.
    private mutating func append(escaped text: String) {
        for byte in text.visible.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case _: bytes.append(byte)
            }
        }
    }
}
