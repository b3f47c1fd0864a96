import Dissection

/// JUnit XML as Jenkins, GitLab and others read it: a test suite an input, a test case a conversation, a failure a finding that counts.
extension CheckResult {
    package var junit: [UInt8] {
        var findingsOf: [UInt64: [CheckedFinding]] = [:]
        for finding in findings where finding.state == .new { findingsOf[finding.conversation, default: []].append(finding) }
        var casesOf: [Int: [Conversation]] = [:]
        for conversation in conversations { casesOf[conversation.input, default: []].append(conversation) }
        let ofInputs = Set((findingsOf[0] ?? []).map(\.input))
        let failures = conversations.count { findingsOf[$0.number] != nil } + ofInputs.count
        var xml = XMLComposer()
        let errors = inputs.count { $0.problemCount > 0 }
        xml.element(
            "testsuites",
            [
                ("name", "unmask check"), ("tests", "\(conversations.count + inputs.count)"), ("failures", "\(failures)"),
                ("errors", "\(errors)"),
            ]
        ) { xml in
            for (index, input) in inputs.enumerated() {
                let cases = casesOf[index] ?? []
                let ofInput = (findingsOf[0] ?? []).filter { $0.input == index }
                let failed = cases.count { findingsOf[$0.number] != nil } + (ofInput.isEmpty ? 0 : 1)
                let attributes = [
                    ("name", input.name), ("tests", "\(cases.count + 1)"), ("failures", "\(failed)"),
                    ("errors", input.problemCount > 0 ? "1" : "0"), ("skipped", "0"),
                ]
                xml.element("testsuite", attributes) { xml in
                    xml.element("testcase", [("classname", input.name), ("name", "the input itself")]) { xml in
                        for problem in input.problems { xml.element("error", [("type", "input"), ("message", problem)]) }
                        for finding in ofInput { append(finding, to: &xml) }
                    }
                    for one in cases {
                        let name = [one.host, one.path, "\(one.number)"].filter { !$0.isEmpty }.joined(separator: " ")
                        xml.element("testcase", [("classname", input.name), ("name", name)]) { xml in
                            for finding in findingsOf[one.number] ?? [] { append(finding, to: &xml) }
                        }
                    }
                }
            }
        }
        return xml.bytes
    }

    private func append(_ finding: CheckedFinding, to xml: inout XMLComposer) {
        let place = finding.packet.map { "\(inputs[finding.input].name):\($0): " } ?? ""
        xml.element(
            "failure", [("type", finding.id), ("message", finding.sentence)],
            text: "\(place)\(finding.severity) \(finding.id): \(finding.sentence)")
    }
}
