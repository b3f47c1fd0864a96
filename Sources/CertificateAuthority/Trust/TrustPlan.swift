/// Where the authority has to be entered, or taken out, so that the programs of this machine trust it, or do not any more.
package struct TrustPlan: Sendable {
    package enum Action: Sendable {
        case install, remove
    }

    /// Which places are meant.
    package struct Scope: OptionSet, Sendable {
        package var rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// What the system's programs trust: the trust store on Linux, the keychain on macOS.
        package static let system = Scope(rawValue: 1)
        /// The databases of Chromium and Firefox, which are kept with NSS.
        package static let nss = Scope(rawValue: 2)
    }

    package var places: [TrustPlace] = []

    private let action: Action
    private let certificate: AuthorityCertificate
    private let path: String
    private let around: Surroundings

    /// - Parameters:
    ///   - certificate: the authority's.
    ///   - path: its file, PEM.
    ///   - surroundings: the machine.
    package init(
        _ action: Action, certificate: AuthorityCertificate, path: String, scope: Scope = [.system, .nss],
        surroundings: Surroundings = .here
    ) {
        self.action = action
        self.certificate = certificate
        self.path = path
        around = surroundings
        if scope.contains(.system) {
            switch around.system {
            case .linux: places.append(systemStore())
            case .macOS: places.append(keychain())
            }
        }
        if scope.contains(.nss) { addBrowsers() }
    }

    /// What it is called where several stand side by side; the fingerprint keeps the authorities of two users apart.
    private var label: String { "unmask-authority-\(certificate.shortFingerprint)" }

    // MARK: - The system's trust store on Linux

    /// A folder that takes certificates, and the program that makes them count.
    private struct Store {
        var folder: String
        var suffix: String
        var refresh: [String]
        var refreshAfterRemoval: [String]
    }

    private static let stores = [
        // Debian, Ubuntu, Alpine. Only a fresh start drops what has gone.
        Store(
            folder: "/usr/local/share/ca-certificates", suffix: ".crt", refresh: ["update-ca-certificates"],
            refreshAfterRemoval: ["update-ca-certificates", "--fresh"]),
        // Fedora, RHEL.
        Store(
            folder: "/etc/pki/ca-trust/source/anchors", suffix: ".pem", refresh: ["update-ca-trust", "extract"],
            refreshAfterRemoval: ["update-ca-trust", "extract"]),
        // Arch.
        Store(
            folder: "/etc/ca-certificates/trust-source/anchors", suffix: ".crt", refresh: ["trust", "extract-compat"],
            refreshAfterRemoval: ["trust", "extract-compat"]),
        // openSUSE.
        Store(
            folder: "/etc/pki/trust/anchors", suffix: ".pem", refresh: ["update-ca-certificates"],
            refreshAfterRemoval: ["update-ca-certificates"]),
    ]

    private func systemStore() -> TrustPlace {
        let name = "the system's trust store"
        let found = Self.stores.first { around.hasFolder(around.root + $0.folder) && around.program($0.refresh[0]) != nil }
        guard let store = found, let refresh = around.program(store.refresh[0]) else {
            return TrustPlace(
                name: name, work: .skip("none that is known; on Debian and Ubuntu it comes with the package ca-certificates"))
        }
        let target = around.root + store.folder + "/" + label + store.suffix
        let commands: [TrustPlace.Command]
        switch action {
        case .install:
            commands = [.init(["install", "-m", "644", path, target]), .init([refresh] + store.refresh.dropFirst())]
        case .remove:
            guard around.has(target) else { return TrustPlace(name: "\(name) (\(store.folder))", work: .skip("it is not in there")) }
            commands = [.init(["rm", "-f", target]), .init([refresh] + store.refreshAfterRemoval.dropFirst())]
        }
        return TrustPlace(name: "\(name) (\(store.folder))", work: around.isRoot ? .run(commands) : .needsRoot(commands))
    }

    // MARK: - The keychain on macOS

    /// The user's own keychain: it needs no root, and says whom this user trusts alone. macOS asks for the password.
    private func keychain() -> TrustPlace {
        let name = "the login keychain"
        guard let home = around.home else { return TrustPlace(name: name, work: .skip("no home folder is known")) }
        let keychain = home + "/Library/Keychains/login.keychain-db"
        let security = "/usr/bin/security"
        let hash = certificate.fingerprint.filter { $0 != ":" }
        switch action {
        case .install:
            return TrustPlace(
                name: name, work: .run([.init([security, "add-trusted-cert", "-r", "trustRoot", "-k", keychain, path])]))
        case .remove:
            return TrustPlace(
                name: name,
                work: .run([
                    .init([security, "remove-trusted-cert", path]),
                    .init([security, "delete-certificate", "-Z", hash, keychain]),
                ]),
                onlyIf: .init([security, "find-certificate", "-c", certificate.name, keychain]))
        }
    }

    // MARK: - Browsers

    private mutating func addBrowsers() {
        guard let home = around.home else {
            places.append(TrustPlace(name: "Chromium and Firefox", work: .skip("no home folder is known")))
            return
        }
        if around.system == .linux { places += chromium(home) }
        places += firefox(home)
    }

    /// Chromium, Chrome and their kin on Linux read the user's NSS database: the one below the home folder if it is there, which is all that older
    /// versions know, else the one in the data folder. (On macOS they ask the keychain.)
    private func chromium(_ home: String) -> [TrustPlace] {
        var folders = [home + "/.pki/nssdb"]
        if let data = around.dataFolder { folders.append(data + "/pki/nssdb") }
        folders += around.names(in: home + "/snap").map { "\(home)/snap/\($0)/current/.pki/nssdb" }
        let present = folders.filter { around.has($0 + "/cert9.db") }
        if !present.isEmpty { return present.map { database($0, of: "Chromium") } }
        let programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge"]
        guard action == .install, programs.contains(where: { around.program($0) != nil }) else {
            return [TrustPlace(name: "Chromium", work: .skip("there is no database of it in \(folders[0])"))]
        }
        // Before it first ran it has none, and it takes one that is there.
        return [database(folders[0], of: "Chromium", isNew: true)]
    }

    private func firefox(_ home: String) -> [TrustPlace] {
        let bases =
            switch around.system {
            case .linux:
                [
                    home + "/.mozilla/firefox", home + "/.config/mozilla/firefox", home + "/snap/firefox/common/.mozilla/firefox",
                    home + "/.var/app/org.mozilla.firefox/.mozilla/firefox",
                ]
            case .macOS: [home + "/Library/Application Support/Firefox/Profiles"]
            }
        let profiles = bases.flatMap { base in around.names(in: base).map { base + "/" + $0 } }.filter { around.has($0 + "/cert9.db") }
        guard !profiles.isEmpty else { return [TrustPlace(name: "Firefox", work: .skip("there is no profile of it in \(bases[0])"))] }
        return profiles.map { database($0, of: "Firefox") }
    }

    private func database(_ folder: String, of browser: String, isNew: Bool = false) -> TrustPlace {
        let name = "\(browser) (\(folder))"
        guard let certutil = around.program("certutil") else {
            let linux = "libnss3-tools (Debian, Ubuntu), nss-tools (Fedora) or nss (Arch)"
            let package = around.system == .macOS ? "nss (brew install nss)" : linux
            return TrustPlace(name: name, work: .skip("it takes certutil, of the package \(package)"))
        }
        // The empty file answers the question for a password, which certutil otherwise asks for ever. Databases of browsers have none, unless the user
        // gave Firefox a primary password; then certutil says so.
        let open = [certutil, "-f", "/dev/null", "-d", "sql:" + folder]
        let note = "restart \(browser) if it runs"
        switch action {
        case .install:
            let enter = TrustPlace.Command(open + ["-A", "-t", "C,,", "-n", label, "-i", path])
            let create: [TrustPlace.Command] =
                isNew
                ? [.init(["mkdir", "-p", "-m", "700", folder]), .init([certutil, "-d", "sql:" + folder, "-N", "--empty-password"])] : []
            return TrustPlace(name: name, work: .run(create + [enter]), note: note)
        case .remove:
            return TrustPlace(
                name: name, work: .run([.init(open + ["-D", "-n", label])]), onlyIf: .init(open + ["-L", "-n", label]), note: note)
        }
    }
}
