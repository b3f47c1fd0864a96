import Dissection

@testable import Reports

/// One value of a decoded payload, wherever in its tree: how to come to it, and which bytes of the payload say it.
///
/// JSON is a node without others in it (`DecodedPayload.Value.json`). What stands in another form in the payload (escaped, compressed, in base64)
/// has the range of that form, all of it the same one.
struct DecodedNode: Sendable {
    /// The keys down to it, with places in lists: `messages[0].fields.name`.
    let path: String
    let value: DecodedPayload.Value
    /// The bytes of the payload, inside of those of the node that it belongs to where that one has some; nil for what does not stand in the
    /// payload: a latency, a name for a number, a count.
    let range: ByteRange?
    /// The bytes of the nearest node that it lies in and that has some.
    let outer: ByteRange?
}

extension DecodedPayload {
    /// Every value, each before those inside of it.
    var nodes: [DecodedNode] {
        var nodes: [DecodedNode] = []
        for entry in entries { entry.value.addNodes(String(decoding: entry.key, as: UTF8.self), entry.range, in: nil, to: &nodes) }
        return nodes
    }
}

extension DecodedPayload.Value {
    fileprivate func addNodes(_ path: String, _ range: ByteRange?, in outer: ByteRange?, to nodes: inout [DecodedNode]) {
        nodes.append(DecodedNode(path: path, value: self, range: range, outer: outer))
        let place = range ?? outer
        func name(_ bytes: [UInt8]) -> String { path + "." + String(decoding: bytes, as: UTF8.self) }
        switch self {
        case .items(let members):
            for (index, member) in members.enumerated() {
                member.value.addNodes("\(path)[\(index)]", member.range, in: place, to: &nodes)
            }
        case .object(let members):
            for member in members { member.value.addNodes(name(member.name), member.range, in: place, to: &nodes) }
        case .fields(let fields):
            for field in fields { Self.text(field.value).addNodes(name(field.name), field.range, in: place, to: &nodes) }
        case .text, .word, .number, .signed, .real, .flag, .nothing, .duration, .json, .binary: return
        }
    }
}
