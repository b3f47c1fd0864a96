/// What of two recordings is not compared.
package struct ComparisonSettings: Sendable {
    /// JSON paths that are left out.
    package var ignoredPaths: IgnoredPaths
    /// Names of header fields in lower case.
    package var ignoredFields: Set<String>
    /// How many times longer a latency has to be to count; nil where latencies are not compared.
    package var slower: Double?

    /// Header fields that differ from run to run, or follow from something else that is compared.
    package static let usualFields: Set<String> = [
        "age", "cf-ray", "content-length", "cookie", "date", "etag", "expires", "host", "last-modified", "sec-websocket-accept",
        "sec-websocket-key", "server-timing", "set-cookie", "traceparent", "tracestate", "x-amz-cf-id", "x-amzn-trace-id",
        "x-correlation-id", "x-request-id", "x-response-time", "x-runtime",
    ]

    package init(ignoredPaths: [String] = [], ignoredFields: Set<String> = usualFields, slower: Double? = nil) {
        self.ignoredPaths = IgnoredPaths(ignoredPaths)
        self.ignoredFields = ignoredFields
        self.slower = slower
    }

    /// The header fields that are left out.
    ///
    /// - Parameters:
    ///   - ignored: names that the user leaves out, beside the usual ones.
    ///   - compared: names that the user compares although they are usual; `*` is all of them.
    package static func fields(ignoring ignored: [String], comparing compared: [String]) -> Set<String> {
        let compared = Set(compared.map { $0.lowercased() })
        let usual = compared.contains("*") ? [] : usualFields.subtracting(compared)
        return usual.union(ignored.map { $0.lowercased() })
    }
}
