/// An upgrade request as it was asked: a copy of its head, kept until the answer (RFC 9110, section 7.8).
package struct UpgradeOffer: Sendable {
    /// The head as on the wire, with its empty line.
    package var head: [UInt8]
    /// Where its parts lie in `head`.
    package var request: RequestHead
    /// Where the head began, and the packets that carried it.
    package var arrival: Arrival
    /// What was asked for: the value of `Upgrade`, one or several names.
    package var protocols: ByteRange
    /// The value of `Host`; empty where there is none.
    package var host: ByteRange
    /// `websocket` is among the protocols.
    package var isWebSocket: Bool
    /// Not all of the head was seen, so that nothing can be concluded from what is not in it.
    package var isCut: Bool

    package init(
        head: [UInt8], request: RequestHead, arrival: Arrival, protocols: ByteRange = ByteRange(), host: ByteRange = ByteRange(),
        isWebSocket: Bool = false, isCut: Bool = false
    ) {
        self.head = head
        self.request = request
        self.arrival = arrival
        self.protocols = protocols
        self.host = host
        self.isWebSocket = isWebSocket
        self.isCut = isCut
    }

    /// What became of it, told with its own head as the content.
    package func answered(_ isAccepted: Bool) -> Upgrade {
        Upgrade(protocolName: protocols, accepted: isAccepted, host: host, target: request.target)
    }
}
