import Testing

/// Each ending of a TLS connection arrives on the other side of a relay as it was sent.
@Suite("Endings through TLS", .serialized)
struct EndingTests {
    static let versions = ["1.2", "1.3"]
    static let eightMiB = 8 << 20

    private func talk(_ version: String, _ client: [String], _ server: [String]) throws -> PeerDialogue? {
        guard PeerDialogue.python != nil else {
            print("skipped: python3 is not here")
            return nil
        }
        return try PeerDialogue(version: version, client: client, server: server)
    }

    /// The same with the roles changed: what the client does, the server does.
    private func expect(
        _ version: String, one: [String], other: [String], oneSees: [String], otherSees: [String],
        location: SourceLocation = #_sourceLocation
    ) throws {
        let name = "version TLSv\(version)"
        if let talk = try talk(version, one, other) {
            #expect(talk.client == [name] + oneSees, "the client acts", sourceLocation: location)
            #expect(talk.server == [name] + otherSees, "the client acts", sourceLocation: location)
        }
        if let talk = try talk(version, other, one) {
            #expect(talk.client == [name] + otherSees, "the server acts", sourceLocation: location)
            #expect(talk.server == [name] + oneSees, "the server acts", sourceLocation: location)
        }
    }

    @Test("close_notify alone stays alone: no FIN with it, the other direction goes on, the FIN comes when it is sent", arguments: versions)
    func closeNotifyAlone(version: String) throws {
        try expect(
            version, one: ["send:5", "notify", "take:7", "fin", "see", "see"], other: ["see", "quiet", "send:7", "see", "notify", "fin"],
            oneSees: ["took 7", "notify", "fin"], otherSees: ["data 5", "notify", "quiet", "fin"])
    }

    @Test("FIN without close_notify stays without", arguments: versions)
    func bareFIN(version: String) throws {
        try expect(
            version, one: ["send:100000", "fin", "see"], other: ["see", "send:3", "fin"], oneSees: ["data 3", "fin"],
            otherSees: ["data 100000", "fin"])
    }

    @Test("close_notify and FIN at once", arguments: versions)
    func closeNotifyAndFIN(version: String) throws {
        try expect(
            version, one: ["send:20000", "notify", "fin", "see", "see"], other: ["see", "see", "notify", "fin"],
            oneSees: ["notify", "fin"],
            otherSees: ["data 20000", "notify", "fin"])
    }

    @Test("RST stays RST, behind all that was sent before it", arguments: versions)
    func reset(version: String) throws {
        try expect(
            version, one: ["send:300000", "take:1", "reset"], other: ["take:300000", "send:1", "see"], oneSees: ["took 1"],
            otherSees: ["took 300000", "reset"])
    }

    @Test("RST right behind the data", arguments: versions)
    func resetAtOnce(version: String) throws {
        try expect(version, one: ["send:200000", "reset"], other: ["see"], oneSees: [], otherSees: ["data 200000", "reset"])
    }

    @Test("RST after close_notify", arguments: versions)
    func closeNotifyAndReset(version: String) throws {
        try expect(
            version, one: ["send:10", "notify", "take:1", "reset"], other: ["see", "send:1", "see"], oneSees: ["took 1"],
            otherSees: ["data 10", "notify", "reset"])
    }

    @Test("RST after FIN", arguments: versions)
    func finAndReset(version: String) throws {
        try expect(
            version, one: ["send:10", "fin", "take:1", "reset"], other: ["see", "send:1", "take:1"], oneSees: ["took 1"],
            otherSees: ["data 10", "fin", "unexpected fin"])
    }

    @Test("close_notify first, then 8 MiB back to a slow reader", arguments: versions)
    func closeNotifyThenMuchBack(version: String) throws {
        try expect(
            version, one: ["slow", "send:3", "notify", "see", "see"], other: ["see", "send:\(Self.eightMiB)", "notify", "fin"],
            oneSees: ["data \(Self.eightMiB)", "notify", "fin"], otherSees: ["data 3", "notify"])
    }

    @Test("FIN first, then 8 MiB back to a slow reader", arguments: versions)
    func finThenMuchBack(version: String) throws {
        try expect(
            version, one: ["slow", "send:3", "fin", "see", "see"], other: ["see", "send:\(Self.eightMiB)", "notify", "fin"],
            oneSees: ["data \(Self.eightMiB)", "notify", "fin"], otherSees: ["data 3", "fin"])
    }

    @Test("FIN first, then 8 MiB and a bare FIN back to a slow reader", arguments: versions)
    func finThenMuchBackAndBareFIN(version: String) throws {
        try expect(
            version, one: ["slow", "fin", "see"], other: ["see", "send:\(Self.eightMiB)", "fin"],
            oneSees: ["data \(Self.eightMiB)", "fin"],
            otherSees: ["fin"])
    }

    @Test("both end at once", arguments: versions)
    func bothAtOnce(version: String) throws {
        try expect(
            version, one: ["send:9", "notify", "fin", "see", "see"], other: ["send:9", "notify", "fin", "see", "see"],
            oneSees: ["data 9", "notify", "fin"], otherSees: ["data 9", "notify", "fin"])
    }
}
