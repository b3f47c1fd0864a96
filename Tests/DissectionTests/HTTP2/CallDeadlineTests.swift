import Dissection
import Support
import Testing

/// How long the client of a gRPC call waits, and what is said of calls that end then or later.
@Suite struct CallDeadlineTests {
    private typealias Frames = HTTP2Frames

    @Test(
        "a deadline is up to eight digits and a unit",
        arguments: [
            ("1S", 1_000_000_000), ("250m", 250_000_000), ("7u", 7_000), ("99999999n", 99_999_999), ("2M", 120_000_000_000),
            ("1H", 3_600_000_000_000), ("00000000S", 0), ("99999999H", Int64.max),
        ] as [(String, Int64)])
    func value(text: String, nanoseconds: Int64) {
        #expect(CallDeadline.nanoseconds(Array(text.utf8).rawBytes) == nanoseconds)
    }

    @Test("what is not one is none", arguments: ["", "S", "1", "1s", "-1S", "1.5S", "123456789S", "1 S", "1SS"])
    func none(text: String) {
        #expect(CallDeadline.nanoseconds(Array(text.utf8).rawBytes) == nil)
    }

    /// What is found about a call that ends so many seconds after its request.
    private func found(_ timeout: String, seconds: Int64, _ end: [UInt8]) -> Bool {
        FindingCase.call(timeout, seconds: seconds, end).transcript().contains { $0.contains("http2.call-deadline") }
    }

    private static func status(_ status: String) -> [UInt8] { Frames.headers(1, [("grpc-status", status)], end: true) }

    @Test(
        "a response counts once it ends later; DEADLINE_EXCEEDED and a cancelled call count at the deadline, as far as libraries round it")
    func endings() {
        #expect(found("1999m", seconds: 2, Self.status("0")))
        #expect(!found("2050m", seconds: 2, Self.status("0")))
        #expect(found("2020m", seconds: 2, Self.status("4")))
        #expect(!found("2100m", seconds: 2, Self.status("4")))
        #expect(found("2020m", seconds: 2, Frames.reset(1, 8)))
        #expect(!found("2100m", seconds: 2, Frames.reset(1, 8)))
        // What went wrong otherwise is told as that.
        #expect(!found("1S", seconds: 2, Frames.reset(1, 2)))
        #expect(!found("nonsense", seconds: 2, Self.status("4")))
    }
}
