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

    package init(_ content: Content, isToHead: Bool = false, closes: Bool = true) {
        self.content = content
        self.isToHead = isToHead
        self.closes = closes
    }

    /// Why, for the log; none for pages.
    package var reason: String? {
        switch content {
        case .certificateOverview, .certificatePEM, .certificateDER, .notFound: nil
        case .howToUse: "a client took the proxy for a server"
        case .authenticationRequired: "the client has to tell user and password"
        case .refusal(_, let reason): reason
        }
    }
}
