import ArgumentParser
import Dissection
import Reports
import Runs

/// Which conversations, taken for what, within which memory: shared by every command that reads some.
struct ConversationOptions: ParsableArguments {
    @Option(
        name: .customLong("conversation"),
        help: ArgumentHelp("Only these conversations, such as 3 or 3,5,10-20. Repeatable.", valueName: "numbers"))
    var lists: [String] = []

    @Option(
        name: .customLong("decode-as"),
        help: ArgumentHelp(
            "Take conversations of a port for http, websocket, tls or data, such as tcp.port=9000=websocket. Repeatable.",
            valueName: "rule"))
    var decodeAs: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Cut what is spoken on a port into messages, such as tcp.port=7000=length:u32be or tcp.port=7000=lines; * for every port where \
            nothing known is spoken. Repeatable. See docs/framings.md.
            """,
            valueName: "rule"))
    var framing: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            The memory for all conversations together, such as 64M or 1G; a message may take a sixteenth of it, at most 16M. When it is used \
            up, the least recently used conversations are evicted.
            """,
            valueName: "size"))
    var memory = MemorySize(bytes: 256 << 20)

    func validate() throws {
        guard (MemorySize.least...MemorySize.most).contains(memory.bytes) else {
            throw ValidationError("--memory takes a size from 16M to 1024G.")
        }
        for list in lists where ConversationSelection(list) == nil {
            throw ValidationError(
                "--conversation \(list): expected numbers from 1 and ranges of them, such as 3 or 3,5,10-20 or 7-.")
        }
        for rule in decodeAs where DecodeRule(argument: rule) == nil {
            throw ValidationError(
                "--decode-as \(rule): expected tcp.port=PORT=WHAT with WHAT one of "
                    + LayerTable.standard.choices.map(\.text).joined(separator: ", ") + ".")
        }
        for rule in framing {
            do { _ = try DecodeRule(framing: rule) } catch { throw ValidationError("--framing \(rule): \(error).") }
        }
    }

    /// The conversations that are wanted; nil for all.
    var selection: ConversationSelection? {
        lists.compactMap { ConversationSelection($0) }.reduce(nil) { sum, next in
            var union = sum ?? next
            if sum != nil { union.formUnion(next) }
            return union
        }
    }

    var rules: [DecodeRule] {
        decodeAs.compactMap { DecodeRule(argument: $0) } + framing.compactMap { try? DecodeRule(framing: $0) }
    }

    /// How the memory is shared out.
    func shares(ofProxy: Bool = false) -> MemoryShares { MemoryShares(memory, ofProxy: ofProxy) }

    /// The most bytes of a line of a log.
    var longestLine: Int { max(8 << 20, memory.bytes / 8) }

    /// How inputs are read.
    ///
    /// - Parameters:
    ///   - payloadDemand: bytes of one payload that are wanted at most; all that is kept where nothing is said.
    ///   - tells: whether the user is told what is wrong with the inputs.
    func settings(payloadDemand: Int? = nil, tells: Bool = true) -> InputSettings {
        var settings = InputSettings()
        let shares = shares()
        (settings.limits, settings.payloadDemand) = (shares.limits(showing: payloadDemand ?? 0), payloadDemand)
        (settings.windowBytes, settings.longestLine) = (shares.window, longestLine)
        (settings.conversations, settings.rules) = (selection, rules)
        (settings.tool, settings.stop) = (toolName, Interruption.stop)
        if tells { settings.tell = { writeLine($0) } }
        return settings
    }
}
