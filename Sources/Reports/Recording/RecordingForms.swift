import CaptureFiles

/// pcapng: what a proxy relayed, as packets that would have carried it; or what went over both connections, as TCP packets, and the secrets of its TLS
/// sessions.
package struct RelayedPacketsForm: OutputForm {
    package var isSealed: Bool

    package init(isSealed: Bool) { self.isSealed = isSealed }

    package var payloadDemand: Int { 0 }
    package var unit: (one: String, several: String) { ("packet", "packets") }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(RelayedPackets(BlockOutput(place.outlet), isSealed: isSealed))
    }
}

/// pcapng: the packets that were captured, as they are; or what the directions of captured conversations brought, as packets that would have carried
/// it.
package struct CapturedPacketsForm: OutputForm {
    package var settings: RecordingSettings
    package var isDecrypted: Bool

    package init(_ settings: RecordingSettings, isDecrypted: Bool) { (self.settings, self.isDecrypted) = (settings, isDecrypted) }

    package var payloadDemand: Int { settings.soughtBytes }
    package var payloadTable: PayloadTable? { settings.payloads }
    package var unit: (one: String, several: String) { ("packet", "packets") }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        if isDecrypted { return HeldOutput(StreamPackets(BlockOutput(place.outlet), settings, decoding: decoding)) }
        return HeldOutput(CapturedPackets(BlockOutput(place.outlet), settings, decoding: decoding))
    }
}

/// Nothing: the first reading of inputs whose packets are recorded in the second.
package struct PacketSurveyForm: OutputForm {
    package var settings: RecordingSettings
    package var found: PickedPackets

    package init(_ settings: RecordingSettings, into found: PickedPackets) { (self.settings, self.found) = (settings, found) }

    package var payloadDemand: Int { settings.soughtBytes }
    package var payloadTable: PayloadTable? { settings.payloads }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(PacketSurvey(settings, into: found, decoding: decoding))
    }
}
