/// What a layer is called: by `--decode-as`, and by a layer that hands over to it.
///
/// Open: a layer that is added brings a name of its own (`LayerRow`). These are the ones that others hand over to, or ask for.
public struct LayerName: Hashable, Sendable {
    /// In lower case, as a user writes it.
    public let text: String

    public init(_ text: String) { self.text = text }

    public static var http: LayerName { LayerName("http") }
    public static var http2: LayerName { LayerName("http2") }
    public static var webSocket: LayerName { LayerName("websocket") }
    public static var tls: LayerName { LayerName("tls") }
    /// Bytes that nothing reads: they are shown as they come.
    public static var data: LayerName { LayerName("data") }
}
