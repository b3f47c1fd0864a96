/// What the user said about a port: what is spoken there, whatever recognition would say.
public struct DecodeRule: Sendable, Hashable {
    /// The server's port; nil for every conversation, of which the rule then holds where nothing known is spoken.
    public var port: UInt16?
    public var layer: LayerName
    /// How bytes that no layer reads are cut into messages; only with the layer `data`.
    public var framing: FramingPair?

    public init(port: UInt16, layer: LayerName) {
        self.port = port
        self.layer = layer
    }

    /// Bytes that are cut into messages.
    ///
    /// - Parameter port: nil for every conversation in which nothing known is spoken.
    public init(port: UInt16?, framing: FramingPair) {
        self.port = port
        layer = .data
        self.framing = framing
    }

    /// What is read instead of what would be recognised.
    var forcedLayer: LayerName? { port == nil ? nil : layer }
}

extension [DecodeRule] {
    /// The rule for a conversation between two ports: the first that names one of them, otherwise the first for every conversation.
    func rule(for first: UInt16, _ second: UInt16) -> DecodeRule? {
        self.first { $0.port == first || $0.port == second } ?? self.first { $0.port == nil }
    }
}
