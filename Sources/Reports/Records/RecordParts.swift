import Dissection

/// A record of the log taken apart: its keys without its payload, and what the payload says.
package struct RecordParts: Sendable {
    /// The object without `text`, `base64` and `decoded`.
    package let record: [UInt8]
    /// The value of `decoded`, as it is written.
    package let decoded: [UInt8]?

    /// - Returns: nil where the line is not one object.
    package init?(_ line: [UInt8]) {
        let bytes = line.rawBytes
        guard let parts = JSONParts(bytes) else { return nil }
        var (record, decoded): ([UInt8], [UInt8]?) = ([UInt8(ascii: "{")], nil)
        for part in parts.parts {
            let name = bytes.extracting(part.name)
            if name.isEqual(("text" as StaticString).bytes) || name.isEqual(("base64" as StaticString).bytes) { continue }
            if name.isEqual(("decoded" as StaticString).bytes) {
                decoded = Array(line[part.value])
                continue
            }
            if record.count > 1 { record.append(UInt8(ascii: ",")) }
            record.append(UInt8(ascii: "\""))
            record += line[part.name]
            record += "\":".utf8
            record += line[part.value]
        }
        record.append(UInt8(ascii: "}"))
        (self.record, self.decoded) = (record, decoded)
    }
}
