import ArgumentParser
import Query
import Reports

/// What is hidden before anything is printed or written.
struct RedactionOptions: ParsableArguments {
    @Flag(
        help: """
            Hide passwords, tokens, cookies and other credentials in everything that is printed or written: each becomes a mark such as \
            \u{27E8}redacted:1f3a02\u{27E9}, the same one for the same value. A file of -w has them still. What is hidden is in docs/redaction.md.
            """)
    var redact = false

    @Option(
        name: .customLong("redact-header"),
        help: ArgumentHelp("Also hide the values of this header field. Repeatable.", valueName: "name"))
    var redactHeaders: [String] = []

    @Option(
        name: .customLong("redact-json"),
        help: ArgumentHelp(
            "Also hide this member of JSON, such as '$.user.email', '$.items[*].card' or '$..pin'. Repeatable.", valueName: "path"))
    var redactPaths: [String] = []

    @Option(
        name: .customLong("redact-pattern"),
        help: ArgumentHelp("Also hide what this regular expression (PCRE2) matches. Repeatable.", valueName: "regex"))
    var redactPatterns: [String] = []

    /// Whether anything is hidden.
    var isWanted: Bool { redact || !redactHeaders.isEmpty || !redactPaths.isEmpty || !redactPatterns.isEmpty }

    func validate() throws {
        for name in redactHeaders where !name.utf8.contains(where: { $0 > 0x20 }) || name.utf8.contains(0x3a) {
            throw ValidationError("--redact-header takes the name of a header field, without the colon.")
        }
        var paths = JSONPaths()
        for path in redactPaths {
            do { try paths.add(path) } catch { throw ValidationError("--redact-json \(path): \(error).") }
        }
        for pattern in redactPatterns {
            do { _ = try PatternText(pattern) } catch { throw ValidationError("--redact-pattern \(pattern): \(error).") }
        }
    }

    /// What is hidden; nil where nothing is. The key of the marks is new each time.
    ///
    /// - Parameter payloads: what the user said of payloads; secret names are looked for in them.
    func plan(_ payloads: PayloadOptions) -> RedactionPlan? {
        guard isWanted else { return nil }
        var plan = RedactionPlan(salt: (.random(in: .min ... .max), .random(in: .min ... .max)))
        if payloads.isGiven { plan.payloads = payloads.formats }
        plan.headers = redactHeaders
        for path in redactPaths { try? plan.paths.add(path) }
        for text in redactPatterns {
            guard let pattern = try? PatternText(text) else { continue }
            plan.patterns.append { PatternMatcher(pattern) }
        }
        return plan
    }

    /// Says what stays as it is.
    func tell(write: String?) {
        guard isWanted, let write else { return }
        writeLine(
            "unmask: -w \(write == "-" ? "standard output" : write): packets cannot be redacted; this file has everything that was sent, secrets included"
        )
    }
}
