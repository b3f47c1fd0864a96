import ArgumentParser
import Dissection
import Interception

/// An amount of memory as a user writes it: `64M`, `1G`, `256MiB`, or plain bytes.
struct MemorySize: ExpressibleByArgument, CustomStringConvertible, Sendable {
    /// The least that the program can do its work with: what a single message may need, several times over.
    static let least = 16 << 20
    /// More than any machine has; what is more is a mistake.
    static let most = 1 << 40

    let bytes: Int

    init(bytes: Int) { self.bytes = bytes }

    /// Nil where it is no amount. The units are powers of 1,024, in upper or lower case, with or without `B` or `iB`.
    init?(argument: String) {
        let digits = argument.utf8.prefix { 0x30...0x39 ~= $0 }
        guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
        let shift: Int
        switch String(decoding: argument.utf8.dropFirst(digits.count), as: UTF8.self).lowercased() {
        case "", "b": shift = 0
        case "k", "kb", "kib": shift = 10
        case "m", "mb", "mib": shift = 20
        case "g", "gb", "gib": shift = 30
        default: return nil
        }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: 1 << shift)
        self.bytes = isTooLarge ? .max : bytes
    }

    /// The largest unit that it is a whole number of.
    var description: String {
        for (shift, unit) in [(30, "G"), (20, "M"), (10, "K")] where bytes > 0 && bytes & (1 << shift - 1) == 0 {
            return "\(bytes >> shift)\(unit)"
        }
        return "\(bytes)"
    }

    var defaultValueDescription: String { description }
}

/// How the memory of a run is shared out.
///
/// What the program needs before it has read anything (15 MiB or so) comes on top.
struct MemoryShares {
    /// What there is for conversations: what the dissector and the outputs keep for them, and what writing a payload takes.
    private let conversations: Int
    /// The most bytes that are kept of one payload.
    private let payload: Int
    /// Lines of text that wait for their block; among what is kept for conversations.
    let waitingLines: Int
    /// Exchanges of an HTTP archive that are not over; among what is kept for conversations.
    let archive: Int
    /// The window of a decompressor: what it takes goes off the share of the conversations.
    let window: Int
    /// What a proxy's connections have brought and the recorder has not taken yet.
    let queue: Int
    /// What a proxy's clients have it hold before their conversations run.
    private let preambles: Int
    /// What the TLS sessions of a proxy's conversations may take; among what is kept for conversations.
    private let sessions: Int
    /// What may wait for the sides of a proxy's conversations that do not read; among what is kept for conversations.
    private let relays: Int

    /// The longest payload that can be shown.
    static let longestPayload = 16 << 20

    /// The longest payload that can be shown with so much memory.
    static func longestPayload(in memory: MemorySize) -> Int { min(longestPayload, memory.bytes / 16) }

    init(_ memory: MemorySize, ofProxy: Bool) {
        queue = ofProxy ? min(16 << 20, memory.bytes / 16) : 0
        preambles = ofProxy ? memory.bytes / 4 : 0
        sessions = ofProxy ? memory.bytes / 2 : 0
        relays = ofProxy ? memory.bytes / 4 : 0
        window = memory.bytes / 2
        waitingLines = min(16 << 20, memory.bytes / 16)
        archive = min(64 << 20, memory.bytes / 8)
        conversations = memory.bytes - queue - preambles
        payload = MemoryShares.longestPayload(in: memory)
    }

    /// Sets the bounds of a proxy.
    func apply(to settings: inout ProxySettings) {
        settings.preambleBytes = preambles
        settings.sessionBytes = sessions
        settings.relayBytes = relays
    }

    /// Bounds within which the conversations stay, with what writing takes, inside their share. What is kept of one payload depends on
    /// the memory alone; what of it is shown is for each output to say.
    ///
    /// - Parameter demand: the longest payload that an output shows. A copy of it is put together, and then written, in which a byte
    ///   may have become six; that is there once, for the conversation that is told of at the moment.
    func limits(showing demand: Int) -> Limits {
        var limits = Limits()
        limits.messageBytes = payload
        limits.totalBytes = conversations - 8 * min(demand, payload)
        return limits
    }
}
