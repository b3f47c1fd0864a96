import Dissection

/// The statistics as text within the width of a terminal: a section a scope, a table each.
extension StatisticsResult {
    /// Rows of a table where several scopes are shown.
    private static let fewRows = 20

    /// - Parameters:
    ///   - scopes: what rows are wanted of.
    ///   - width: the columns of the terminal; nil where nothing is cut.
    package func text(_ scopes: [Scope], width: Int?) -> [UInt8] {
        var page = TextPage(width: width)
        for scope in scopes {
            if scope != scopes.first { page.end() }
            switch scope {
            case .total: appendTotal(to: &page)
            case .host: appendTable("HOST", hosts, otherHosts, most: scopes.count > 1 ? Self.fewRows : .max, scope, to: &page)
            case .conversation:
                appendTable(
                    "CONVERSATION", conversations, otherConversations, most: scopes.count > 1 ? Self.fewRows : .max, scope, to: &page)
            }
        }
        return page.bytes
    }

    // MARK: - All of it

    private func appendTotal(to page: inout TextPage) {
        page.line.append(total.conversations, "conversation")
        page.line.append(" with ")
        page.line.append(UInt64(hosts.count), "host")
        if otherHosts.conversations > 0 { page.line.append(" and others") }
        page.end()
        page.appendAmounts("messages", total.messages) { $0.append(grouped: $1) }
        page.appendAmounts("bytes", total.bytes) { $0.append(size: $1) }
        page.appendLabel("exchanges")
        page.line.append(total.requests, "request")
        page.line.append(", ")
        page.line.append(total.responses, "response")
        page.end()
        page.appendDistribution("sizes", total.sizes) { $0.append(size: $1) }
        page.appendDistribution("latency", total.latencies) { $0.append(span: Int64(clamping: $1)) }
        page.appendDistribution("ping", total.roundTrips) { $0.append(span: Int64(clamping: $1)) }
        page.appendDistribution("duration", total.durations) { $0.append(span: Int64(clamping: $1)) }
        if let silence = total.silence {
            page.appendLabel("silence")
            page.line.append("longest ", span: silence.length)
            page.line.append(", in conversation ")
            page.line.append { $0.append(decimal: silence.conversation) }
            page.end()
        }
        if total.rate.mostPerSecond > 0 {
            page.appendLabel("rate")
            page.line.append(total.rate.sparkline(width: 24))
            page.line.append("  ")
            page.line.append { $0.append(grouped: UInt64(exactly: total.rate.mostPerSecond.rounded(.up)) ?? .max) }
            page.line.append("/s at most, in steps of ", span: total.rate.step)
            page.end()
        }
        appendFindings(to: &page)
    }

    private func appendFindings(to page: inout TextPage) {
        var all = total
        all.add(input)
        for (index, entry) in all.findings.sorted(by: Self.graverFirst).enumerated() {
            page.appendLabel(index == 0 ? "findings" : "")
            page.line.append(rightIn: 6) { $0.append(grouped: entry.value.count) }
            page.line.append("  ")
            page.line.append(entry.key)
            page.line.append(", ")
            page.line.append(entry.value.severity.word)
            page.end()
        }
    }

    private static func graverFirst(
        _ left: (key: String, value: (severity: Severity, count: UInt64)),
        _ right: (key: String, value: (severity: Severity, count: UInt64))
    ) -> Bool {
        (left.value.severity.rawValue, left.value.count, right.key) > (right.value.severity.rawValue, right.value.count, left.key)
    }

    // MARK: - Rows

    /// Those with most bytes where there are too many, in the order of their numbers or bytes.
    private func appendTable(
        _ title: StaticString, _ rows: [Row], _ others: ConversationStatistics, most: Int, _ scope: Scope, to page: inout TextPage
    ) {
        page.appendHeader(title)
        var shown = rows.sorted { ($0.bytes, $1.number) > ($1.bytes, $0.number) }
        if shown.count > most { shown.removeLast(shown.count - most) }
        if scope == .conversation { shown.sort { $0.number < $1.number } }
        for row in shown {
            page.appendColumns(row.statistics)
            if scope == .conversation {
                page.line.append { $0.append(decimal: row.number) }
                page.line.append(" ")
            }
            page.line.append(row.host.isEmpty ? "(unknown host)" : row.host)
            if !row.path.isEmpty { page.line.append(" \(row.path)") }
            page.end()
        }
        if others.conversations > 0 {
            page.appendColumns(others)
            page.line.append("others: ")
            page.line.append(others.conversations, "conversation")
            page.line.append(" that --memory has no rows for")
            page.end()
        }
        guard rows.count > shown.count else { return }
        page.line.append(UInt64(rows.count - shown.count), "more row")
        page.line.append(" with fewer bytes; --by \(scope.rawValue) shows all")
        page.end()
    }
}

