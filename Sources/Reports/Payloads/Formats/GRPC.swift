import Dissection

/// Messages of gRPC over HTTP/2 (grpc/grpc, PROTOCOL-HTTP2.md), and as gRPC-Web carries them over HTTP/1 (PROTOCOL-WEB.md): each with a flag and
/// its length before it. How a call ended stands in the trailers, which of gRPC-Web are the last of the messages. The base64 of
/// `grpc-web-text` is undone, piece by piece.
enum GRPC: PayloadFormat {
    static var name: StaticString { "grpc" }
    static var keys: [StaticString] {
        [
            "service", "method", "length", "compressed", "message", "messages", "status", "statusName", "statusMessage", "trailers",
        ]
    }

    private static let mostMessages = 1_000

    static let occasions: PayloadOccasions = [.body, .head]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.carrier == .body || context.carrier == .head else { return .no }
        return isText(context) || isBinary(context) ? .typed : .no
    }

    private static func isBinary(_ context: PayloadContext) -> Bool {
        isOverHTTP2(context) || context.isOfType("application/grpc-web") || context.isOfType("application/grpc-web+proto")
            || context.isOfType("application/grpc-web+json")
    }

    private static func isOverHTTP2(_ context: PayloadContext) -> Bool {
        context.isOfType("application/grpc") || context.isOfType("application/grpc+proto") || context.isOfType("application/grpc+json")
    }

    private static func isText(_ context: PayloadContext) -> Bool {
        context.isOfType("application/grpc-web-text") || context.isOfType("application/grpc-web-text+proto")
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        addMethod(context, into: &decoded)
        if context.carrier == .head {
            // The fields stand in the record by themselves.
            _ = status(context.trailers.rawBytes, at: nil, into: &decoded)
            return
        }
        if bytes.isEmpty, !context.trailers.isEmpty, isOverHTTP2(context) {
            decoded.note("trailers", status(context.trailers.rawBytes, at: nil, into: &decoded))
            return
        }
        guard isText(context) else { return messages(bytes, in: context, into: &decoded) }
        let plain = Base64.decodeJoined(bytes)
        messages(plain.bytes.rawBytes, in: context, into: &decoded)
        decoded.unwrap(at: 0..<bytes.byteCount)
        if let position = plain.problem, !decoded.hasStopped { decoded.stop("it is not valid base64", at: position) }
    }

    /// The service and the method, which are the path.
    private static func addMethod(_ context: PayloadContext, into decoded: inout DecodedPayload) {
        let parts = String(decoding: context.path.copy, as: UTF8.self).split(separator: "/")
        guard parts.count >= 2 else { return }
        let (service, method) = (parts[parts.count - 2], parts[parts.count - 1])
        decoded.note("service", .word(String(service)))
        decoded.note("method", .word(String(method)))
        decoded.say("\(service)/\(method)".utf8)
    }

    private static func messages(_ bytes: RawSpan, in context: PayloadContext, into decoded: inout DecodedPayload) {
        var told: [DecodedPayload.Value.Member] = []
        var trailers: (value: DecodedPayload.Value, range: Range<Int>)?
        var problem: PayloadProblem?
        var start = 0
        var room = mostInflated
        while start < bytes.byteCount, problem == nil {
            guard bytes.byteCount - start >= 5 else {
                problem = PayloadProblem(reason: "it ends in the head of a message", position: start)
                break
            }
            let (flags, length) = (bytes[start], Int(bytes.bigEndianUInt32(at: start + 1)))
            let content = start + 5
            if flags & 0x7e != 0 {
                problem = PayloadProblem(reason: "a message has flags that are reserved", position: start)
            } else if trailers != nil {
                problem = PayloadProblem(reason: "something follows the trailers", position: start)
            } else if length > bytes.byteCount - content {
                problem = PayloadProblem(reason: "a length is larger than what is left", position: start)
            } else if told.count == mostMessages {
                problem = PayloadProblem(reason: "it has more than 1000 messages", position: start)
            } else if flags & 0x80 != 0 {
                trailers = (status(bytes.extracting(content..<content + length), at: content, into: &decoded), content..<content + length)
            } else {
                let (members, trouble) = message(bytes, content..<content + length, isCompressed: flags & 1 != 0, room: &room, in: context)
                told.append(.init([], .object(members), at: start..<content + length))
                say(members, into: &decoded)
                problem = trouble
            }
            if problem == nil { start = content + length }
        }
        if told.count == 1, case .object(let only) = told[0].value {
            decoded.add(only)
        } else if !told.isEmpty {
            decoded.add("messages", .items(told), at: told.place)
        }
        if let trailers { decoded.add("trailers", trailers.value, at: trailers.range) }
        if trailers == nil, !context.trailers.isEmpty, isOverHTTP2(context) {
            decoded.note("trailers", status(context.trailers.rawBytes, at: nil, into: &decoded))
        }
        if let problem { decoded.stop(problem.reason, at: problem.position) }
    }

    /// The keys of one message.
    ///
    /// - Parameter room: bytes that are left for what compressed messages come to.
    private static func message(
        _ bytes: RawSpan, _ range: Range<Int>, isCompressed: Bool, room: inout Int, in context: PayloadContext
    ) -> (members: [DecodedPayload.Value.Member], problem: PayloadProblem?) {
        var members: [DecodedPayload.Value.Member] = [
            .init("length", .number(UInt64(range.count)), at: range.lowerBound - 4..<range.lowerBound),
            .init("compressed", .flag(isCompressed), at: range.lowerBound - 5..<range.lowerBound - 4),
        ]
        guard isCompressed else {
            let (content, problem) = content(bytes, range, in: context)
            members.append(.init("message", .object(content), at: range))
            return (members, problem)
        }
        guard let plain = inflated(bytes.extracting(range), room: &room) else {
            members.append(.init("message", .binary(UInt64(range.count)), at: range))
            return (members, nil)
        }
        // All of it stands where what was compressed does; what is wrong in it has no place of its own.
        let content = content(plain.rawBytes, 0..<plain.count, in: context).members
        members.append(.init("message", .object(content).placed(at: ByteRange(range)), at: range))
        return (members, nil)
    }

    /// What a message says, as protobuf, or as JSON where the content type says so or it is nothing else: a codec of the app's own need not
    /// name itself (PROTOCOL-HTTP2.md, "Content-Type").
    private static func content(
        _ bytes: RawSpan, _ range: Range<Int>, in context: PayloadContext
    ) -> (members: [DecodedPayload.Value.Member], problem: PayloadProblem?) {
        // A protobuf would begin with a group, which has long been given up.
        var isJSON = context.isOfSuffix("+json")
        if !isJSON, !range.isEmpty, bytes[range.lowerBound] == UInt8(ascii: "{"), case .json = bytes.extracting(range).asContent {
            isJSON = true
        }
        if isJSON {
            return ([.init(noted: "as", .word("json")), .init("value", .json(bytes.extracting(range).copy), at: range)], nil)
        }
        let method = context.schema?.method(at: String(decoding: context.path.copy, as: UTF8.self))
        let type = method.map { context.from == .client ? $0.request : $0.response }
        let (members, problem) = Protobuf.read(bytes, range, as: type, context.schema, context.bindings)
        return ([.init(noted: "as", .word("protobuf"))] + members, problem)
    }

    private static func say(_ members: [DecodedPayload.Value.Member], into decoded: inout DecodedPayload) {
        guard decoded.summary.count < 512, case .object(let content)? = members.last?.value else { return }
        decoded.say("  ")
        if content[0].value == .word("protobuf") {
            Protobuf.say(Array(content.dropFirst()), into: &decoded)
        } else if content.count > 1 {
            decoded.say(value: content[1].value)
        }
    }

    /// Adds how the call ended. Returns the trailers.
    ///
    /// - Parameter start: where they stand in the payload; nil where they do not.
    private static func status(_ bytes: RawSpan, at start: Int?, into decoded: inout DecodedPayload) -> DecodedPayload.Value {
        func add(_ key: StaticString, _ value: DecodedPayload.Value, _ range: ByteRange) {
            guard let start else { return decoded.note(key, value) }
            decoded.add(key, value, at: start + range.start..<start + range.end)
        }
        var lines = HeaderFields(in: bytes, at: ByteRange(0..<bytes.byteCount))
        var fields: [DecodedPayload.Value.Field] = []
        while let line = lines.next(), fields.count < mostMessages {
            let (name, value) = (bytes.extracting(line.name.start..<line.name.end), bytes.extracting(line.value.start..<line.value.end))
            fields.append(.init(name.copy, value.copy, at: line.name.start..<line.value.end))
            if name.isWord("grpc-status") {
                guard let status = callStatus(value) else { continue }
                add("status", .number(UInt64(status.number)), line.value)
                if let name = status.name { add("statusName", .word(name.description), line.value) }
                decoded.say("  status \(status.number)".utf8)
                if let name = status.name { decoded.say(" \(name)".utf8) }
            } else if name.isWord("grpc-message"), !value.isEmpty {
                let message = value.percentDecoded()
                add("statusMessage", .text(message), line.value)
                decoded.say(": ", message.prefix(512))
            }
        }
        let told = DecodedPayload.Value.fields(fields)
        return start.map { told.moved(by: $0) } ?? told.placeless
    }

    /// How a call ended, of a `grpc-status`; nil for what is no number.
    static func callStatus(_ value: RawSpan) -> (number: Int, name: StaticString?)? {
        guard value.byteCount <= 3, let number = Int(String(decoding: value.copy, as: UTF8.self)), number >= 0 else { return nil }
        return (number, statuses.indices.contains(number) ? statuses[number] : nil)
    }

    /// By their numbers (grpc/grpc, statuscodes.md).
    private static let statuses: [StaticString] = [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED",
    ]
}
