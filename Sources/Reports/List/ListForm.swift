extension ListSettings: OutputForm {
    package var payloadDemand: Int { soughtBytes }
    package var payloadTable: PayloadTable? { payloads }
    package var unit: (one: String, several: String) { form == .text ? ("line", "lines") : ("record", "records") }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(ListReport(place.open(), settings: self, decoding: decoding))
    }
}
