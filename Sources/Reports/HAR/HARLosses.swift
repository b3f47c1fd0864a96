import Dissection

/// What an entry of an archive does not have, for its `comment`.
struct HARLosses {
    /// Bytes that a side sent and that nobody saw.
    struct Missing {
        private(set) var bytes: UInt64 = 0
        private var places: UInt64 = 0
        /// Bytes of a body that came before the first such place.
        private var bodyBytes: UInt64 = 0

        mutating func add(_ length: UInt64, afterBody came: UInt64) {
            if places == 0 { bodyBytes = came }
            bytes = bytes.clampedSum(length)
            places &+= 1
        }

        /// Adds what was missing before the entry began.
        mutating func add(_ earlier: Missing) {
            guard earlier.places > 0 else { return }
            if places == 0 { bodyBytes = earlier.bodyBytes }
            bytes = bytes.clampedSum(earlier.bytes)
            places &+= earlier.places
        }

        fileprivate func append(to output: inout OutputBuffer, from side: StaticString) {
            output.append(count: bytes, of: "byte")
            output.append(" from the ")
            output.append(side)
            output.append(bytes == 1 ? " is missing" : " are missing")
            if places > 1 {
                output.append(" in ", decimal: places)
                output.append(" places")
            }
            guard bodyBytes > 0 else { return }
            output.append(places > 1 ? ", the first after " : " after ")
            output.append(count: bodyBytes, of: "byte")
            output.append(" of the body")
        }
    }

    /// What is said in words alone.
    struct Notes: OptionSet {
        let rawValue: UInt8

        /// A response that cannot be matched with a request.
        static let unknownRequest = Notes(rawValue: 1)
        /// The request was written before its response came.
        static let earlierRequest = Notes(rawValue: 2)
        /// A WebSocket that had begun before.
        static let unknownHandshake = Notes(rawValue: 4)
        /// There was no room to wait for the rest.
        static let writtenEarly = Notes(rawValue: 8)
        /// The conversation was given up.
        static let evicted = Notes(rawValue: 16)
        /// A body whose end did not come.
        static let openBody = Notes(rawValue: 32)

        fileprivate static let words: [(Notes, StaticString)] = [
            (.unknownRequest, "the request of this response is not known"),
            (.earlierRequest, "the headers and the body of the request are in an earlier entry"),
            (.unknownHandshake, "the handshake of this WebSocket is not known, or is in an earlier entry"),
            (.writtenEarly, "the entry was written before its end because of the memory limit"),
            (.evicted, "the conversation was given up because of the memory limit"),
            (.openBody, "the end of the body is missing"),
        ]
    }

    var client = Missing()
    var server = Missing()
    var notes: Notes = []
    /// Messages and bytes of bodies that there was no room for.
    var leftOutMessages: UInt64 = 0
    var leftOutBytes: UInt64 = 0
    /// Of a whole archive: missing bytes of conversations that had no entry any more to say so.
    var elsewhere: UInt64 = 0

    /// Writes it as a member of an object that has others before; nothing where nothing is missing.
    func write(to output: inout OutputBuffer) {
        var isFirst = true
        func begin(_ output: inout OutputBuffer) {
            output.append(isFirst ? ",\"comment\":\"" : "; ")
            isFirst = false
        }
        for (note, words) in Notes.words where notes.contains(note) {
            begin(&output)
            output.append(words)
        }
        if client.bytes > 0 {
            begin(&output)
            client.append(to: &output, from: "client")
        }
        if server.bytes > 0 {
            begin(&output)
            server.append(to: &output, from: "server")
        }
        if elsewhere > 0 {
            begin(&output)
            output.append(count: elsewhere, of: "byte")
            output.append(elsewhere == 1 ? " after the last entry of its conversation is" : " after the last entries of conversations are")
            output.append(" missing")
        }
        if leftOutBytes > 0 {
            begin(&output)
            output.append(count: leftOutBytes, of: "byte")
            output.append(leftOutBytes == 1 ? " of bodies is left out" : " of bodies are left out")
        }
        if leftOutMessages > 0 {
            begin(&output)
            output.append(count: leftOutMessages, of: "message")
            output.append(leftOutMessages == 1 ? " is left out" : " are left out")
        }
        if !isFirst { output.append(0x22) }
    }
}

extension OutputBuffer {
    /// Appends a number and what it counts.
    fileprivate mutating func append(count: UInt64, of noun: StaticString) {
        append(decimal: count)
        append(0x20)
        append(noun)
        if count != 1 { append(0x73) }
    }
}