extension TextPage {
    /// Columns that a table with everything needs beside its names.
    private static let wideTable = 139

    private var isWide: Bool { width.map { $0 >= Self.wideTable } ?? true }

    fileprivate mutating func appendLabel(_ label: StaticString) {
        line.append(label)
        line.pad(to: 11)
    }

    fileprivate mutating func appendAmounts(
        _ label: StaticString, _ amounts: (client: UInt64, server: UInt64), _ compose: (inout TextLine, UInt64) -> Void
    ) {
        appendLabel(label)
        compose(&line, amounts.client.clampedSum(amounts.server))
        line.append(", ")
        compose(&line, amounts.client)
        line.append(" from clients, ")
        compose(&line, amounts.server)
        line.append(" from servers")
        end()
    }

    /// The median and the values that 90, 99 of a hundred and all do not exceed.
    fileprivate mutating func appendDistribution(
        _ label: StaticString, _ values: ValueHistogram, _ compose: (inout OutputBuffer, UInt64) -> Void
    ) {
        guard !values.isEmpty else { return }
        appendLabel(label)
        for (name, percent) in [("p50", 50), ("p90", 90), ("p99", 99), ("max", 100)] as [(StaticString, Double)] {
            line.append(name)
            line.append(" ")
            line.append { compose(&$0, values.percentile(percent)) }
            line.append("  ")
        }
        line.append("of ", grouped: values.count)
        end()
    }

    fileprivate mutating func appendHeader(_ title: StaticString) {
        if isWide {
            line.append("MESSAGES REQUESTS   BYTES  SIZE p50     p99  LATENCY p50       p99      PING   SILENCE  FINDINGS  RATE          ")
        } else {
            line.append("MESSAGES REQUESTS   BYTES   LATENCY  FINDINGS  RATE      ")
        }
        line.append(title)
        end()
    }

    /// The numbers of a row; what there is none of is a hyphen.
    fileprivate mutating func appendColumns(_ row: ConversationStatistics) {
        appendCell(8, row.messages.client.clampedSum(row.messages.server)) { $0.append(grouped: $1) }
        appendCell(9, row.requests) { $0.append(grouped: $1) }
        appendCell(8, row.bytes.client.clampedSum(row.bytes.server)) { $0.append(size: $1) }
        if isWide { appendCell(10, row.sizes.isEmpty ? nil : row.sizes.percentile(50)) { $0.append(size: $1) } }
        if isWide { appendCell(8, row.sizes.isEmpty ? nil : row.sizes.percentile(99)) { $0.append(size: $1) } }
        appendCell(isWide ? 13 : 10, row.latencies.isEmpty ? nil : row.latencies.percentile(50)) { $0.append(span: Int64(clamping: $1)) }
        if isWide { appendCell(10, row.latencies.isEmpty ? nil : row.latencies.percentile(99)) { $0.append(span: Int64(clamping: $1)) } }
        if isWide {
            appendCell(10, row.roundTrips.isEmpty ? nil : row.roundTrips.percentile(50)) { $0.append(span: Int64(clamping: $1)) }
        }
        if isWide { appendCell(10, row.silence.map { UInt64(clamping: $0.length) }) { $0.append(span: Int64(clamping: $1)) } }
        appendCell(10, row.findingCount == 0 ? nil : row.findingCount) { $0.append(grouped: $1) }
        line.append("  ")
        let columns = isWide ? 12 : 8
        let bars = row.rate.sparkline(width: columns)
        line.append(bars)
        line.space(columns + 2 - min(columns, bars.count))
    }

    private mutating func appendCell(_ width: Int, _ value: UInt64?, _ compose: (inout OutputBuffer, UInt64) -> Void) {
        line.append(rightIn: width) { buffer in
            if let value { compose(&buffer, value) } else { buffer.append("-") }
        }
    }
}
