import Dissection

/// What a client of XMPP says to log in: `<response xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>` (RFC 6120, section 6.4.3), and `<initial-response>`
/// and `<response>` of SASL 2 (XEP-0388).
enum SASLResponse {
    /// Whether an element of this name, with what stands after it in its start tag, holds one.
    static func isName(_ name: ArraySlice<UInt8>, _ attributes: ArraySlice<UInt8>) -> Bool {
        guard name.suffix(8).elementsEqual("response".utf8) else { return false }
        if name.elementsEqual("initial-response".utf8) { return true }
        return attributes.indices.contains { attributes[$0...].starts(with: "sasl".utf8) }
    }
}
