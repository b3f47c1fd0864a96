/// What a header block says, and what is odd about it (RFC 9113, sections 8.2 and 8.3).
struct HTTP2Head {
    enum Kind {
        case request
        case response
        case trailers
        /// Whether it has a method or a status is among what is not known.
        case unknown
    }

    private(set) var kind = Kind.trailers
    /// The values of the pseudo-header fields, as ranges of the list's bytes.
    private(set) var method: Range<Int>?
    private(set) var path: Range<Int>?
    private(set) var authority: Range<Int>?
    private(set) var scheme: Range<Int>?
    private(set) var protocolName: Range<Int>?
    private(set) var status: UInt16?
    private(set) var host: Range<Int>?
    private(set) var content = HTTP2Content()
    /// Of a gRPC call: how long its client waits for it, in nanoseconds.
    private(set) var deadline: Int64?
    /// How a gRPC call has ended; nil where it is not said.
    private(set) var callStatus: UInt64?
    /// What the server says of how it ended (`grpc-message`), as a range of the list's bytes.
    private(set) var callMessage: Range<Int>?
    /// Something says how the call has ended.
    private(set) var hasCallStatus = false
    /// What is wrong, each with the field that it was found in first.
    private(set) var faults: [(row: FindingRow, name: Range<Int>)] = []
    private let mayHaveRawMetadata: Bool

    /// A field has bytes that cannot stand in the lines of a head.
    var losesBytes: Bool { faults.contains { $0.row == .http2FieldInvalid } }

    /// - Parameter mayHaveRawMetadata: `-bin` fields of gRPC may be raw.
    init(_ list: FieldList, mayHaveRawMetadata: Bool = false) {
        self.mayHaveRawMetadata = mayHaveRawMetadata
        let bytes = list.bytes.rawBytes
        var hasRegular = false
        var seen = HTTP2Pseudo()
        for field in list.fields {
            if field.isUnknown { continue }
            let name = bytes.extracting(field.name)
            guard name.byteCount > 0, name[0] == UInt8(ascii: ":") else {
                hasRegular = true
                take(name, field, bytes)
                continue
            }
            if hasRegular { note(.http2PseudoOrder, field) }
            let pseudo = HTTP2Pseudo(name)
            if pseudo.isEmpty { note(.http2PseudoUnknown, field) }
            if !pseudo.isDisjoint(with: seen) { note(.http2PseudoRepeated, field) }
            seen.formUnion(pseudo)
            judgeValue(bytes, field)
            switch pseudo {
            case .method: method = method ?? field.value
            case .path: path = path ?? field.value
            case .authority: authority = authority ?? field.value
            case .scheme: scheme = scheme ?? field.value
            case .protocolName: protocolName = protocolName ?? field.value
            case .status: status = status ?? HTTP2Head.status(bytes.extracting(field.value))
            case _: continue
            }
        }
        if seen.contains(.status) {
            kind = .response
            if !seen.isDisjoint(with: .ofRequests) { faults.append((.http2PseudoMisplaced, 0..<0)) }
        } else if !seen.isDisjoint(with: .ofRequests) {
            kind = .request
        } else if list.unknown > 0 {
            kind = .unknown
        }
        if kind == .request, list.unknown == 0, list.omitted == 0 { judgeRequest(seen, bytes) }
    }

    /// The block is none of a request, but ends one: its pseudo-header fields are wrong, and none of them is missing.
    mutating func becomeTrailers(_ list: FieldList) {
        kind = .trailers
        let ofRequests: [FindingRow] = [
            .http2PseudoMissing, .http2PseudoMisplaced, .http2PathEmpty, .http2PathInvalid, .http2MethodInvalid, .http2AuthorityUserinfo,
            .http2HostDiffers,
        ]
        faults.removeAll { ofRequests.contains($0.row) }
        let bytes = list.bytes.rawBytes
        guard let field = list.fields.first(where: { !HTTP2Pseudo(bytes.extracting($0.name)).isEmpty }) else { return }
        faults.append((.http2TrailersPseudo, field.name))
    }

