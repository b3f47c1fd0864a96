package import Dissection

extension ConversationContext {
    /// The context of a layer that is tested by itself: of a conversation between nobody in particular, with no other layers.
    package init(number: UInt64, limits: Limits, startsMidstream: Bool) {
        let endpoint = Endpoint(address: IPAddress(), port: 1)
        self.init(
            number: number, limits: limits, layers: LayerTable([]),
            parties: Parties(
                first: endpoint, second: endpoint, sideOfFirst: .client, start: startsMidstream ? .midstream : .handshake, rulePort: nil,
                openedPlace: Place()))
    }
}
