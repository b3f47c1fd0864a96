import NIOCore

/// Reverse mode: the server is in the settings, and dialled at accept.
final class ReverseFront: Front {
    let mode = "reverse"
    private let core: ProxyCore
    private let plan: Plan

    init(_ plan: Plan, core: ProxyCore) {
        self.core = core
        self.plan = plan
    }

    func start(_ session: ClientSession) { session.dial(plan) }

    func prepare(_ relay: Relay, session: ClientSession) {
        let settings = core.settings
        guard settings.rewrittenHost != nil || settings.rewrittenOrigin != nil, !session.isSealed else { return }
        relay.filter = RewritingFilter(host: settings.rewrittenHost, origin: settings.rewrittenOrigin, recorder: core.recorder)
    }
}
