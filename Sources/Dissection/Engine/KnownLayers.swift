extension LayerTable {
    /// The layers that we have. A new one is a folder under `Layers` and a row here.
    ///
    /// They are asked in this order whether the first bytes are theirs.
    public static let standard = LayerTable(
        [
            LayerRow(ProxyHeaderLayer.self),
            LayerRow(HTTP2Layer<Reader>.self),
            LayerRow(HTTP1Layer.self),
            LayerRow(TLSLayer<Reader>.self),
            LayerRow(WebSocketLayer.self),
            LayerRow(OpaqueLayer<Reader>.self),
        ], protocols: FramedProtocol.grammars)
}
