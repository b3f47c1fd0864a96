import Dissection
import Support
import Testing

@testable import Reports

/// A text that the glance calls clean is one in which the whole look finds nothing.
@Suite("A glance before the look for secrets") struct SecretGlanceTests {
    private static func isClean(_ text: [UInt8]) -> Bool { SecretGlance.isClean(text.rawBytes) }

    /// Whether the two agree: a glance may send a text to the look in vain, and may not keep one from it.
    private static func agree(_ text: [UInt8]) -> Bool {
        guard isClean(text) else { return true }
        return BinarySecrets(text).places == 0 && Redacted.text([text]) == text
    }

    @Test("every text of which the look hides something is sent to it")
    func samples() {
        for (text, left) in SecretScanTests.texts where text != left {
            #expect(!Self.isClean(text.bytes), "\(text)")
        }
        for secret in BinarySecretsTests.cases {
            #expect(!Self.isClean(secret.before + secret.secret.bytes + secret.behind))
        }
    }

    @Test(
        "each secret name is seen, however it is written and whatever stands around it",
        arguments: [
            "pass", "pw", "pwd", "passwd", "password", "token", "jwt", "auth", "authorization", "proxyauthorization", "cookie", "cookie2",
            "setcookie", "session", "sid", "sessid", "sig", "signature", "pin", "otp", "totp", "cvv", "cvc", "cvc2", "cardnumber",
            "ccnumber",
            "nkey", "bearer", "oauth", "xauth", "xsession", "authentication", "mfacode", "passphrase", "passcode", "secret", "apikey",
            "accesskey", "privatekey", "subscriptionkey", "authkey", "credential", "sessionid", "sessionkey", "signingkey", "encryptionkey",
            "connectionstring", "functionskey", "masterkey", "accountkey",
        ])
    func names(name: String) {
        #expect(SecretNames.isSecret(name.bytes[...]))
        let spread = name.map { "\($0)_" }.joined()
        for written in [name, name.uppercased(), spread, name.map { "\($0)-" }.joined(), "user.\(name)", "a[\(name)]", " \(name) "] {
            for text in [
                "{\"\(written)\":\"x1\"}", "{'\(written)' : 12}", "a: 1\n\(written): x1", "{\"n\":1,\"\(written)\":{\"a\":1}}",
                "{\"name\":\"\(written)\",\"value\":\"x1\"}",
            ] {
                #expect(Self.agree(text.bytes), "\(text)")
                if written == name { #expect(!Self.isClean(text.bytes), "\(text)") }
            }
        }
    }

    @Test("ordinary messages need no look")
    func ordinary() {
        for text in [
            #"{"conn":851,"dir":"c2s","seq":0,"ts":1700000000.029320,"type":"heartbeat","sym":"BRIO","px":29.64,"note":"47 cfiknqtwz147"}"#,
            #"{"type":"chat","room":7,"text":"grüß dich, wie geht's?","at":1700000000}"#, #"42["say",{"text":"hi"}]"#, "2", "",
            #"{"op":"subscribe","channels":["ticker","trades"],"price":"1.5"}"#,
            // Letters of base64, which stand for bytes that no text has.
            #"{"type":"depth","note":"x16af oty27bgkpuz38chlqv 49dimrw05","id":"258adgjlorux258adgjlorux"}"#,
        ] {
            #expect(Self.isClean(text.bytes), "\(text)")
        }
    }

    @Test("letters of base64 are sent to the look where they may be a token or stand for text")
    func encoded() {
        for text in [
            #"{"config":"eyJwYXNzd29yZCI6Imh1bnRlcjIifQ=="}"#, #"{"config":"cGFzc3dvcmQ6aHVudGVyMg"}"#, #"{"id":"AKIAIOSFODNN7EXAMPLE"}"#,
            #"{"id":"258adgjlorux/AKIAIOSFODNN7EXAMPLE"}"#, #"{"id":"258adgjlorux+ghp_abcdefghijklmnopqrstuvwxyz"}"#,
        ] {
            #expect(!Self.isClean(text.bytes), "\(text)")
        }
    }

    @Test("texts that are changed in a byte or put together from others are judged alike")
    func changed() {
        var random = SplitMix(seed: 11)
        let texts = SecretScanTests.texts.map(\.0.bytes).filter { $0.count > 3 }
        let others = Array("\"':=,.[]{}@/-_ \n\t\\%<>&;1aAkKsS\u{7f}".utf8)
        for text in texts {
            for _ in 0..<50 {
                var changed = text
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<changed.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: changed[place] = others[Int.random(in: 0..<others.count, using: &random)]
                    case 1: changed.insert(others[Int.random(in: 0..<others.count, using: &random)], at: place)
                    default: if changed.count > 1 { changed.remove(at: place) }
                    }
                }
                #expect(Self.agree(changed), "\(String(decoding: changed, as: UTF8.self))")
            }
            let other = texts[Int.random(in: 0..<texts.count, using: &random)]
            let cut = Int.random(in: 0...text.count, using: &random)
            #expect(Self.agree(Array(text[..<cut]) + other), "\(String(decoding: text[..<cut] + other, as: UTF8.self))")
        }
    }
}
