import Dissection
import Reports

extension DecodeRule {
    /// Reads `tcp.port=9000=websocket` (`PortCondition`). Nil for anything else.
    init?(argument text: String) {
        guard let rule = PortCondition(text), let port = rule.port else { return nil }
        let layer = LayerName(rule.what.lowercased())
        guard LayerTable.standard.choices.contains(layer) else { return nil }
        self.init(port: port, layer: layer)
    }
}
