/// What `unmask demo` says between the conversations.
enum DemoWords {
    static func plain(serverPort: Int, proxyPort: Int) -> String {
        """

        1. A chat over ws://, through a proxy in front of one server, as if by
             unmask proxy --upstream ws://localhost:\(serverPort)
           Ana's app connects to port \(proxyPort) instead. It joins a room, gets the history in three
           fragments, answers a ping, sends a picture. Then it cuts a text in the middle of
           an emoji: see what the server makes of that, and what Unmask (!) says about it.

        """
    }

    static func secure(serverPort: Int, proxyPort: Int) -> String {
        """

        2. The app is mended, and speaks wss:// with a server at port \(serverPort), through
             unmask proxy --mode http
           The app asks port \(proxyPort) for a tunnel (CONNECT). The proxy opens the TLS inside under an
           authority that the app trusts, made for this demonstration and already deleted.

        """
    }

    static let next = """

        Next:
          unmask proxy --upstream ws://localhost:9000   your server: point the app at the port it prints
          unmask proxy --mode http                      any server: make it the HTTP proxy of your app
          unmask ca                                     what the app has to trust, for TLS
          unmask read capture.pcapng                    a capture instead of a live app
        """
}
