/// What a user says that a conversation is, instead of recognition.
public enum ForcedLayer: String, Sendable, CaseIterable {
    case http
    case webSocket = "websocket"
    case tls
    /// Bytes, not looked into.
    case data

    var layer: LayerStack.Current {
        switch self {
        case .http: .http1
        case .webSocket: .webSocket
        case .tls: .tls
        case .data: .opaque
        }
    }
}
