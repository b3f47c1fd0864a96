import Dissection
import Testing

@testable import Interception

/// What the TLS sessions of running conversations are counted with.
@Suite("Memory of TLS sessions")
struct TLSMemoryTests {
    @Test("as many are let in as there is room for; who leaves makes room")
    func room() throws {
        let memory = TLSMemory(limit: 2 * TLSMemory.perSession + TLSMemory.perSession / 2, recorder: Recorder())
        var shares = [try #require(memory.take()), try #require(memory.take())]
        #expect(memory.take() == nil)
        #expect(memory.total == 2 * TLSMemory.perSession)
        shares.removeLast()
        #expect(memory.total == TLSMemory.perSession)
        shares.append(try #require(memory.take()))
        #expect(memory.take() == nil)
        shares = []
        #expect(memory.total == 0)
    }

    @Test("a leg without TLS takes nothing, whatever there is")
    func plain() {
        let memory = TLSMemory(limit: 0, recorder: Recorder())
        #expect(memory.take(for: Leg(side: .client)))
        #expect(memory.take() == nil)
    }
}