    /// What a request has to have (section 8.3.1; section 8.5 of CONNECT, RFC 8441 of its extension).
    private mutating func judgeRequest(_ seen: HTTP2Pseudo, _ bytes: RawSpan) {
        let isConnect = method.map { bytes.extracting($0).isText("CONNECT") } ?? false
        let required: HTTP2Pseudo =
            isConnect && !seen.contains(.protocolName) ? [.method, .authority] : [.method, .scheme, .path]
        if !seen.isSuperset(of: required) { faults.append((.http2PseudoMissing, 0..<0)) }
        if isConnect, !seen.contains(.protocolName), !seen.isDisjoint(with: [.scheme, .path]) {
            faults.append((.http2PseudoMisplaced, 0..<0))
        }
        if let path, path.isEmpty, !isConnect { faults.append((.http2PathEmpty, 0..<0)) }
        if let method, !bytes.extracting(method).isToken { faults.append((.http2MethodInvalid, method)) }
        judgeURL(bytes, isConnect: isConnect && !seen.contains(.protocolName))
        let port = defaultPort(bytes)
        if let host, let authority,
            !bytes.extracting(host).withoutPort(port).isSame(as: bytes.extracting(authority).withoutPort(port))
        {
            faults.append((.http2HostDiffers, host))
        }
    }

    /// The port of the scheme, which an authority has without saying so (RFC 9110, section 4.2.3).
    private func defaultPort(_ bytes: RawSpan) -> StaticString? {
        guard let scheme else { return nil }
        let name = bytes.extracting(scheme)
        return name.isText("https") ? ":443" : name.isText("http") ? ":80" : nil
    }

    /// What is asked of the parts of an http or https URL (section 8.3.1).
    private mutating func judgeURL(_ bytes: RawSpan, isConnect: Bool) {
        guard let scheme, bytes.extracting(scheme).isText("http") || bytes.extracting(scheme).isText("https"), !isConnect else { return }
        if let path, !path.isEmpty, bytes[path.lowerBound] != UInt8(ascii: "/") {
            let isAll = bytes.extracting(path).isText("*") && method.map { bytes.extracting($0).isText("OPTIONS") } == true
            if !isAll { faults.append((.http2PathInvalid, path)) }
        }
        if let authority, authority.contains(where: { bytes[$0] == UInt8(ascii: "@") }) { faults.append((.http2AuthorityUserinfo, 0..<0)) }
    }

    private mutating func take(_ name: RawSpan, _ field: FieldList.Field, _ bytes: RawSpan) {
        judgeName(name, field)
        judgeValue(bytes, field)
        let value = bytes.extracting(field.value)
        switch name.byteCount {
        case 2 where name.isText("te"): if !value.equals("trailers", in: 0..<value.byteCount) { note(.http2ConnectionField, field) }
        case 4 where name.isText("host"): host = host ?? field.value
        case 7 where name.isText("upgrade"): note(.http2ConnectionField, field)
        case 10 where name.isText("connection") || name.isText("keep-alive"): note(.http2ConnectionField, field)
        case 11 where name.isText("grpc-status"):
            hasCallStatus = true
            callStatus = HeaderValidator.decimal(value, 0..<value.byteCount)
        case 12 where name.isText("grpc-message"): callMessage = callMessage ?? field.value
        case 12 where name.isText("grpc-timeout"): deadline = CallDeadline.nanoseconds(value)
        case 12 where name.isText("content-type"):
            content.streams = BodyPart.Element(contentType: bytes, ByteRange(field.value))
            content.isCall = value.isCallType
        case 14 where name.isText("content-length"):
            content.length = HeaderValidator.decimal(value, 0..<value.byteCount)
            if content.length == nil { note(.http2ContentLengthInvalid, field) }
        case 16 where name.isText("content-encoding"):
            var elements = ListElements(in: bytes, at: ByteRange(field.value))
            while let element = elements.next() {
                if bytes.equals("identity", in: element) { continue }
                content.codings.append(ContentCoding(bytes, element))
            }
        case 16 where name.isText("proxy-connection"): note(.http2ConnectionField, field)
        case 17 where name.isText("transfer-encoding"): note(.http2ConnectionField, field)
        default: return  // No other field says how the message is read.
        }
    }

