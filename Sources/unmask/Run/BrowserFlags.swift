/// What a Chromium takes on its command line instead of variables.
enum BrowserFlags {
    private static let names: Set<String> = [
        "chromium", "chromium-browser", "chrome", "google-chrome", "google-chrome-stable", "google-chrome-beta", "google-chrome-unstable",
        "chrome-headless-shell", "headless_shell", "microsoft-edge", "microsoft-edge-stable", "msedge", "brave", "brave-browser", "vivaldi",
        "vivaldi-stable",
    ]

    /// Whether a command is a browser of that family, by its name.
    static func isForCommand(_ word: String) -> Bool { names.contains(word.split(separator: "/").last.map(String.init) ?? word) }

    /// What the browser has to say to its maker, of itself: updates, its clock, the accounts of Google, what a form may be for, crash reports.
    private static let quiet = [
        "--disable-background-networking", "--disable-component-update", "--disable-component-extensions-with-background-pages",
        "--disable-default-apps", "--disable-sync", "--disable-domain-reliability", "--disable-breakpad", "--no-pings",
        "--disable-features=NetworkTimeServiceQuerying,OptimizationHints,OptimizationGuideModelDownloading,MediaRouter,AutofillServerCommunication",
        // No option turns these two off. The browser refuses to connect to port 9 (discard), before any proxy hears of it.
        "--component-updater=url-source=http://\(refused)/", "--gaia-url=http://\(refused)",
    ]

    private static let refused = "127.0.0.1:9"

    /// The options, to stand before the user's own: of two of a kind the last one counts.
    ///
    /// - Parameters:
    ///   - pin: the digest of the key whose certificates are to be believed whoever signed them.
    ///   - folder: the run's; the browser has a profile of its own in it.
    static func flags(_ ports: RunVariables.Ports?, pin: String, folder: String) -> [String] {
        var flags = [
            "--user-data-dir=\(folder)/profile", "--ignore-certificate-errors-spki-list=\(pin)", "--no-first-run",
            "--no-default-browser-check",
            // HTTP/3 goes around the proxy.
            "--disable-quic",
        ]
        flags += quiet
        if let ports {
            // Loopback is left out otherwise.
            flags += ["--proxy-server=http://127.0.0.1:\(ports.http)", "--proxy-bypass-list=<-loopback>"]
        }
        return flags
    }
}
