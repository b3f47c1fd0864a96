/// The parameters of permessage-deflate in an offer or an answer (RFC 7692, section 7.1).
struct DeflateParameters: Equatable, Sendable {
    var serverResets = false
    var clientResets = false
    /// Absent where the parameter is.
    var serverWindowBits: UInt8?
    /// Absent where the parameter is or has no value.
    var clientWindowBits: UInt8?
    /// client_max_window_bits is there, with or without a value.
    var limitsClientWindow = false
    /// Unknown or repeated parameters, values out of range, missing or too many.
    var isValid = true

    static let name = Array("permessage-deflate".utf8)[...]

    init(_ element: WebSocketExtension, isAnswer: Bool) {
        var seen: Set<ArraySlice<UInt8>> = []
        for parameter in element.parameters {
            // One that is not known is invalid without being there twice.
            switch parameter.name {
            case DeflateParameters.serverNoTakeover:
                serverResets = true
                if parameter.value != nil { isValid = false }
            case DeflateParameters.clientNoTakeover:
                clientResets = true
                if parameter.value != nil { isValid = false }
            case DeflateParameters.serverBits:
                serverWindowBits = DeflateParameters.bits(parameter.value)
                if serverWindowBits == nil { isValid = false }
            case DeflateParameters.clientBits:
                limitsClientWindow = true
                clientWindowBits = DeflateParameters.bits(parameter.value)
                // Section 7.1.2.2: only an offer may leave the value out.
                if clientWindowBits == nil, isAnswer || parameter.value != nil { isValid = false }
            default:
                isValid = false
                continue
            }
            if !seen.insert(parameter.name).inserted { isValid = false }
        }
    }

    private static let serverNoTakeover = Array("server_no_context_takeover".utf8)[...]
    private static let clientNoTakeover = Array("client_no_context_takeover".utf8)[...]
    private static let serverBits = Array("server_max_window_bits".utf8)[...]
    private static let clientBits = Array("client_max_window_bits".utf8)[...]

    /// A decimal number from 8 to 15 without leading zeros (section 7.1.2).
    private static func bits(_ text: ArraySlice<UInt8>?) -> UInt8? {
        guard let text, text.count <= 2 else { return nil }
        let value = Array(text)
        if value.count == 1, value[0] == UInt8(ascii: "8") || value[0] == UInt8(ascii: "9") { return value[0] - UInt8(ascii: "0") }
        guard value.count == 2, value[0] == UInt8(ascii: "1"), (UInt8(ascii: "0")...UInt8(ascii: "5")).contains(value[1]) else {
            return nil
        }
        return 10 + value[1] - UInt8(ascii: "0")
    }

    /// Whether an answer agrees to this offer (sections 7.1.1 and 7.1.2).
    func allows(_ answer: DeflateParameters) -> Bool {
        if serverResets, !answer.serverResets { return false }
        if let most = serverWindowBits {
            guard let agreed = answer.serverWindowBits, agreed <= most else { return false }
        }
        // A server limits the client's window only where the client said that it can.
        if answer.limitsClientWindow, !limitsClientWindow { return false }
        if let most = clientWindowBits, let agreed = answer.clientWindowBits, agreed > most { return false }
        return true
    }

    /// What an answer comes to.
    var compression: Upgrade.Compression {
        Upgrade.Compression(
            clientTakeover: !clientResets, serverTakeover: !serverResets, clientWindowBits: clientWindowBits ?? 15,
            serverWindowBits: serverWindowBits ?? 15)
    }
}
