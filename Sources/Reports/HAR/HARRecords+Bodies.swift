import Dissection

// The bodies of an entry.

extension HARRecords {
    /// The body of one side, as one part.
    mutating func writeBody(_ body: JSONValue?, of message: JSONValue, from side: Side, at time: Timestamp?) {
        let wireLength = message["bodySize"]?.unsigned
        var sent = wireLength ?? 0
        defer { add(sent, from: side) }
        guard let body, let text = text(of: body), !text.isEmpty else { return }
        let bytes = decoded(text, body["encoding"] ?? body["_encoding"])
        // A size that was told of more than is there says that some is missing.
        let length = max(UInt64(bytes.count), body["size"]?.unsigned ?? 0)
        sent = wireLength ?? length
        start("body", at: time, from: side)
        records.append(",\"length\":", decimal: length)
        records.append(",\"wireLength\":", decimal: wireLength ?? length)
        records.append(",\"part\":1,\"final\":true")
        records.appendPayload(bytes.rawBytes, .full(limit: .max), length: length)
        end()
    }

    /// What a body says: its text, or else the parameters that were posted, as a form has them.
    private mutating func text(of body: JSONValue) -> [UInt8]? {
        if let text = body["text"]?.string, !text.isEmpty { return text }
        guard let parameters = body["params"]?.elements, !parameters.isEmpty else { return nil }
        let type = String(decoding: body["mimeType"]?.string ?? [], as: UTF8.self).lowercased()
        if !type.hasPrefix("application/x-www-form-urlencoded") { losses.add(.parameters) }
        var form: [UInt8] = []
        for parameter in parameters {
            guard let name = parameter["name"]?.string else {
                losses.add(.parameters)
                continue
            }
            if !form.isEmpty { form.append(0x26) }
            form.append(formWord: name)
            form.append(0x3d)
            form.append(formWord: parameter["value"]?.string ?? [])
        }
        return form
    }

    /// What a text stands for, which may be Base64.
    mutating func decoded(_ text: [UInt8], _ encoding: JSONValue?) -> [UInt8] {
        guard encoding?.string == Array("base64".utf8) else { return text }
        if let bytes = Base64.decode(text.rawBytes) { return bytes }
        losses.add(.base64)
        return text
    }
}

extension [UInt8] {
    /// Appends a name or a value of application/x-www-form-urlencoded. What is encoded already stays so.
    mutating func append(formWord word: [UInt8]) {
        for (index, byte) in word.enumerated() {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2a, 0x2d, 0x2e, 0x5f: append(byte)
            case 0x20: append(0x2b)
            case 0x25 where index + 2 < word.count && UInt8(hexadecimal: Array(word[(index + 1)...(index + 2)]).rawBytes) != nil:
                append(byte)
            case _:
                append(0x25)
                for digit in [byte >> 4, byte & 0x0f] { append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
            }
        }
    }
}