    /// Section 8.2.1, of a name.
    private mutating func judgeName(_ name: RawSpan, _ field: FieldList.Field) {
        if name.byteCount == 0 { return note(.http2FieldInvalid, field) }
        for index in 0..<name.byteCount {
            let byte = name[index]
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) { return note(.http2NameUpperCase, field) }
            if byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: ":") { return note(.http2FieldInvalid, field) }
        }
    }

    /// The bytes of a `-bin` field of gRPC that is not in base64: they stand after a NUL, which no base64 has. So do the programs write them that are
    /// made with gRPC's C core, to peers that have announced that they take them.
    static func rawMetadata(_ bytes: RawSpan, _ field: FieldList.Field) -> Range<Int>? {
        guard field.value.count > 0, bytes[field.value.lowerBound] == 0, field.name.count > 4 else { return nil }
        guard bytes.extracting(field.name.upperBound - 4..<field.name.upperBound).isText("-bin") else { return nil }
        return field.value.lowerBound + 1..<field.value.upperBound
    }

    /// Section 8.2.1, of a value.
    private mutating func judgeValue(_ bytes: RawSpan, _ field: FieldList.Field) {
        if mayHaveRawMetadata, HTTP2Head.rawMetadata(bytes, field) != nil { return }
        for index in field.value where bytes[index] == 0 || bytes[index] == 0x0A || bytes[index] == 0x0D {
            return note(.http2FieldInvalid, field)
        }
        guard let last = field.value.last else { return }
        let first = field.value.lowerBound
        if bytes[first].isSpaceOrTab || bytes[last].isSpaceOrTab { note(.http2FieldInvalid, field) }
    }

    private mutating func note(_ row: FindingRow, _ field: FieldList.Field) {
        guard !faults.contains(where: { $0.row == row }) else { return }
        faults.append((row, field.name))
    }

    /// Three digits (section 8.3.2).
    private static func status(_ value: RawSpan) -> UInt16 {
        guard value.byteCount == 3, let number = HeaderValidator.decimal(value, 0..<3) else { return 0 }
        return UInt16(truncatingIfNeeded: number)
    }
}

/// The pseudo-header fields (RFC 9113, section 8.3; RFC 8441, section 4).
struct HTTP2Pseudo: OptionSet {
    let rawValue: UInt8
    static let method = HTTP2Pseudo(rawValue: 1)
    static let path = HTTP2Pseudo(rawValue: 2)
    static let authority = HTTP2Pseudo(rawValue: 4)
    static let scheme = HTTP2Pseudo(rawValue: 8)
    static let protocolName = HTTP2Pseudo(rawValue: 16)
    static let status = HTTP2Pseudo(rawValue: 32)
    static let ofRequests: HTTP2Pseudo = [.method, .path, .authority, .scheme, .protocolName]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// That of a name; none where the name is not known.
    init(_ name: RawSpan) {
        switch name.byteCount {
        case 5 where name.isText(":path"): self = .path
        case 7 where name.isText(":method"): self = .method
        case 7 where name.isText(":scheme"): self = .scheme
        case 7 where name.isText(":status"): self = .status
        case 9 where name.isText(":protocol"): self = .protocolName
        case 10 where name.isText(":authority"): self = .authority
        default: self = []
        }
    }
}

extension RawSpan {
    /// Whether the bytes are these letters, in just this case.
    func isText(_ text: StaticString) -> Bool {
        guard byteCount == text.utf8CodeUnitCount else { return false }
        // A static string has as many bytes as it says.
        for index in 0..<byteCount where unsafe self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Whether they are a token (RFC 9110, section 5.6.2).
    fileprivate var isToken: Bool {
        for index in 0..<byteCount where !self[index].isTokenCharacter { return false }
        return byteCount > 0
    }

    /// Whether they are a content type of gRPC over HTTP/2: `application/grpc`, with `+proto` or the like, or parameters.
    fileprivate var isCallType: Bool {
        let name: StaticString = "application/grpc"
        let length = name.utf8CodeUnitCount
        guard byteCount >= length else { return false }
        for index in 0..<length where unsafe self[index].lowercased != name.utf8Start[index] { return false }
        return byteCount == length || self[length] == UInt8(ascii: "+") || self[length] == UInt8(ascii: ";")
    }

    /// An authority without its port, where that is the one of its scheme, or empty (RFC 3986, section 6.2.3).
    ///
    /// - Parameter port: with its colon; nil where the scheme is none whose port is known.
    @_lifetime(copy self)
    fileprivate func withoutPort(_ port: StaticString?) -> RawSpan {
        guard let port, byteCount > 0 else { return self }
        if self[byteCount - 1] == UInt8(ascii: ":") { return extracting(0..<byteCount - 1) }
        let start = byteCount - port.utf8CodeUnitCount
        guard start > 0, suffix(from: start).isText(port) else { return self }
        return extracting(0..<start)
    }

    /// Whether the bytes are the same, but for the case of letters.
    fileprivate func isSame(as other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        for index in 0..<byteCount where self[index].lowercased != other[index].lowercased { return false }
        return true
    }
}
