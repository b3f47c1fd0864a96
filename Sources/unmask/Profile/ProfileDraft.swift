import Reports

/// The text of a new profile.
enum ProfileDraft {
    /// What was seen stands in comments beside what follows from it; what is only possible is a comment.
    static func text(of survey: PayloadSurvey) -> String {
        var text = """
            # Options that hold for unmask read, capture, proxy, run and extract in this folder. Keys are their long options;
            # what the command line names wins. unmask profile show prints what holds.


            """
        let ports = survey.ports.sorted { $0.key < $1.key }
        if !ports.isEmpty {
            text += "# What was seen, by the server's port:\n"
            for (number, port) in ports {
                var formats = port.formats.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
                if port.unknown > 0 { formats.append("\(port.unknown) of no known format") }
                let noun = port.conversations == 1 ? "conversation" : "conversations"
                text += "#   \(number): \(port.conversations) \(noun)"
                text += formats.isEmpty ? "\n" : "; messages and bodies: \(formats.joined(separator: ", "))\n"
            }
            text += "\n"
        }
        let framings = ports.compactMap { number, port in port.framing.map { (number, $0.argument, $0.messages) } }
        if !framings.isEmpty {
            text += "# How raw bytes are cut into messages, as it was guessed: said so, it holds from the first byte on.\nframing:\n"
            for (number, argument, messages) in framings {
                text += "  - 'tcp.port=\(number)=\(argument)'  # fitted \(messages) \(messages == 1 ? "message" : "messages")\n"
            }
            text += "\n"
        }
        if survey.ports.values.contains(where: { $0.withHeartbeats > 0 }) {
            text += "# Heartbeats were found; they are counted at the end of their conversation.\nhide: [heartbeats]\n"
        } else {
            text += "# Leave out pings and other heartbeats:\n# hide: [heartbeats]\n"
        }
        text += """

            # Leave out conversations with a server:
            # ignore: ["*.example.org"]

            # Take conversations of a port for http, websocket, tls or data, whatever they seem to be:
            # decode-as: ["tcp.port=9000=websocket"]

            # For one command alone:
            # proxy:
            #   mode: http
            #   listen-port: 8080

            """
        return text
    }
}
