import Dissection

/// What a payload says, as keys and values in the order in which the format gives them.
package struct DecodedPayload: Sendable {
    package indirect enum Value: Equatable, Sendable {
        /// UTF-8, or else read as Latin-1.
        case text([UInt8])
        case word(String)
        case number(UInt64)
        case signed(Int64)
        case real(Double)
        case flag(Bool)
        case nothing
        /// Nanoseconds, written as seconds.
        case duration(Int64)
        /// JSON as it goes into the record. The range of its node covers all of it. Where the bytes there are the same, what is inside is found by
        /// a `JSONCursor`, from the start of the range; where they are not, it stands there in another form: escaped, in several lines, or as a
        /// part.
        case json([UInt8])
        /// Bytes that are not text: how many.
        case binary(UInt64)
        /// A list of what does not stand in the payload.
        /// A list whose elements know where they stand; their names are empty.
        case items([Member])
        case object([Member])
        /// Field lines, as `[[name, value], …]`.
        case fields([Field])

        /// A value inside of another.
        package struct Member: Equatable, Sendable {
            package var name: [UInt8]
            package var value: Value
            /// The bytes of the payload that say so; nil for what does not stand in it.
            package var range: ByteRange?

            package init(_ name: [UInt8], _ value: Value, in range: ByteRange?) {
                self.name = name
                self.value = value
                self.range = range
            }

            package init(_ name: [UInt8], _ value: Value, at range: Range<Int>) { self.init(name, value, in: ByteRange(range)) }

            package init(_ name: StaticString, _ value: Value, at range: Range<Int>) { self.init(name.bytes.copy, value, at: range) }

            /// What does not stand in the payload: it is known from elsewhere, or counted.
            package init(noted name: [UInt8], _ value: Value) { self.init(name, value, in: nil) }

            package init(noted name: StaticString, _ value: Value) { self.init(name.bytes.copy, value, in: nil) }
        }

        /// A field line.
        package struct Field: Equatable, Sendable {
            package var name: [UInt8]
            package var value: [UInt8]
            /// The bytes of the payload that say so; nil for what does not stand in it, such as trailers.
            package var range: ByteRange?

            package init(_ name: [UInt8], _ value: [UInt8], at range: Range<Int>) {
                self.name = name
                self.value = value
                self.range = ByteRange(range)
            }
        }

        package static func == (left: Value, right: Value) -> Bool {
            switch (left, right) {
            case (.text(let a), .text(let b)), (.json(let a), .json(let b)): a == b
            case (.word(let a), .word(let b)): a == b
            case (.number(let a), .number(let b)), (.binary(let a), .binary(let b)): a == b
            case (.signed(let a), .signed(let b)), (.duration(let a), .duration(let b)): a == b
            case (.real(let a), .real(let b)): a == b
            case (.flag(let a), .flag(let b)): a == b
            case (.nothing, .nothing): true
            case (.items(let a), .items(let b)): a == b
            case (.object(let a), .object(let b)): a == b
            case (.fields(let a), .fields(let b)): a == b
            default: false
            }
        }
    }

    /// One key, its value, and the bytes of the payload that say so.
    package struct Entry: Sendable {
        package var key: [UInt8]
        package var value: Value
        /// Nil for what does not stand in the payload.
        package var range: ByteRange?
    }

    /// The format's name.
    package private(set) var format: StaticString
    /// What is known of the format; nil of what is a part of a payload.
    var traits: (any FormatTraits.Type)?
    package internal(set) var entries: [Entry] = []
    /// Some of the payload could not be read: for people the payload itself is shown then.
    package private(set) var hasStopped = false
    /// The payload is of this format because a rule, its sender or what was spoken before says so: why it cannot be read is worth a word to people.
    var isSure = false
    /// One line in the words of the protocol, for people; empty where the payload itself says it best.
    package var summary: [UInt8] = []
    /// Nothing is said beside the format: the payload itself says it all.
    var isBare: Bool { summary.isEmpty && entries.isEmpty }
    /// Where in the payload the bytes begin that a format reads now, where it reads a part of it.
    var base = 0

    init(format: StaticString, base: Int = 0) {
        self.format = format
        self.base = base
    }

    /// Adds a key, which is in lower camel case and was not added before.
    ///
    /// - Parameter range: the bytes that say so, of those that the format reads.
    package mutating func add(_ key: StaticString, _ value: Value, at range: Range<Int>) {
        insert(Entry(key: key.bytes.copy, value: value.moved(by: base), range: ByteRange(range).moved(by: base)))
    }

    /// Adds a key of which the payload itself does not have the value: it is known from before or from elsewhere, counted, or named by a number.
    package mutating func note(_ key: StaticString, _ value: Value) { insert(Entry(key: key.bytes.copy, value: value, range: nil)) }

    private mutating func insert(_ entry: Entry) {
        // Why it stopped stands last.
        entries.insert(entry, at: entries.count - (hasStopped ? 2 : 0))
    }

    /// Adds keys that were put together before.
    package mutating func add(_ members: [Value.Member]) {
        for member in members {
            let moved = member.moved(by: base)
            entries.append(Entry(key: moved.name, value: moved.value, range: moved.range))
        }
    }

    /// The format can read no further than up to the byte `position` of the payload. Only the first time counts.
    package mutating func stop(_ reason: StaticString, at position: Int) {
        guard !hasStopped else { return }
        note("error", .text(Array(reason.description.utf8)))
        note("at", .number(UInt64(max(0, base + position))))
        hasStopped = true
    }

    /// Why the payload could not be read to its end, and at which of its bytes; nil where it could.
    var problem: (reason: [UInt8], position: UInt64)? {
        guard hasStopped, entries.count >= 2, case .text(let reason) = entries[entries.count - 2].value,
            case .number(let position) = entries[entries.count - 1].value
        else { return nil }
        return (reason, position)
    }

    /// What a part of the payload says is read no further: neither is the payload.
    mutating func stop(like part: DecodedPayload) {
        guard !hasStopped, part.hasStopped else { return }
        hasStopped = true
        for entry in part.entries.suffix(2) { entries.append(entry) }
    }

    /// What it says beside why it can be read no further.
    var withoutProblem: DecodedPayload {
        guard hasStopped else { return self }
        var said = self
        said.entries.removeLast(2)
        said.hasStopped = false
        return said
    }

    /// Adds that another format was tried before, and why it gave up.
    mutating func note(failed other: DecodedPayload) {
        var members: [Value.Member] = [.init(noted: "as", .word(other.format.description))]
        members += other.entries.suffix(2).map { .init(noted: $0.key, $0.value) }
        note("failed", .object(members))
    }

    /// Gives the layer of the format that it is, where one has several: Engine.IO under Socket.IO.
    mutating func rename(_ layer: any FormatTraits.Type) {
        format = layer.name
        traits = layer
    }

    /// Its format, and what is known of that.
    var formatName: FormatName { FormatName(format, traits) }

    /// Adds a duration to the line for people.
    package mutating func say(span nanoseconds: Int64) {
        let magnitude = nanoseconds.magnitude
        let words =
            switch magnitude {
            case 0..<999_500: "\((magnitude + 500) / 1_000) µs"
            case 0..<999_500_000: "\((magnitude + 500_000) / 1_000_000) ms"
            default: "\((magnitude + 50_000_000) / 1_000_000_000).\((magnitude + 50_000_000) / 100_000_000 % 10) s"
            }
        say((nanoseconds < 0 ? "-" + words : words).utf8)
    }

    /// Adds words to the line for people.
    package mutating func say(_ words: StaticString) { summary.append(copying: words.bytes) }

    /// Adds text of the payload to the line for people.
    package mutating func say(_ text: some Sequence<UInt8>) { summary.append(contentsOf: text) }
}

