/// What `unmask demo` says between the conversations, in lines that fit into 80 columns.
struct DemoWords {
    /// Whether headings stand out.
    let isBold: Bool

    func plain(serverPort: Int, proxyPort: Int) -> String {
        """

        \(heading("1. A chat over ws://, through a proxy in front of one server"))
           $ unmask proxy --upstream ws://localhost:\(serverPort)
           Ana's app connects to port \(proxyPort) instead. It joins a room, gets the history
           in three fragments, answers a ping, sends a picture. Then it cuts a text in
           the middle of an emoji: see what the server makes of it, and what the line
           with the ! says.

        """
    }

    func secure(serverPort: Int, proxyPort: Int) -> String {
        """

        \(heading("2. A chat over wss://, through an HTTP proxy that opens the TLS"))
           $ unmask proxy --mode http
           The app is mended. It asks port \(proxyPort) for a tunnel to localhost:\(serverPort), and
           speaks TLS inside. The proxy can read that because the app trusts its
           authority: one made for this demonstration, and already deleted.

        """
    }

    var next: String {
        """

        \(heading("Next"))
           unmask proxy --upstream ws://localhost:9000   your server; point the app at
                                                         the port that is printed
           unmask proxy --mode http                      any server; make it the HTTP
                                                         proxy of your app
           unmask ca                                     what the app has to trust
           unmask read capture.pcapng                    a capture, afterwards
           unmask help proxy                             more; and docs/proxying-apps.md
        """
    }

    private func heading(_ text: String) -> String { isBold ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
