import Dissection
import Testing

@testable import Reports

/// The signature of AUTHENTICATE, and the new secret of a connection of AMQP.
@Suite struct WAMPSignaturesTests {
    private func hidden(_ bytes: [UInt8], isWAMP: Bool = true) -> String {
        String(decoding: BinarySecrets(bytes, isWAMP: isWAMP).bytes, as: UTF8.self)
    }

    @Test func `in JSON, alone and among others`() {
        #expect(hidden("[5,\"abc\",{}]".bytes) == "[5,\"xxx\",{}]")
        #expect(hidden(" [ 5 , \"a\\\"c\" ,{}]".bytes) == " [ 5 , \"xxxx\" ,{}]")
        #expect(hidden("[48,1,{},\"p\"]\u{1e}[5,\"abc\",{}]\u{1e}".bytes) == "[48,1,{},\"p\"]\u{1e}[5,\"xxx\",{}]\u{1e}")
        for text in ["[50,\"abc\",{}]", "[5,7]", "[5", "{\"a\":5}", "[\"5\",\"abc\"]"] { #expect(hidden(text.bytes) == text) }
        #expect(hidden("[5,\"abc".bytes) == "[5,\"xxx")
        #expect(hidden("[5,\"abc\",{}]".bytes, isWAMP: false) == "[5,\"abc\",{}]")
    }

    @Test func `in MessagePack and CBOR, also with lengths before them`() {
        for message in [
            [0x93, 5, 0xa3] + "abc".bytes + [0x80], [0x83, 5, 0x63] + "abc".bytes + [0xa0], [0x93, 5, 0xd9, 3] + "abc".bytes + [0x80],
        ] {
            for bytes in [message, [0, 0, 0, UInt8(message.count)] + message] {
                let secrets = BinarySecrets(bytes, isWAMP: true)
                #expect(
                    secrets.places == 1 && secrets.bytes.count == bytes.count && secrets.bytes.filter { $0 == 0x78 }.count == 3, "\(bytes)")
            }
        }
        #expect(BinarySecrets([0x93, 5, 0xa9, 0x61], isWAMP: true).bytes == [0x93, 5, 0xa9, 0x78])
        #expect(BinarySecrets([0x93, 48, 0xa1, 0x61], isWAMP: true).places == 0)
    }

    @Test func `the new secret of a connection of AMQP`() {
        let frame = [1, 0, 0, 0, 0, 0, 15, 0, 10, 0, 70, 0, 0, 0, 5] + "token".bytes + [1] + "r".bytes + [0xce]
        #expect(BinarySecrets(frame).bytes == [1, 0, 0, 0, 0, 0, 15, 0, 10, 0, 70, 0, 0, 0, 5] + "xxxxx".bytes + [1] + "r".bytes + [0xce])
        var talk = FramedMessagingTalk("amqp")
        #expect(
            talk.say(frame)?.json.contains(#""method":"connection.update-secret","channel":0,"newSecret":{"$binary":5},"reason":"r""#)
                == true)
        #expect(talk.say([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 71, 0xce], from: .server)?.json.contains("latency") == true)
    }
}