extension OutputBuffer {
    /// Appends what a payload says, after other keys of its record.
    mutating func append(_ decoded: DecodedPayload) {
        append(.messageDecoded)
        append(tree: decoded)
    }

    /// Appends what a payload says as a JSON object.
    mutating func append(tree decoded: DecodedPayload) {
        append(0x7b)
        append(first: .decodedAs)
        append(0x22)
        append(decoded.format)
        append(0x22)
        for entry in decoded.entries {
            append(0x2c)
            var latin1 = false
            appendString(entry.key.rawBytes, latin1: &latin1)
            append(0x3a)
            append(entry.value)
        }
        append(0x7d)
    }

    private mutating func append(_ value: DecodedPayload.Value) {
        var latin1 = false
        switch value {
        case .text(let bytes): appendString(bytes.rawBytes, latin1: &latin1)
        case .word(let word): word.withBytes { appendString($0, latin1: &latin1) }
        case .number(let number): append(decimal: number)
        case .signed(let number):
            if number < 0 { append(0x2d) }
            append(decimal: number.magnitude)
        case .real(let number):
            // What JSON has no number for is its name.
            number.isFinite ? append(utf8: "\(number)") : append(utf8: "\"\(number)\"")
        case .flag(let flag): append(flag ? "true" : "false")
        case .nothing: append("null")
        case .duration(let nanoseconds): append(secondsOf: nanoseconds)
        case .json(let bytes): append(foreignJSON: bytes)
        case .binary(let count):
            append("{\"$binary\":")
            append(decimal: count)
            append(0x7d)
        case .items(let members):
            append(0x5b)
            for (index, member) in members.enumerated() {
                if index > 0 { append(0x2c) }
                append(member.value)
            }
            append(0x5d)
        case .object(let members):
            append(0x7b)
            for (index, member) in members.enumerated() {
                if index > 0 { append(0x2c) }
                appendString(member.name.rawBytes, latin1: &latin1)
                append(0x3a)
                append(member.value)
            }
            append(0x7d)
        case .fields(let fields):
            append(0x5b)
            for (index, field) in fields.enumerated() {
                append(index > 0 ? ",[" : "[")
                appendString(field.name.rawBytes, latin1: &latin1)
                append(0x2c)
                appendString(field.value.rawBytes, latin1: &latin1)
                append(0x5d)
            }
            append(0x5d)
        }
    }
}

extension OutputBuffer {
    /// Puts what a payload says into its record, which is the last thing in the buffer.
    mutating func addToLastRecord(_ decoded: DecodedPayload) {
        truncate(to: count - 1)
        append(decoded)
        append(0x7d)
    }
}
