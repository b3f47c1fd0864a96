import Libc

/// Where the local authority lies: a folder that holds `authority/`, and in it the certificate and its key.
///
/// The pair has a folder of its own because a folder can be put in place in one step: either both files are there or neither.
package struct AuthorityFolder: Hashable, Sendable {
    /// The folder, as the user gave it or as `standard` derived it.
    package var path: String

    /// - Parameter path: an absolute path, or one from the current folder; slashes at its end are dropped.
    package init(path: String) {
        var text = path[...]
        while text.count > 1, text.hasSuffix("/") { text = text.dropLast() }
        self.path = String(text)
    }

    /// `$XDG_DATA_HOME/unmask`, else `~/.local/share/unmask` (XDG Base Directory Specification; a relative value is ignored, as it says).
    ///
    /// - Parameter variable: reads a variable of the environment.
    package static func standard(variable: (String) -> String? = { environment($0) }) throws(AuthorityError) -> AuthorityFolder {
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return AuthorityFolder(path: data + "/unmask") }
        guard let home = homeFolder(variable: variable) else {
            throw AuthorityError(
                kind: .noFolder, problem: "neither XDG_DATA_HOME nor HOME says where to keep the local CA",
                advice: "name a folder with --ca-folder")
        }
        return AuthorityFolder(path: home + "/.local/share/unmask")
    }

    /// The user's home: `HOME`, else what the user database says.
    package static func homeFolder(variable: (String) -> String? = { environment($0) }) -> String? {
        if let home = variable("HOME"), home.hasPrefix("/") { return home }
        guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return nil }
        let text = String(cString: home)
        return text.hasPrefix("/") ? text : nil
    }

    /// A variable of this program's environment.
    package static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The folder of the pair, mode 0700.
    package var pairPath: String { path + "/authority" }

    /// The certificate, PEM, mode 0644: the file that other programs are given.
    package var certificatePath: String { pairPath + "/unmask-authority.pem" }

    /// The private key, PEM (PKCS #8), mode 0600: the file that nobody is given.
    package var keyPath: String { pairPath + "/unmask-authority-key.pem" }
}
