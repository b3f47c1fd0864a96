import Dissection

/// SARIF 2.1.0 (OASIS), as GitHub and others read it. A rule is a row of the findings catalogue, an artifact an input, a logical location a
/// conversation. What is allowed is suppressed; with a baseline each result says whether it is new, known or absent.
extension CheckResult {
    /// - Parameters:
    ///   - name: of the program.
    ///   - version: of the program.
    package func sarif(name: String, version: String) -> [UInt8] {
        let rows = FindingCatalogue.rows
        let indices = Dictionary(rows.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var json = JSONComposer()
        json.object { json in
            json.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
            json.member("version", "2.1.0")
            json.array("runs") { json in
                json.object { json in
                    json.object("tool") { json in
                        json.object("driver") { json in
                            json.member("name", name)
                            json.member("semanticVersion", version)
                            json.array("rules") { json in for row in rows { json.object { CheckResult.append(row, to: &$0) } } }
                        }
                    }
                    appendInvocation(to: &json)
                    json.array("artifacts") { json in
                        for input in inputs {
                            json.object { $0.object("location") { $0.member("uri", CheckResult.uri(input.name)) } }
                        }
                    }
                    json.array("results") { json in
                        for finding in findings { json.object { append(finding, ruleIndex: indices[finding.id], to: &$0) } }
                        for key in absent { json.object { CheckResult.append(absent: key, ruleIndex: indices[key.id], to: &$0) } }
                    }
                }
            }
        }
        return json.finish()
    }

    private static func append(_ row: FindingRow, to json: inout JSONComposer) {
        json.member("id", row.id)
        json.object("shortDescription") { $0.member("text", row.pattern) }
        if !row.explanation.isEmpty { json.object("fullDescription") { $0.member("text", row.explanation) } }
        // The anchor that Markdown's renderers make of the heading `### `id``.
        json.member("helpUri", "docs/findings.md#\(row.id.replacing(".", with: ""))")
        json.object("defaultConfiguration") { $0.member("level", level(row.severity)) }
        json.object("properties") { json in
            json.member("severity", "\(row.severity)")
            if !row.reference.isEmpty { json.member("reference", row.reference) }
        }
    }

    /// The inputs' problems are notifications of the run: a run that could not read everything was not successful.
    private func appendInvocation(to json: inout JSONComposer) {
        json.array("invocations") { json in
            json.object { json in
                json.member("executionSuccessful", problems == 0)
                json.array("toolExecutionNotifications") { json in
                    for (index, input) in inputs.enumerated() {
                        for problem in input.problems {
                            json.object { json in
                                json.member("level", "error")
                                json.object("message") { $0.member("text", problem) }
                                json.array("locations") { json in json.object { appendArtifact(index, to: &$0) } }
                            }
                        }
                    }
                }
            }
        }
    }

    private func appendArtifact(_ index: Int, to json: inout JSONComposer) {
        json.object("physicalLocation") { json in
            json.object("artifactLocation") { json in
                json.member("uri", CheckResult.uri(inputs[index].name))
                json.member("index", UInt64(index))
            }
        }
    }

    private func append(_ finding: CheckedFinding, ruleIndex: Int?, to json: inout JSONComposer) {
        json.member("ruleId", finding.id)
        if let ruleIndex { json.member("ruleIndex", UInt64(ruleIndex)) }
        json.member("level", CheckResult.level(finding.severity))
        json.object("message") { $0.member("text", finding.sentence) }
        json.array("locations") { json in
            json.object { json in
                appendArtifact(finding.input, to: &json)
                guard finding.conversation > 0 else { return }
                json.array("logicalLocations") { json in
                    json.object { json in
                        json.member("name", "conversation \(finding.conversation)")
                        let names = [finding.host, finding.path, "\(finding.conversation)"].filter { !$0.isEmpty }
                        json.member("fullyQualifiedName", names.joined(separator: " "))
                        json.member("kind", "conversation")
                    }
                }
            }
        }
        json.object("partialFingerprints") { $0.member("finding/v1", CheckResult.hex(finding.key.fingerprint)) }
        if finding.state == .allowed {
            json.array("suppressions") { json in
                json.object { json in
                    json.member("kind", "external")
                    json.member("justification", "allowed by --allow")
                }
            }
        }
        if hasBaseline { json.member("baselineState", finding.state == .known ? "unchanged" : "new") }
        json.object("properties") { json in
            if let packet = finding.packet { json.member("packet", packet) }
            if let offset = finding.offset { json.member("offset", offset) }
            if let from = finding.from { json.member("from", "\(from)") }
            if let time = finding.time { json.member("time", time.words) }
        }
    }

    private static func append(absent key: FindingKey, ruleIndex: Int?, to json: inout JSONComposer) {
        json.member("ruleId", key.id)
        if let ruleIndex { json.member("ruleIndex", UInt64(ruleIndex)) }
        json.object("message") { $0.member("text", key.about.visible) }
        json.object("partialFingerprints") { $0.member("finding/v1", hex(key.fingerprint)) }
        json.member("baselineState", "absent")
    }

    private static func level(_ severity: Severity) -> String {
        switch severity {
        case .note: "note"
        case .warning: "warning"
        case .violation: "error"
        }
    }

    private static func hex(_ value: UInt64) -> String {
        var text = OutputBuffer(capacity: 64)
        text.append(hex: value, width: 16)
        return String(decoding: text.bytes.copy, as: UTF8.self)
    }

    /// The path of a file as a URI reference (RFC 3986, section 4.1).
    private static func uri(_ path: String) -> String {
        var uri = path.hasPrefix("/") ? "file://" : ""
        // A first segment with a colon would be a scheme.
        if !path.hasPrefix("/"), path.split(separator: "/").first?.contains(":") ?? false { uri = "./" }
        for byte in path.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "/"), UInt8(ascii: ":"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            case _:
                var text = OutputBuffer(capacity: 64)
                text.append(UInt8(ascii: "%"))
                text.append(hex: UInt64(byte), width: 2)
                uri += String(decoding: text.bytes.copy, as: UTF8.self)
            }
        }
        return uri
    }
}
