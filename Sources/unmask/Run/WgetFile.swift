import Interception

/// The options of wget, which follows no variable for its CAs where it is built with GnuTLS, as Debian's is: `WGETRC` names a file of options, and
/// such a file may have one.
///
/// wget reads it in place of the user's own (`WGETRC`, or `.wgetrc` in the home folder), which is therefore in it. Of two lines for one option the
/// last one counts.
enum WgetFile {
    /// The user's options, then those that lead to the proxy and make wget trust its authority.
    static func bytes(_ ports: RunVariables.Ports, _ trust: TrustFiles, variable: (String) -> String?) -> [UInt8] {
        let proxy = "http://127.0.0.1:\(ports.http)"
        let lines = [
            "ca_certificate = \(trust.everything)", "use_proxy = on", "http_proxy = \(proxy)", "https_proxy = \(proxy)", "no_proxy =",
        ]
        let own = usersOwn(variable)
        return Array(((own.isEmpty || own.hasSuffix("\n") ? own : own + "\n") + lines.joined(separator: "\n") + "\n").utf8)
    }

    /// The files of CAs that the user's options name.
    static func authorities(_ variable: (String) -> String?) -> [String] {
        usersOwn(variable).split(whereSeparator: \.isNewline).compactMap { line in
            let parts = line.split(separator: "=", maxSplits: 1)
            // wget reads over case, dashes and underscores.
            let name = parts.first.map { $0.lowercased().filter { !" \t-_".contains($0) } }
            guard name == "cacertificate", parts.count == 2 else { return nil }
            return String(parts[1].drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        }
    }

    private static func usersOwn(_ variable: (String) -> String?) -> String {
        let path = variable("WGETRC").flatMap { $0.isEmpty ? nil : $0 } ?? variable("HOME").map { $0 + "/.wgetrc" }
        return path.flatMap(TrustFiles.read) ?? ""
    }
}
