import NIOCore

/// Reverse mode: the server is in the settings, and dialled at accept.
final class ReverseFront: Front {
    let mode = "reverse"
    private let plan: Plan

    init(_ plan: Plan) { self.plan = plan }

    func start(_ session: ClientSession) { session.dial(plan) }
}
