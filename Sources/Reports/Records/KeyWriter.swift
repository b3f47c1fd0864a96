import Dissection

/// Writes the keys of a fact that is visited.
struct KeyWriter: FieldVisitor, ~Copyable, ~Escapable {
    private var buffer: OutputBuffer
    private let content: RecordContent
    private var isLatin1 = false
    /// Where the keys of the object begin.
    private var start = 0

    @_lifetime(copy content)
    init(_ buffer: consuming OutputBuffer, _ content: RecordContent) {
        self.buffer = buffer
        self.content = content
    }

    consuming func finish() -> OutputBuffer { buffer }

    @inline(__always)
    mutating func take(_ field: Field, _ value: KeyValue) -> KeyValue {
        switch value {
        case .word(let word, _), .label(let word?, _): buffer.append(field, word: word)
        case .number(let number?): buffer.append(field, decimal: number)
        case .seconds(let time?): buffer.append(field, secondsOf: time)
        case .flag(let flag?): buffer.append(field, flag)
        case .code(let number?, let registry): buffer.append(field, number, of: registry)
        case .address(let address): if address.family != .none { buffer.append(field, address) }
        case .text(let range, .one): buffer.append(field, content.part(range), latin1: &isLatin1)
        case .text(let range, .names): buffer.appendNames(field, content.part(range), latin1: &isLatin1)
        case .text(let range, .certificates): buffer.appendCertificates(field, content.part(range), latin1: &isLatin1)
        case .headers(let range?): buffer.append(field, linesAt: range, content, latin1: &isLatin1)
        case .latin1: buffer.append(field, ifTrue: isLatin1)
        case .label, .number, .seconds, .flag, .code, .headers: break
        }
        return value
    }

    @inline(__always)
    mutating func begin(_ field: Field, isThere: Bool) -> Bool {
        guard isThere else { return false }
        buffer.append(field)
        start = buffer.count
        return true
    }

    @inline(__always)
    mutating func end() { buffer.closeObject(from: start) }
}

extension OutputBuffer {
    /// Appends the keys of a fact.
    mutating func appendKeys(of fact: some FieldedFact, _ content: RecordContent) {
        var fact = fact
        var writer = KeyWriter(consume self, content)
        fact.visit(&writer)
        self = writer.finish()
    }

    /// Appends names that stand one after another, each after a length byte; nothing where there are none.
    fileprivate mutating func appendNames(_ field: Field, _ list: RawSpan, latin1: inout Bool) {
        var names = OfferedProtocols(list)
        var isFirst = true
        while let name = names.next() {
            if isFirst { append(field) }
            append(isFirst ? "[" : ",")
            appendString(name, latin1: &latin1)
            isFirst = false
        }
        if !isFirst { append(0x5d) }
    }

    /// Appends a TLS value by its name, or as `0x1301` where it has none.
    fileprivate mutating func append(_ field: Field, _ value: UInt16, of registry: TLSRegistry) {
        append(field)
        append(0x22)
        if let name = registry.name(of: value) {
            append(utf8: name)
        } else {
            append("0x")
            append(hex: UInt64(value), width: 4)
        }
        append(0x22)
    }

    fileprivate mutating func append(_ field: Field, _ address: IPAddress) {
        append(field)
        append(0x22)
        append(address)
        append(0x22)
    }
}
