import Dissection
import NIOCore

/// What all sessions of a proxy share.
final class ProxyCore: Sendable {
    let settings: ProxySettings
    let recorder: Recorder
    let places: ListeningPlaces
    let dialer: Dialer
    let tls: TLSTermination
    let conversations = OpenConversations()

    init(settings: ProxySettings, recorder: Recorder, tls: TLSTermination) {
        self.settings = settings
        self.recorder = recorder
        self.tls = tls
        places = ListeningPlaces()
        dialer = Dialer(places: places, patience: settings.patience.connect)
    }
}

extension ProxyCore {
    func noteOutOfFiles(_ reason: String) {}
}

protocol TLSUpgradeWatching: AnyObject {
    func takes(_ bytes: ByteBuffer, from: Side, at: Timestamp) -> Bool
}

package struct HostGlob: Hashable, Sendable {
    package init(_ text: String) throws(SpecError) {}
}
