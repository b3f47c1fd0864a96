import Dissection
import NIOCore
import Synchronization

/// What all sessions of a proxy share.
final class ProxyCore: Sendable {
    let settings: ProxySettings
    let recorder: Recorder
    let places: ListeningPlaces
    let ownConnections: OwnConnections
    let dialer: Dialer
    let tls: TLSTermination
    let conversations = OpenConversations()
    let preambles: PreambleBudget

    init(settings: ProxySettings, recorder: Recorder, tls: TLSTermination) {
        self.settings = settings
        self.recorder = recorder
        self.tls = tls
        preambles = PreambleBudget(limit: settings.preambleBytes)
        places = ListeningPlaces()
        ownConnections = OwnConnections(isWatching: settings.entrances.contains { $0.mode == .transparent })
        dialer = Dialer(places: places, ownConnections: ownConnections, patience: settings.patience.connect)
    }
}

extension ProxyCore {
    /// A client would have the proxy connect to itself.
    func noteLoop(_ reason: String) {
        recorder.find(.proxyLoop, detail: reason, in: 0, at: .now)
    }

    /// The process has no files left, and accepts nobody for a moment.
    func noteOutOfFiles(_ reason: String) {
        recorder.find(.proxyOutOfFiles, detail: reason, in: 0, at: .now)
    }
}

/// The core of a proxy that does not accept anybody before it is there.
final class CoreBox: Sendable {
    private let content = Mutex<ProxyCore?>(nil)

    var core: ProxyCore? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
