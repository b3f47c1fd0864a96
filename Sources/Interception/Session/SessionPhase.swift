/// How far a client's session has come.
enum SessionPhase {
    /// The front of the mode learns where to.
    case front
    case dialling
    /// What the client speaks is not known yet.
    case deciding
    case securingServer
    case securingClient
    case relaying
    case over

    var isBeforeRelay: Bool { self != .relaying && self != .over }
}
