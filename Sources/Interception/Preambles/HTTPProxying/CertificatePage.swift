/// The pages that the proxy serves by itself, in one style that needs nothing from elsewhere.
enum CertificatePage {
    /// The certificate, and how each kind of system comes to trust it.
    static func overview(fingerprint: String?) -> String {
        let print = fingerprint.map { "<p class=\"note\">SHA-256 fingerprint<br><code>\(escaped($0))</code></p>" } ?? ""
        return page(
            title: "Trust unmask on this device",
            """
            <p>This device reaches the network through <strong>unmask</strong>. To read the TLS connections of your own apps, it signs a
            certificate for each server with a local authority. Install that authority only on devices that you use for testing, and
            remove it when you are done.</p>
            <p class="buttons"><a class="button" href="/unmask-ca.crt">Certificate for devices (.crt)</a>
            <a class="button" href="/unmask-ca.pem">Certificate for programs (.pem)</a></p>
            \(print)
            \(steps)
            """)
    }

    /// Any other path.
    static let notFound = page(
        title: "There is no such page", "<p>The certificate and how to install it are on the <a href=\"/\">first page</a>.</p>")

    /// For whoever asks the proxy as if it were a server.
    static let howToUse = page(
        title: "This is a proxy",
        """
        <p>You reached <strong>unmask</strong> as if it were a web server. Set this host and port as the <em>HTTP proxy</em> of your system,
        browser or program, and open the address that you meant:</p>
        <pre>curl --proxy http://<em>this-host</em>:<em>this-port</em> http://example.org/</pre>
        <p>Then <a href="http://unmask.test/">http://unmask.test/</a> shows how to trust its certificate, which is also here for
        <a href="/unmask-ca.crt">devices (.crt)</a> and <a href="/unmask-ca.pem">programs (.pem)</a>.</p>
        <p>To put unmask in front of one server instead, start it with <code>unmask proxy --upstream http://server:port</code>.</p>
        """)

    private static let steps = """
        <h2>iPhone, iPad</h2>
        <ol><li>Open this page in Safari, take the .crt, and allow the download.</li>
        <li>Settings, General, VPN &amp; Device Management: install the profile.</li>
        <li>Settings, General, About, Certificate Trust Settings: switch full trust on.</li></ol>
        <h2>Android</h2>
        <ol><li>Take the .crt.</li>
        <li>Settings, Security, Encryption &amp; credentials, Install a certificate, CA certificate.</li>
        <li>Apps trust it if their network security configuration names <code>user</code> certificates, as debug builds can.</li></ol>
        <h2>macOS</h2>
        <pre>sudo security add-trusted-cert -d -r trustRoot \\
          -k /Library/Keychains/System.keychain unmask-ca.pem</pre>
        <h2>Windows</h2>
        <pre>certutil -user -addstore Root unmask-ca.crt</pre>
        <h2>Linux</h2>
        <pre>sudo cp unmask-ca.pem /usr/local/share/ca-certificates/unmask-ca.crt
        sudo update-ca-certificates</pre>
        <h2>Firefox</h2>
        <p>Settings, Privacy &amp; Security, View Certificates, Authorities, Import: the .pem, to identify websites.</p>
        <h2>Programs</h2>
        <pre>curl --cacert unmask-ca.pem …
        NODE_EXTRA_CA_CERTS=unmask-ca.pem node …
        SSL_CERT_FILE=unmask-ca.pem python …
        keytool -importcert -cacerts -alias unmask -file unmask-ca.crt</pre>
        """

    private static func page(title: String, _ body: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark"><title>\(title)</title><style>\(style)</style></head>
        <body><main><h1>\(title)</h1>
        \(body)
        </main></body></html>

        """
    }

    private static let style = """
        :root { --ink: #1c2126; --paper: #fbfbf9; --soft: #eeefeb; --line: #d5d8d2; --accent: #0b6b57; --on-accent: #fff }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e4e7e3; --paper: #15181a; --soft: #202527; --line: #353c3f; --accent: #6fd3b6; --on-accent: #0d1a16 } }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
        main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1rem } h2 { font-size: 1.05rem; margin: 2rem 0 .4rem }
        p, ol, pre { margin: .6rem 0 } ol { padding-left: 1.4rem } a { color: var(--accent) }
        code, pre { font: .875rem/1.5 ui-monospace, monospace; background: var(--soft); border-radius: 6px }
        code { padding: .1em .35em; overflow-wrap: anywhere } pre { padding: .75rem 1rem; overflow-x: auto; border: 1px solid var(--line) }
        .buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 }
        .button { background: var(--accent); color: var(--on-accent); padding: .7rem 1.1rem; border-radius: 8px; text-decoration: none;
          font-weight: 600 }
        .note { border-left: 3px solid var(--line); padding-left: .9rem; font-size: .9rem } .note code { padding: 0; background: none }
        """

    /// Text inside HTML.
    private static func escaped(_ text: String) -> String {
        var safe = ""
        for character in text {
            switch character {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\"": safe += "&quot;"
            default: safe.append(character)
            }
        }
        return safe
    }
}
