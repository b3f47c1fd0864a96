extension DecodedPayload {
    /// What it says as a JSON object: the format under `as`, then its keys.
    package var json: [UInt8] {
        var text = OutputBuffer()
        text.append(tree: self)
        return text.bytes.copy
    }

    /// Why the payload could not be read to its end; nil where it could.
    package var reason: [UInt8]? { problem?.reason }
}
