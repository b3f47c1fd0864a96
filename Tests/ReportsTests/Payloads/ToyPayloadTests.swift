import Dissection
import Reports
import Testing

/// A format of payloads is added by a type and a row; nothing of the reports has to know it.
@Suite struct ToyPayloadTests {
    /// `name=digits`, in text.
    struct Toy: PayloadFormat {
        static var name: StaticString { "toy" }

        static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
            guard context.opcode == 1 else { return .no }
            for index in 0..<bytes.byteCount where bytes[index] == UInt8(ascii: "=") { return .likely }
            return .no
        }

        static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
            var key: [UInt8] = []
            var index = 0
            while bytes[index] != UInt8(ascii: "=") {
                key.append(bytes[index])
                index += 1
            }
            decoded.add("key", .text(key), at: 0..<index)
            decoded.note("isLast", .flag(!context.isCut))
            var number: UInt64 = 0
            for digit in index + 1..<bytes.byteCount {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[digit]), number < 1 << 32 else {
                    return decoded.stop("not a digit", at: digit)
                }
                number = number * 10 + UInt64(bytes[digit] - UInt8(ascii: "0"))
            }
            decoded.add("number", .number(number), at: index + 1..<bytes.byteCount)
        }
    }

    /// Claims everything, but is not sure.
    struct Anything: PayloadFormat {
        static var name: StaticString { "anything" }
        static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood { .possible }
        static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {}
    }

    private func record(_ text: String, opcode: UInt8 = 1, _ rows: [PayloadRow]) -> String {
        var settings = RecordSettings()
        settings.payloads = PayloadTable(rows)
        var report = RecordReport(Output(), settings: settings)
        let length = UInt64(text.utf8.count)
        RecordScript.send(
            .message(Message(opcode: opcode, length: length, wireLength: length, fragments: 1, compressed: false, unfinished: 0)),
            Array(text.utf8), from: .client, at: nil, packets: nil, to: &report)
        return String(decoding: report.takeBytes(), as: UTF8.self)
    }

    @Test func whatItSaysStandsInTheRecord() {
        let toy = PayloadRow(Toy.self)
        #expect(
            record("speed=21", [toy]).hasSuffix(
                #""text":"speed=21","decoded":{"as":"toy","key":"speed","isLast":true,"number":21}}"# + "\n"))
        // What it cannot read keeps its bytes, and says why.
        #expect(
            record("a\"=2x", [toy]).hasSuffix(
                #""text":"a\"=2x","decoded":{"as":"toy","key":"a\"","isLast":true,"error":"not a digit","at":4}}"# + "\n"))
    }

    @Test func theSurestCounts() {
        let rows = [PayloadRow(Anything.self), PayloadRow(Toy.self)]
        #expect(record("n=1", rows).contains(#""as":"toy""#))
        #expect(record("n=1", opcode: 2, rows).contains(#""decoded":{"as":"anything"}}"#))
        #expect(!record("n", [PayloadRow(Toy.self)]).contains("decoded"))
        #expect(!record("n=1", PayloadTable.none.rows).contains("decoded"))
    }
}
