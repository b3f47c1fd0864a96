import Dissection

/// What a check came to.
package struct CheckResult: Sendable {
    package struct Input: Sendable {
        package var name: String
        /// The number that its first packet has in the run.
        package var firstPacket: UInt64
        /// Why it could not be read, or not whole; the first ten.
        package var problems: [String] = []
        package var problemCount: UInt64 = 0
    }

    package struct Conversation: Sendable {
        package var number: UInt64
        package var input: Int
        package var host = ""
        package var path = ""
    }

    package internal(set) var inputs: [Input] = []
    package internal(set) var conversations: [Conversation] = []
    package internal(set) var conversationCount: UInt64 = 0
    /// Those that the memory had no room for.
    package internal(set) var unkeptConversations: UInt64 = 0
    /// At or above the severity that was asked for, in the order in which they came.
    package internal(set) var findings: [CheckedFinding] = []
    /// New findings that the memory had no room for.
    package internal(set) var unlisted: UInt64 = 0
    /// Of the baseline, what did not come again.
    package internal(set) var absent: [FindingKey] = []
    package internal(set) var hasBaseline = false
    package internal(set) var severity = Severity.warning
    /// How many findings of each severity there are, in the order of `Severity.allCases`.
    package internal(set) var bySeverity = [UInt64](repeating: 0, count: Severity.allCases.count)

    package func count(_ state: CheckedFinding.State) -> UInt64 {
        UInt64(findings.count { $0.state == state }) + (state == .new ? unlisted : 0)
    }

    /// Whether anything counts against the captures.
    package var hasFailed: Bool { count(.new) > 0 || problems > 0 }

    package var problems: UInt64 { inputs.reduce(0) { $0 + $1.problemCount } }

    /// The findings as a baseline of later runs; those that are allowed are left out.
    package var baseline: FindingBaseline { FindingBaseline(Set(findings.filter { $0.state != .allowed }.map(\.key))) }
}

extension CheckResult {
    /// A line a finding that counts, `file:packet: severity id: sentence`, then the totals.
    package var text: [UInt8] {
        var lines: [String] = []
        for finding in findings where finding.state == .new {
            let place = finding.packet.map { ":\($0)" } ?? (finding.conversation > 0 ? ":conversation \(finding.conversation)" : "")
            lines.append("\(inputs[finding.input].name.visible)\(place): \(finding.severity) \(finding.id): \(finding.sentence)")
        }
        if unlisted > 0 { lines.append("\(unlisted.counted("more finding")) not listed; raise --memory to list them") }
        var parts = [count(.new).counted(hasBaseline ? "new finding" : "finding")]
        if severity != .note { parts[0] += " at or above \(severity)" }
        let below = Severity.allCases.reduce(UInt64(0)) { $0 + ($1.rawValue < severity.rawValue ? bySeverity[Int($1.rawValue)] : 0) }
        if below > 0 { parts.append("\(below) below") }
        if count(.allowed) > 0 { parts.append("\(count(.allowed)) allowed") }
        if hasBaseline { parts.append("\(count(.known)) known from the baseline") }
        if problems > 0 { parts.append(problems.counted("problem") + " of the inputs") }
        parts.append("in \(conversationCount.counted("conversation")) of \(UInt64(inputs.count).counted("input"))")
        lines.append(parts.joined(separator: ", "))
        if !absent.isEmpty {
            lines.append("\(UInt64(absent.count).counted("finding")) of the baseline did not come again:")
            for key in absent.prefix(20) {
                let about = [key.host, key.path].filter { !$0.isEmpty }.joined(separator: " ")
                lines.append("  \(key.id.visible): \(key.about.visible)" + (about.isEmpty ? "" : " (\(about.visible))"))
            }
            if absent.count > 20 { lines.append("  and \(absent.count - 20) more") }
        }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }
}

extension UInt64 {
    /// Such as `1 finding` or `2 findings`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
