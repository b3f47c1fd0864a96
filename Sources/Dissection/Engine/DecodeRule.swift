/// What the user said about a port: what is spoken there, whatever recognition would say.
public struct DecodeRule: Sendable, Hashable {
    public var port: UInt16
    public var layer: LayerName

    public init(port: UInt16, layer: LayerName) {
        self.port = port
        self.layer = layer
    }
}
