import Dispatch
import Foundation
import Support
import Testing

/// Many conversations at a time, and one whose reader takes its time. `make bench-proxy` measures the same with more of it.
@Suite("A proxy under load loses nothing and keeps nothing", .serialized)
struct LoadTests {
    /// One conversation through the proxy, both ends by hand.
    private struct Talk {
        let client: LoopbackSocket
        let server: LoopbackSocket
    }

    private static func texts(_ side: String, _ number: Int, _ count: Int) -> [String] {
        (0..<count).map { "\(side) \(number) says \($0)" + String(repeating: ".", count: $0 % 150) }
    }

    @Test("every message of 24 conversations that all talk at once is in the log, whole and in order")
    func complete() throws {
        let count = 150
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--upstream", "ws://127.0.0.1:\(listener.port)"])
        let talks = try (0..<24).map { _ in Talk(client: try LoopbackSocket(port: proxy.port), server: try listener.accept()) }
        for talk in talks {
            try talk.client.send(ProxyTalk.request)
            _ = try talk.server.receive(ProxyTalk.request.utf8.count)
            try talk.server.send(ProxyTalk.answer)
            _ = try talk.client.receive(ProxyTalk.answer.utf8.count)
        }
        let said = talks.indices.map { number in
            (
                client: Self.texts("client", number, count).flatMap { Frame.masked(0x81, $0) },
                server: Self.texts("server", number, count).flatMap { Frame.plain(0x81, $0) }
            )
        }
        let isSent = zip(talks, said).flatMap { talk, said in
            [talk.client.sendAside(said.client, times: 1), talk.server.sendAside(said.server, times: 1)]
        }
        for (talk, said) in zip(talks, said) {
            #expect(try talk.server.receive(said.client.count) == said.client)
            #expect(try talk.client.receive(said.server.count) == said.server)
        }
        for sent in isSent { sent.wait() }
        let records = proxy.records(until: "message", count: talks.count * count * 2)
        // Which conversation the log gave which number, its first message says.
        let byConversation = Dictionary(grouping: records.all("message")) { $0["conversation"] as? Int }
        #expect(byConversation.count == talks.count)
        for (_, messages) in byConversation {
            for side in ["client", "server"] {
                let shown = messages.filter { $0["from"] as? String == side }.compactMap { $0["text"] as? String }
                let number = shown.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
                #expect(shown == Self.texts(side, try #require(number), count))
            }
        }
        let end = proxy.stop().records
        #expect(end.isWhole)
        #expect(end.records.last?["messages"] as? Int == talks.count * count * 2)
        #expect(end.all("gap").isEmpty)
    }

    @Test("a reader that takes its time is waited for, and what it has not read yet is not kept")
    func slowReader() throws {
        let talk = try ProxyTalk(["--payload", "none"])
        try talk.upgrade()
        let message = Frame.plain(0x82, [UInt8](repeating: 0x5A, count: 1_000_000))
        try passAside(message, 8, talk)
        guard let early = talk.proxy.residentBytes else {
            print("skipped: what a slow reader costs (this system does not tell the memory of a process)")
            return
        }
        // More than the kernel holds between two ends on loopback.
        let count = 80
        let isSent = talk.server.sendAside(message, times: count)
        var most = 0
        for number in 0..<count {
            #expect(try talk.client.receive(message.count) == message)
            // The sender is held up for as long as nobody reads.
            if number == 0 { try #require(isSent.wait(timeout: .now() + .milliseconds(500)) == .timedOut) }
            most = max(most, try #require(talk.proxy.residentBytes))
        }
        isSent.wait()
        print("a slow reader of \(count) MB cost \((most - early) >> 10) KiB, of \(most >> 20) MiB")
        #expect(most - early < 8 << 20)
        #expect(try talk.goodbye().records.all("message").count == count + 8)
    }

    private func passAside(_ message: [UInt8], _ count: Int, _ talk: ProxyTalk) throws {
        let isSent = talk.server.sendAside(message, times: count)
        for _ in 0..<count { #expect(try talk.client.receive(message.count) == message) }
        isSent.wait()
        _ = talk.proxy.records(until: "message", count: count)
    }
}
