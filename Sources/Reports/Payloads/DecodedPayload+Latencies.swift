extension DecodedPayload {
    /// How long the calls took whose replies are in the payload, in nanoseconds and in its order: what it has as `latency`, also in the parts of
    /// which it is made, such as the packets of one message.
    package var latencies: [Int64] {
        var found: [Int64] = []
        for entry in entries { Self.add(entry.key, entry.value, to: &found) }
        return found
    }

    private static func add(_ key: [UInt8], _ value: Value, to found: inout [Int64]) {
        switch value {
        case .duration(let latency): if key.elementsEqual("latency".utf8) { found.append(latency) }
        case .items(let members), .object(let members): for member in members { add(member.name, member.value, to: &found) }
        case .text, .word, .number, .signed, .real, .flag, .nothing, .json, .binary, .fields: break
        }
    }
}
