/// Where a request to the proxy leads, by its method and target.
enum ProxyRoute {
    case connect(HostPort)
    case forward(AbsoluteTarget)
    case answer(LocalAnswer.Content)

    init(_ head: ProxyRequestHead) {
        let target = head.bytes[head.target]
        if head.isMethod("CONNECT") {
            self = ProxyRoute.connect(target)
            return
        }
        do {
            let absolute = try AbsoluteTarget(target)
            let isOwn = absolute.origin.host.lowercased() == HTTPProxyRequests.ownName
            self = isOwn ? .answer(ProxyRoute.page(absolute.plainPath, direct: false)) : .forward(absolute)
        } catch .notAbsolute where target.first == UInt8(ascii: "/") || target.elementsEqual("*".utf8) {
            // Asked like a server: under our own name by a client that was led here, or by mistake.
            let host = head.fields.hosts.first.flatMap { try? HostPort.parse(head.bytes[$0.value], defaultPort: 80).host.lowercased() }
            self = .answer(ProxyRoute.page(AbsoluteTarget.plainPath(target), direct: host != HTTPProxyRequests.ownName))
        } catch {
            self = .answer(.refusal(status: 400, reason: ProxyRoute.words(for: error)))
        }
    }

    private static func connect(_ target: ArraySlice<UInt8>) -> ProxyRoute {
        guard !target.contains(UInt8(ascii: "@")) else {
            return .answer(
                .refusal(
                    status: 400,
                    reason: "CONNECT takes HOST:PORT, without a user; a password for the proxy belongs into Proxy-Authorization"))
        }
        do {
            // The port has to be there (RFC 9110, section 9.3.6).
            let place = try HostPort.parse(target)
            guard place.host.lowercased() == HTTPProxyRequests.ownName else { return .connect(place) }
            return .answer(
                .refusal(
                    status: 403, reason: "\(HTTPProxyRequests.ownName) is this proxy itself: open http://\(HTTPProxyRequests.ownName)/"))
        } catch {
            return .answer(.refusal(status: 400, reason: "CONNECT takes HOST:PORT: \(error)"))
        }
    }

    /// - Parameter direct: the proxy was taken for a server.
    private static func page(_ path: String, direct: Bool) -> LocalAnswer.Content {
        switch path {
        case "/unmask-ca.pem": .certificatePEM
        case "/unmask-ca.crt", "/unmask-ca.cer", "/unmask-ca.der": .certificateDER
        case _ where direct: .howToUse
        case "/": .certificateOverview
        default: .notFound
        }
    }

    private static func words(for fault: AbsoluteTarget.Fault) -> String {
        switch fault {
        case .notAbsolute: "the request target is neither a URL nor a path"
        case .scheme("https"), .scheme("wss"): "a client reaches TLS servers through CONNECT, and not by a URL with https:// or wss://"
        case .scheme(let scheme): "this proxy knows http:// and ws:// URLs, and not \(scheme)://"
        case .user: "a URL with a user in it is not forwarded (RFC 9110, section 4.2.4)"
        case .host(let fault): "invalid host in the URL: \(fault)"
        }
    }
}
