import Dissection

extension CheckResult {
    /// The version of the JSON form.
    private static let formVersion: UInt64 = 1

    /// One JSON object: inputs with their problems, findings with their state, what of the baseline is absent, and the totals.
    ///
    /// - Parameter tool: the name and version of the program.
    package func json(tool: String) -> [UInt8] {
        var json = JSONComposer()
        json.object { json in
            json.member("version", Self.formVersion)
            json.member("tool", tool)
            json.member("severity", "\(severity)")
            json.member("failed", hasFailed)
            json.array("inputs") { json in
                for input in inputs {
                    json.object { json in
                        json.member("name", input.name)
                        json.member("problemCount", input.problemCount)
                        json.array("problems") { json in for problem in input.problems { json.value(problem) } }
                    }
                }
            }
            json.array("findings") { json in for finding in findings { json.object { append(finding, to: &$0) } } }
            json.array("absent") { json in
                for key in absent {
                    json.object { json in
                        json.member("id", key.id)
                        json.member("host", key.host)
                        json.member("path", key.path)
                        json.member("about", key.about)
                    }
                }
            }
            json.object("totals") { json in
                json.member("conversations", conversationCount)
                for severity in Severity.allCases { json.member("\(severity)s", bySeverity[Int(severity.rawValue)]) }
                for state in CheckedFinding.State.allCases { json.member(state.rawValue, count(state)) }
                json.member("absent", UInt64(absent.count))
                json.member("unlisted", unlisted)
                json.member("problems", problems)
            }
        }
        return json.finish()
    }

    private func append(_ finding: CheckedFinding, to json: inout JSONComposer) {
        json.member("id", finding.id)
        json.member("severity", "\(finding.severity)")
        json.member("state", finding.state.rawValue)
        json.member("sentence", finding.sentence)
        json.member("file", inputs[finding.input].name)
        if let packet = finding.packet { json.member("packet", packet) }
        if let time = finding.time { json.member("time", time.words) }
        if finding.conversation > 0 { json.member("conversation", finding.conversation) }
        if !finding.host.isEmpty { json.member("host", finding.host) }
        if !finding.path.isEmpty { json.member("path", finding.path) }
        if let from = finding.from { json.member("from", "\(from)") }
        if let offset = finding.offset { json.member("offset", offset) }
    }
}

extension Timestamp {
    /// As in records: RFC 3339 in UTC, with nine places.
    var words: String {
        let (seconds, nanoseconds) = parts
        var text = OutputBuffer(capacity: 64)
        text.append(CivilTime(seconds: seconds), between: UInt8(ascii: "T"))
        text.append(UInt8(ascii: "."))
        text.appendDigits(UInt64(bitPattern: nanoseconds), width: 9)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text.bytes.copy, as: UTF8.self)
    }
}
