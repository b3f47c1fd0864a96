import Dissection

extension StatisticsResult {
    /// The version of the JSON form.
    private static let formVersion: UInt64 = 1

    /// One JSON object: `total`, `hosts` and `conversations`, as far as they are wanted, each with its `others` where the memory had no room for rows.
    /// Times are in seconds.
    package func json(_ scopes: [Scope], tool: String) -> [UInt8] {
        var json = JSONComposer()
        json.object { json in
            json.member("version", Self.formVersion)
            json.member("tool", tool)
            for scope in scopes {
                switch scope {
                case .total:
                    json.object("total") { $0.append(total) }
                    json.object("input") { $0.append(findings: input) }
                case .host: json.append("hosts", hosts, "otherHosts", otherHosts)
                case .conversation: json.append("conversations", conversations, "otherConversations", otherConversations)
                }
            }
        }
        return json.finish()
    }
}

extension JSONComposer {
    fileprivate mutating func append(
        _ key: String, _ rows: [StatisticsResult.Row], _ othersKey: String, _ others: ConversationStatistics
    ) {
        array(key) { json in
            for row in rows {
                json.object { json in
                    if row.number > 0 { json.member("conversation", row.number) }
                    json.member("host", row.host)
                    if row.number > 0 { json.member("path", row.path) }
                    json.append(row.statistics)
                }
            }
        }
        if others.conversations > 0 { object(othersKey) { $0.append(others) } }
    }

    fileprivate mutating func append(_ row: ConversationStatistics) {
        member("conversations", row.conversations)
        member("requests", row.requests)
        member("responses", row.responses)
        object("messages") { json in
            json.member("client", row.messages.client)
            json.member("server", row.messages.server)
        }
        object("bytes") { json in
            json.member("client", row.bytes.client)
            json.member("server", row.bytes.server)
        }
        append("sizes", row.sizes) { $0.member($1, $2) }
        append("latency", row.latencies) { $0.member($1, seconds: Int64(clamping: $2)) }
        append("ping", row.roundTrips) { $0.member($1, seconds: Int64(clamping: $2)) }
        append("duration", row.durations) { $0.member($1, seconds: Int64(clamping: $2)) }
        if let silence = row.silence {
            object("silence") { json in
                json.member("length", seconds: silence.length)
                json.member("begin", silence.begin.words)
                json.member("conversation", silence.conversation)
            }
        }
        if !row.rate.values.isEmpty {
            object("rate") { json in
                json.member("start", Timestamp(nanoseconds: row.rate.start).words)
                json.member("step", seconds: row.rate.step)
                json.array("counts") { json in for count in row.rate.values { json.value(count) } }
            }
        }
        append(findings: row)
    }

    fileprivate mutating func append(findings row: ConversationStatistics) {
        array("findings") { json in
            for (id, finding) in row.findings.sorted(by: { $0.key < $1.key }) {
                json.object { json in
                    json.member("id", id)
                    json.member("severity", "\(finding.severity)")
                    json.member("count", finding.count)
                }
            }
        }
    }

    private mutating func append(_ key: String, _ values: ValueHistogram, _ member: (inout JSONComposer, String, UInt64) -> Void) {
        guard !values.isEmpty else { return }
        object(key) { json in
            json.member("count", values.count)
            member(&json, "min", values.least)
            for (name, percent) in [("p50", 50), ("p90", 90), ("p99", 99), ("p999", 99.9)] as [(String, Double)] {
                member(&json, name, values.percentile(percent))
            }
            member(&json, "max", values.most)
            member(&json, "sum", values.sum)
        }
    }
}
