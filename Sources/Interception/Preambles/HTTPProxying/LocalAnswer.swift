/// What the proxy answers by itself to a client in the HTTP mode, and what becomes of the connection then.
package struct LocalAnswer: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The page at http://unmask.test/ with the certificate and what to do with it.
        case certificateOverview
        case certificatePEM
        case certificateDER
        /// Another path of http://unmask.test/.
        case notFound
        /// The proxy was taken for a server: how to set it as a proxy.
        case howToUse
        /// 407 (RFC 9110, section 15.5.8).
        case authenticationRequired
        /// A client error (4xx) or a server error (5xx), and why, in words.
        case refusal(status: UInt16, reason: String)
    }

    package var content: Content
    /// The request is a HEAD: the answer has a head only (RFC 9110, section 9.3.2).
    package var isToHead: Bool
    /// The connection ends with this answer. Otherwise the client may go on.
    package var closes: Bool
    /// Whom the client claimed to be with a password that is not the right one; none where it told no user and password.
    package var wrongUser: String?
    /// What the client asked for, as it wrote it; empty where that could not be read.
    package var target = ""

    package init(_ content: Content, isToHead: Bool = false, closes: Bool = true) {
        self.content = content
        self.isToHead = isToHead
        self.closes = closes
    }

    package var status: UInt16 {
        switch content {
        case .certificateOverview, .certificatePEM, .certificateDER: 200
        case .notFound: 404
        case .howToUse: 400
        case .authenticationRequired: 407
        case .refusal(let status, _): status
        }
    }

    /// Why, for the log; none for pages.
    package var reason: String? {
        switch content {
        case .certificateOverview, .certificatePEM, .certificateDER, .notFound: nil
        case .howToUse: "the client took the proxy for a server"
        case .authenticationRequired: wrongUser.map { "wrong user or password (user \"\($0)\")" } ?? "the client sent no user and password"
        case .refusal(_, let reason): reason
        }
    }
}
