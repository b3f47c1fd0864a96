import Dissection
import Support
import Testing

@Suite("TLS without keys")
struct TLSLayerTests {
    private let opened = "opened handshake by handshake"

    @Test func version13() {
        let talk = Talk([
            .client(RecordedHello.client13),
            .server(RecordedHello.server13 + [20, 3, 3, 0, 1, 1] + RecordedHello.sealed(23, 38) + RecordedHello.sealed(23, 422)),
            .client([20, 3, 3, 0, 1, 1] + RecordedHello.sealed(23, 69)),
            .finish(.client), .finish(.server),
        ])
        #expect(
            talk.difference(from: [
                opened,
                "< @0 tls name chat.example alpn  version 304 cipher 1302",
                "< @127 data 6 B tlsRecord(contentType: 20) \"\"",
                "< @133 data 43 B tlsRecord(contentType: 23) \"\"",
                "< @176 data 427 B tlsRecord(contentType: 23) \"\"",
                "> @242 data 6 B tlsRecord(contentType: 20) \"\"",
                "> @248 data 74 B tlsRecord(contentType: 23) \"\"",
                "closed client fin  client fin 322 B  server fin 603 B",
            ]) == nil)
    }

    @Test func helloRetryRequest() {
        let talk = Talk([
            .client(RecordedHello.clientFirst), .server(RecordedHello.retry),
            .client([20, 3, 3, 0, 1, 1] + RecordedHello.clientSecond), .server(RecordedHello.serverSecond + RecordedHello.sealed(23, 23)),
        ])
        #expect(
            talk.difference(from: [
                opened,
                "> @224 data 6 B tlsRecord(contentType: 20) \"\"",
                "< @93 tls name chat.example alpn  version 304 cipher 1302",
                "< @285 data 28 B tlsRecord(contentType: 23) \"\"",
                "closed unknown endOfCapture  client open 519 B  server open 313 B",
            ]) == nil)
    }

    @Test("a server's flight that comes after the client gave up stands in records")
    func flightAfterAlert() {
        let talk = Talk([
            .client(RecordedHello.client12 + [21, 3, 3, 0, 2, 2, 80]),
            .server(RecordedHello.server12 + RecordedHello.record(22, [14, 0, 0, 0])),
        ])
        let client = RecordedHello.client12.count
        let told = talk.transcript()
        #expect(told.contains("< @0 data \(RecordedHello.server12.count) B tlsRecord(contentType: 22) \"\""), "\(told)")
        #expect(told.contains("> @\(client) ! tls.alert-fatal a=80 b=0"))
        #expect(talk.difference(from: told) == nil)
    }

    @Test("in TLS 1.2 the server's choice of protocol is in the clear; certificates are records by size")
    func version12() {
        let talk = Talk([
            .client(RecordedHello.client12), .server(RecordedHello.server12 + RecordedHello.record(22, Array(repeating: 11, count: 402))),
            .client(RecordedHello.record(22, Array(repeating: 1, count: 37))), .server(RecordedHello.sealed(21, 26)),
        ])
        #expect(
            talk.difference(from: [
                opened,
                "< @0 tls name chat.example alpn http/1.1 version 303 cipher c02b",
                "< @85 data 407 B tlsRecord(contentType: 22) \"\"",
                "> @177 data 42 B tlsRecord(contentType: 22) \"\"",
                "< @492 data 31 B tlsRecord(contentType: 21) \"\"",
                "closed unknown endOfCapture  client open 219 B  server open 523 B",
            ]) == nil)
    }

    @Test("hellos in records of one, seven and a hundred bytes", arguments: [1, 7, 100])
    func helloInSeveralRecords(_ count: Int) {
        let client = RecordedHello.split(RecordedHello.client12, count)
        let server = RecordedHello.split(RecordedHello.server12, count)
        let talk = Talk([.client(client), .server(server)])
        #expect(
            talk.difference(from: [
                opened,
                "< @0 tls name chat.example alpn http/1.1 version 303 cipher c02b",
                "closed unknown endOfCapture  client open \(client.count) B  server open \(server.count) B",
            ]) == nil)
    }

    @Test("no ServerHello: what the client asked for is told at the fatal alert, or at the end")
    func withoutServerHello() {
        let alert = Talk([.client(RecordedHello.client12), .server([21, 3, 3, 0, 2, 2, 40])])
        #expect(
            alert.difference(from: [
                opened,
                "> @0 tls name chat.example alpn  version - cipher -",
                "< @0 data 7 B tlsRecord(contentType: 21) \"\"",
                "< @0 ! tls.alert-fatal a=40 b=0",
                "closed unknown endOfCapture  client open 177 B  server open 7 B",
            ]) == nil)
        let silence = Talk([.client(RecordedHello.client12), .finish(.client), .reset(.server)])
        #expect(
            silence.difference(from: [
                opened,
                "> @0 tls name chat.example alpn  version - cipher -",
                "closed client fin  client fin 177 B  server reset 0 B",
            ]) == nil)
    }

    @Test("missing bytes inside a record leave the synchronisation; across a boundary they cost it until the next record")
    func gaps() {
        let inside = Talk([
            .client(RecordedHello.client13), .server(RecordedHello.server13 + RecordedHello.sealed(23, 1_000).prefix(100)),
            .gap(.server, 800, .missing), .server(Array(RecordedHello.sealed(23, 1_000).suffix(105)) + RecordedHello.sealed(23, 40)),
        ])
        #expect(
            inside.difference(from: [
                opened,
                "< @0 tls name chat.example alpn  version 304 cipher 1302",
                "< @227 gap 800 missing",
                "< @127 data 1005 B tlsRecord(contentType: 23) \"\"",
                "< @1132 data 45 B tlsRecord(contentType: 23) \"\"",
                "closed unknown endOfCapture  client open 242 B  server open 377 B 800 missing",
            ]) == nil)
        let across = Talk([
            .client(RecordedHello.client13), .server(RecordedHello.server13 + RecordedHello.sealed(23, 1_000).prefix(100)),
            .gap(.server, 2_000, .missing),
            .server(Array(repeating: 0x17, count: 50) + RecordedHello.sealed(23, 40) + RecordedHello.sealed(23, 41)),
        ])
        #expect(
            across.difference(from: [
                opened,
                "< @0 tls name chat.example alpn  version 304 cipher 1302",
                "< @227 gap 2000 missing",
                "< @127 data 1005 B tlsRecord(contentType: 23) \"\"",
                "< @2227 gap 50 resync",
                "< @2277 data 45 B tlsRecord(contentType: 23) \"\"",
                "< @2322 data 46 B tlsRecord(contentType: 23) \"\"",
                "closed unknown endOfCapture  client open 242 B  server open 368 B 2000 missing",
            ]) == nil)
    }

    @Test("a lost part of the ClientHello costs the names, not what was agreed")
    func lostHello() {
        let talk = Talk([
            .client(Array(RecordedHello.client12.prefix(60))), .gap(.client, 40, .truncated),
            .client(Array(RecordedHello.client12.suffix(77))), .server(RecordedHello.server12),
        ])
        #expect(
            talk.difference(from: [
                opened,
                "> @60 gap 40 truncated",
                "> @0 data 177 B tlsRecord(contentType: 22) \"\"",
                "< @0 tls name  alpn http/1.1 version 303 cipher c02b",
                "closed unknown endOfCapture  client open 137 B 40 missing  server open 85 B",
            ]) == nil)
    }

    @Test("a client that is done sending may still be answered")
    func halfClose() {
        let talk = Talk([.client(RecordedHello.client12), .finish(.client), .server(RecordedHello.server12), .finish(.server)])
        #expect(
            talk.difference(from: [
                opened,
                "< @0 tls name chat.example alpn http/1.1 version 303 cipher c02b",
                "closed client fin  client fin 177 B  server fin 85 B",
            ]) == nil)
    }

    @Test("what looked like a header behind a loss and was none breaks no rule")
    func falseSynchronisation() {
        let talk = Talk([
            .client(RecordedHello.client13), .server(RecordedHello.server13), .gap(.server, 100, .missing),
            .server([9, 9, 23, 3, 3, 0, 5, 1, 2, 3, 4, 5] + Array(repeating: 0x55, count: 20) + RecordedHello.sealed(23, 40)),
        ])
        #expect(
            talk.difference(from: [
                opened,
                "< @0 tls name chat.example alpn  version 304 cipher 1302",
                "< @127 gap 100 missing",
                "< @227 gap 2 resync",
                "< @229 data 10 B tlsRecord(contentType: 23) \"\"",
                "< @239 gap 20 resync",
                "< @259 data 45 B tlsRecord(contentType: 23) \"\"",
                "closed unknown endOfCapture  client open 242 B  server open 204 B 100 missing",
            ]) == nil)
    }

    @Test("a record names the packets that carried it, header included, and those alone")
    func packets() {
        var sink = Places()
        var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: true)
        var layer = TLSLayer<Reader>()
        var offset: UInt64 = 0
        let record = RecordedHello.sealed(23, 100)
        let runs: [[UInt8]] = [
            Array(repeating: 0x55, count: 40), Array(repeating: 0x55, count: 40) + record[..<2], Array(record[2..<50]),
            Array(record[50...]),
            RecordedHello.sealed(23, 9),
        ]
        for (index, run) in runs.enumerated() {
            let place = Place(packets: PacketRange(UInt64(index + 1)))
            _ = layer.receive(run.rawBytes, at: Arrival(side: .server, offset: offset, place: place), context: &context, sink: &sink)
            offset += UInt64(run.count)
        }
        #expect(sink.records == [PacketRange(lowest: 2, highest: 4), PacketRange(5)])
    }

    @Test("a capture that begins in the middle, with the client saying hello again on the same connection")
    func midstream() {
        let noise: [UInt8] = Array(repeating: 0x42, count: 30)
        let talk = Talk(
            [.client(noise + RecordedHello.client12), .server(noise + RecordedHello.server12)], knowsRoles: false, start: .midstream)
        #expect(
            talk.difference(from: [
                "opened midstream by content",
                "> @0 data \"\(String(repeating: "B", count: 30))\"",
                "< @0 data \"\(String(repeating: "B", count: 30))\"",
                "< @30 tls name chat.example alpn http/1.1 version 303 cipher c02b",
                "closed unknown endOfCapture  client open 207 B  server open 115 B",
            ]) == nil)
    }

    @Test("what was searched before a loss is told before the loss")
    func searchedBeforeALoss() {
        let noise = [UInt8](repeating: 0xF7, count: 30)
        let talk = Talk([.server(noise), .gap(.server, 9, .missing), .server(noise), .finish(.server)], start: .midstream, forced: .tls)
        #expect(
            talk.transcript().filter { $0.contains("gap") } == ["< @0 gap 30 resync", "< @30 gap 9 missing", "< @39 gap 30 resync"])
    }

    @Test("whatever bytes follow the hellos, nothing stops the program and every byte is told once")
    func mutated() {
        var random = SplitMix(seed: 11)
        for round in 0..<400 {
            var stream: [UInt8] = []
            while stream.count < 600 {
                stream += RecordedHello.sealed([20, 21, 22, 23, 24].randomElement(using: &random) ?? 23, Int(random.next() % 200))
            }
            for _ in 0..<round % 5 { stream[Int(random.next() % UInt64(stream.count))] = UInt8(truncatingIfNeeded: random.next()) }
            stream.removeLast(Int(random.next() % 20))
            var sink = Accounting()
            var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
            var layer = TLSLayer<Reader>()
            var offset = 0
            for (side, bytes) in [(Side.client, RecordedHello.client13), (.server, RecordedHello.server13 + stream)] {
                offset = 0
                while offset < bytes.count {
                    let count = min(bytes.count - offset, 1 + Int(random.next() % 97))
                    let arrival = Arrival(side: side, offset: UInt64(offset), place: Place())
                    _ = layer.receive(bytes.rawBytes.extracting(offset..<offset + count), at: arrival, context: &context, sink: &sink)
                    offset += count
                }
            }
            layer.finish(at: Arrival(side: .server, offset: UInt64(offset), place: Place()), context: &context, sink: &sink)
            #expect(sink.told == UInt64(stream.count), "round \(round)")
            #expect(layer.heldBytes == 0)
        }
    }

    @Test("mutated hellos never stop the program, and hold no more than the limit")
    func mutatedHellos() {
        var random = SplitMix(seed: 12)
        for _ in 0..<20_000 {
            var client = RecordedHello.client13
            var server = RecordedHello.server12
            for _ in 0..<3 { client[5 + Int(random.next() % UInt64(client.count - 5))] = UInt8(truncatingIfNeeded: random.next()) }
            for _ in 0..<3 { server[5 + Int(random.next() % UInt64(server.count - 5))] = UInt8(truncatingIfNeeded: random.next()) }
            var sink = Accounting()
            var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
            var layer = TLSLayer<Reader>()
            _ = layer.receive(client.rawBytes, at: Arrival(side: .client, offset: 0, place: Place()), context: &context, sink: &sink)
            _ = layer.receive(server.rawBytes, at: Arrival(side: .server, offset: 0, place: Place()), context: &context, sink: &sink)
            #expect(layer.heldBytes <= 2 * context.limits.helloBytes)
        }
    }
}

/// Counts the bytes that data and skipped bytes stand for.
private struct Accounting: ConversationSink {
    var told: UInt64 = 0

    mutating func receive(_ event: borrowing ConversationEvent) {
        switch event.fact {
        case .data(let run): told += run.length
        case .gap(let gap): told += gap.length
        default: break
        }
    }
}

/// Collects the packets of each record.
private struct Places: ConversationSink {
    var records: [PacketRange] = []

    mutating func receive(_ event: borrowing ConversationEvent) {
        if case .data = event.fact, let packets = event.place.packets { records.append(packets) }
    }
}
