/// The condition that a rule of `--framing` or `--decode-as` begins with: `RULE=WHAT`, as `--payload-as` has it.
///
/// ```
/// tcp.port=7000=lines      the rule, and what it says
/// 7000=lines               a port alone
/// *=lines                  every port
/// tcp.port=7000=lines      with a comma, as it was written before, and as tshark does: tcp.port==9000,websocket
/// ```
package struct PortCondition {
    /// Nil for every port.
    package let port: UInt16?
    /// What the rule says.
    package let what: Substring

    /// Nil where the text does not begin with a condition.
    package init?(_ text: String) {
        var rest = text[...]
        if rest.hasPrefix("tcp.port=") {
            rest = rest.dropFirst("tcp.port=".count)
            if rest.first == "=" { rest = rest.dropFirst() }
        }
        if text.first == "*" {
            port = nil
            rest = rest.dropFirst()
        } else {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let number = UInt16(digits), number > 0 else { return nil }
            port = number
            rest = rest.dropFirst(digits.count)
        }
        guard let separator = rest.first, separator == "=" || separator == "," else { return nil }
        what = rest.dropFirst()
    }
}
