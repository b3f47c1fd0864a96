/// How a side ended what it sends, or the connection.
enum LegEnding {
    /// TLS close_notify: no more plaintext will come (RFC 8446, section 6.1). TCP is still open both ways.
    case closeNotify
    /// FIN, with or without a close_notify before it.
    case fin
    /// RST, or an error that ends the connection in the same way.
    case reset
}
