import Dissection
import Support
import Testing

@Suite struct WebSocketLayerTests {
    @Test func theExamplesOfTheRFC() {
        // RFC 6455, section 5.7.
        let talk = FrameTalk([
            .server([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]),
            .client([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]),
            .server([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]),
            .server([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]),
            .client([0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]),
            .server([0x82, 0x7E, 0x01, 0x00] + [UInt8](repeating: 7, count: 256)),
            .server([0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 65_536)),
        ])
        #expect(
            talk.difference(from: [
                "< @0 message text 5 B \"Hello\"",
                "> @0 message text 5 B \"Hello\"",
                "< @7 message text 5 B in 2 \"Hello\"",
                "< @16 ping \"Hello\"",
                "> @11 pong \"Hello\"",
                "< @23 message binary 256 B 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07…256 #958a5011",
                "< @283 message binary 65536 B 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07…65536 #8a500011",
            ]) == nil)
    }
}
