import Dissection
import Testing

/// Where an HTTP/1 message ends: the table of RFC 9112, section 6.3, that the dissector and the proxy share.
@Suite struct MessageFramingTests {
    private func fields(
        coded: Bool = false, chunkedLast: Bool = false, bad: Bool = false, length: UInt64? = nil, old: Bool = false, unsaid: UInt64 = 0
    ) -> FramingFields {
        FramingFields(
            hasTransferEncoding: coded, isChunkedLast: chunkedLast, hasBadLength: bad, contentLength: length, isBefore11: old,
            unsaidBytes: unsaid)
    }

    @Test func requests() {
        #expect(MessageFraming(request: fields()) == .none)
        #expect(MessageFraming(request: fields(length: 0)) == .none)
        #expect(MessageFraming(request: fields(length: 7)) == .length(7))
        #expect(MessageFraming(request: fields(bad: true, length: 7)) == .unknown)
        // A transfer coding goes before any length (item 3).
        #expect(MessageFraming(request: fields(coded: true, chunkedLast: true, bad: true, length: 7)) == .chunked)
        #expect(MessageFraming(request: fields(coded: true, length: 7)) == .unknown)
        #expect(MessageFraming(request: fields(unsaid: 8)) == .length(8))
        #expect(MessageFraming(request: fields(length: 3, unsaid: 8)) == .length(3))
    }

    @Test func responses() {
        func of(_ fields: FramingFields, _ status: UInt16 = 200, head: Bool = false) -> MessageFraming {
            MessageFraming(response: fields, status: status, isToHead: head)
        }
        #expect(of(fields()) == .untilClose)
        #expect(of(fields(length: 0)) == .none)
        #expect(of(fields(length: 7)) == .length(7))
        #expect(of(fields(bad: true, length: 7)) == .untilClose)
        #expect(of(fields(coded: true, chunkedLast: true, length: 7)) == .chunked)
        #expect(of(fields(coded: true)) == .untilClose)
        for status in [100, 103, 199, 204, 304] as [UInt16] { #expect(of(fields(length: 7), status) == .none) }
        #expect(of(fields(length: 7), 205) == .length(7))
        #expect(of(fields(length: 7), head: true) == .none)
    }

    @Test func aTransferCodingInHTTP10IsDisputed() {
        #expect(fields(coded: true, chunkedLast: true, old: true).isDisputed)
        #expect(!fields(coded: true, chunkedLast: true).isDisputed && !fields(length: 7, old: true).isDisputed)
    }
}
