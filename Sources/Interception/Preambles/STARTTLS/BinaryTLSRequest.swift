/// The requests for TLS that are no lines: those of PostgreSQL and of LDAP. It reads the first message of the client, in PostgreSQL also
/// the one after a refusal.
struct BinaryTLSRequest: Sendable {
    enum ClientVerdict {
        case undecided
        case request
        /// It is no such request; another protocol may be.
        case none
        /// It is PostgreSQL, and goes on without TLS.
        case never
    }

    enum ServerVerdict {
        case undecided
        case agreed
        /// The client may ask for something else.
        case declined
        /// It will not be asked again.
        case never
    }

    private enum Kind { case unknown, postgres, ldap, other }

    /// Length 8 and code 80877103 (PostgreSQL, "SSL Session Encryption"); 80877104 asks for GSSAPI, and is answered in the same way.
    private static let sslRequest: [UInt8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]
    private static let gssRequest: [UInt8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x30]
    /// RFC 4511, section 4.14.1.
    private static let startTLS = Array("1.3.6.1.4.1.1466.20037".utf8)
    /// The request has 31 bytes unless its numbers are padded; an answer has its result in the first 40.
    private static let longest = 64

    private var kind = Kind.unknown
    private var client: [UInt8] = []
    private var server: [UInt8] = []
    /// The client has asked, and is not answered.
    private var isAsked = false

    /// The first byte of either request.
    static func mayBegin(_ byte: UInt8) -> Bool { byte == 0 || byte == 0x30 }

    /// The conversation may be one of these.
    var isSpoken: Bool { kind == .postgres || kind == .ldap }

    mutating func takeClient(_ byte: UInt8) -> ClientVerdict {
        if kind == .unknown { kind = byte == 0 ? .postgres : byte == 0x30 ? .ldap : .other }
        guard kind != .other else { return .none }
        if isAsked {
            // It did not wait for the answer.
            return give()
        }
        client.append(byte)
        switch kind {
        case .postgres:
            guard client.count == 8 else { return .undecided }
            let message = client
            client = []
            guard message == BinaryTLSRequest.sslRequest || message == BinaryTLSRequest.gssRequest else { return .never }
            isAsked = message == BinaryTLSRequest.sslRequest
            return isAsked ? .request : .undecided
        case .ldap:
            guard let message = BinaryTLSRequest.message(client) else {
                return client.count < BinaryTLSRequest.longest ? .undecided : give()
            }
            // [APPLICATION 23] ExtendedRequest with requestName [0].
            guard message.operation == 0x77, message.content.starts(with: [0x80, 22] + BinaryTLSRequest.startTLS) else { return give() }
            isAsked = true
            return .request
        case .unknown, .other: return .none
        }
    }

    mutating func takeServer(_ byte: UInt8) -> ServerVerdict {
        guard isAsked else { return .declined }
        switch kind {
        case .postgres:
            isAsked = false
            // N: the client may go on without TLS, or ask for something else.
            return byte == UInt8(ascii: "S") ? .agreed : .declined
        case .ldap:
            server.append(byte)
            let message = BinaryTLSRequest.message(server)
            if message == nil, server.count < 4 * BinaryTLSRequest.longest, server[0] == 0x30 { return .undecided }
            _ = give()
            // [APPLICATION 24] ExtendedResponse; resultCode ENUMERATED success.
            guard let message, message.operation == 0x78 else { return .never }
            return message.content.starts(with: [0x0A, 1, 0]) ? .agreed : .never
        case .unknown, .other: return .declined
        }
    }

    private mutating func give() -> ClientVerdict {
        kind = .other
        isAsked = false
        client = []
        server = []
        return .none
    }

    /// The operation of a whole LDAPMessage (RFC 4511, section 4.1.1): SEQUENCE { messageID INTEGER, protocolOp, … }.
    private static func message(_ bytes: [UInt8]) -> (operation: UInt8, content: ArraySlice<UInt8>)? {
        guard let whole = element(bytes[...]), whole.tag == 0x30, let number = element(whole.content), number.tag == 0x02,
            let operation = element(whole.content[number.content.endIndex...])
        else { return nil }
        return (operation.tag, operation.content)
    }

    /// One element of BER: a tag of one byte, a length of one to five, as much content.
    private static func element(_ bytes: ArraySlice<UInt8>) -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard bytes.count >= 2, let tag = bytes.first else { return nil }
        var start = bytes.startIndex + 2
        var length = Int(bytes[start - 1])
        if length >= 0x80 {
            let digits = length - 0x80
            guard (1...4).contains(digits), bytes.endIndex - start >= digits else { return nil }
            length = bytes[start..<start + digits].reduce(0) { $0 << 8 | Int($1) }
            start += digits
        }
        guard bytes.endIndex - start >= length else { return nil }
        return (tag, bytes[start..<start + length])
    }
}
