import NIOCore

/// What the proxy says to the proxy behind it before bytes go through (`--via`).
protocol UpstreamPreambleTalk: AnyObject {
    func firstBytes() -> [UInt8]
    func receive(_ bytes: [UInt8]) -> UpstreamTalkStep
}

enum UpstreamTalkStep {
    case needsMore
    case send([UInt8])
    case connected(rest: [UInt8])
    case refused(DialFailure)
}

extension ViaURL {
    var destination: Destination { Destination(proxy) }
    func talk(to destination: Destination) -> any UpstreamPreambleTalk { fatalError() }
}
