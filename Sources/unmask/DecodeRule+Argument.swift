import Dissection

extension DecodeRule {
    /// Reads `tcp.port=9000,websocket`; also `tcp.port==9000,websocket`, as tshark writes it. Nil for anything else.
    init?(argument text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let layer = LayerName(parts[1].lowercased())
        guard LayerTable.standard.choices.contains(layer) else { return nil }
        let sides = parts[0].split(separator: "=", omittingEmptySubsequences: true)
        guard sides.count == 2, sides[0] == "tcp.port", let port = UInt16(sides[1]), port > 0 else { return nil }
        self.init(port: port, layer: layer)
    }
}
