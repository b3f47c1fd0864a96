import Dissection
import Testing

@testable import Reports

/// Secrets in strings of programs, and what stands at the end of a string of JSON: a name without a value, or a name in a usage text.
@Suite struct EnclosedSecretsTests {
    /// Strings with letters or signs before their quotes, and other things that a value stands in.
    static let values: [(String, String)] = [
        (#"x password=r"x1""#, #"x password=r"◆""#), (#"x password = @"x1";"#, #"x password = @"◆";"#),
        (#"x password = $"x1" y"#, #"x password = $"◆" y"#), (#"x password = @"a""x1" y"#, "x password = ◆ y"),
        (##"x password = r#"a"x1"# y"##, "x password = ◆ y"), (#"{"password": b"x1", "a": 1}"#, #"{"password": b"◆", "a": 1}"#),
        (#"Config { user: "a", password: Some(b"x1") }"#, #"Config { user: "a", password: Some(b"◆") }"#),
        ("headers={'Authorization': b'token x1'}", "headers={'Authorization': b'◆'}"),
        (#"{"m":"a, password: b\"x1\", b","n":1}"#, #"{"m":"a, password: b\"◆\", b","n":1}"#),
        (#"x password := "x1""#, #"x password := "◆""#), ("password := x1 y\nb", "password := ◆\nb"),
        (#"a, password: &Some("x1"), b"#, #"a, password: &Some("◆"), b"#),
        (#"a, password: Secret::<String>("x1"), b"#, #"a, password: Secret::<String>("◆"), b"#),
        (#"a, password: @("x1"), b"#, #"a, password: @("◆"), b"#), (#"a password: foo["x1"], b"#, #"a password: ◆"], b"#),
        (#"{"Authorization": ("token x1",)}"#, #"{"Authorization": ("◆",)}"#),
        // After an arrow.
        (#""password"=>Optional("x1")"#, #""password"=>Optional("◆")"#), (#"a password => Some("x1")"#, #"a password => Some("◆")"#),
        (#"{"Authorization"=>["token x1", "x1"], "a"=>["b"]}"#, #"{"Authorization"=>"◆", "a"=>["b"]}"#),
        (#"{"pin"=>1234, :otp => 12, n => 1}"#, #"{"pin"=>◆, :otp => ◆, n => 1}"#),
        (#"token => fetch("a"), token => [b], pin => 1"#, #"token => fetch("a"), token => [b], pin => 1"#),
        // Attributes with white space around their sign, with a prefix, and in a string of JSON.
        ("<add key = \"password\" value = \"x1\"/>", "<add key = \"password\" value = \"◆\"/>"),
        ("<entry\tkey =\n'password'>x1</entry>", "<entry\tkey =\n'password'>◆</entry>"),
        ("<s:add s:key=\"password\" s:value=\"x1\"/>", "<s:add s:key=\"password\" s:value=\"◆\"/>"),
        ("<a mykey=\"password\" value=\"b\"/>", "<a mykey=\"password\" value=\"b\"/>"),
        (#"{"a":"<key>password<\/key>\n\t<string>x1<\/string>","n":1}"#, #"{"a":"<key>password<\/key>\n\t<string>◆<\/string>","n":1}"#),
        (#"{"a":"<token>\n x1\n<\/token>","n":1}"#, #"{"a":"<token>◆<\/token>","n":1}"#),
    ]

    /// What ends where a string does.
    static let ends: [(String, String)] = [
        same(#"{"url":"https://a.example/x?token=","from":"ana"}"#), same(#"{"Env":["POSTGRES_PASSWORD=","PGDATA=/var/lib"]}"#),
        same(#"{"body":"user=ana&password=","x":1}"#), same(#"{"a":"{\"url\":\"x?token=\",\"b\":\"c\"}","n":1}"#),
        same("[\n  \"TOKEN=\"\n]"), same(#"{"prompt":"password = ","id":"7"}"#), same(#"{"a":"{\"p\":\"Password: \",\"b\":\"c\"}"}"#),
        same(#"{"sql":"select * from t where token='","from":"ana"}"#), same("{'url': 'https://a/?token=', 'b': 'c'}"),
        same(#"{"a":"token => ","b":"c"}"#), same(#"var u = "https://a/?token=" + t + "&a=1";"#),
        (#"{"m":"token=b","n":1}"#, #"{"m":"token=◆","n":1}"#),
        (#"{"m":"say \"hi\" token=b" , "n":1}"#, #"{"m":"say \"hi\" token=◆" , "n":1}"#),
        // These are values.
        (#"f("a", password=",x1")"#, #"f("a", password="◆")"#), (#"{"m":"token=\",x1\"","n":1}"#, #"{"m":"token=\"◆\"","n":1}"#),
        (#"password="}x1", b=1"#, #"password="◆", b=1"#),
        // Usage texts.
        same(#"{"text":"usage: /login <user> <password>","commands":["list","quit"]}"#), same("  login <user> <password>\n  list\n  quit"),
        same("Type /msg NickServ IDENTIFY <password>\r\n:bob!b@h PRIVMSG #chan :hello\r\n"),
        same(#"{"help":"login <user> <password>","b":"</password>","c":"<a>"}"#), same(#"{"a":"{\"h\":\"<user> <token>\",\"n\":\"x\"}"}"#),
        (#"{"text":"put your <token> here\nand more","from":"ana"}"#, #"{"text":"put your <token>◆\nand more","from":"ana"}"#),
        (#"{"xml":"<credentials><u>x1</u>","n":1}"#, #"{"xml":"<credentials>◆","n":1}"#),
        (#"{"xml":"<a b=\"c\"><password>x1</password></a>","n":1}"#, #"{"xml":"<a b=\"c\"><password>◆</password></a>","n":1}"#),
        (#"<secret>{"a":"x1","c":"x1"}</secret>"#, #"<secret>◆</secret>"#),
    ]

    private static func same(_ text: String) -> (String, String) { (text, text) }

    @Test(arguments: values + ends) func `a value ends where its string does`(_ text: String, _ left: String) {
        #expect(Redacted.text(text) == left)
        #expect(text == left || !SecretGlance.isClean(text.bytes.rawBytes))
    }

    @Test(arguments: (values + ends).map(\.0)) func `wherever it is cut`(_ text: String) {
        let bytes = ("first line\n" + text + "\nlast line").bytes
        let whole = Redacted.plain(Redacted.text([bytes]))
        for cut in 0...bytes.count {
            let parts = Redacted.plain(Redacted.text([Array(bytes[..<cut]), Array(bytes[cut...])]))
            #expect(parts == whole, "cut at \(cut)")
        }
        #expect(Redacted.plain(Redacted.text(bytes.map { [$0] })) == whole)
    }

    @Test func `a key that is longer than what is held back is hidden, a usage text is not`() {
        let key = String(repeating: "MIIEvQIBADANBgkqhkiG9w0B\n", count: 200)
        let text = String(repeating: "usage: of this\n", count: 400)
        for size in [100, 1_000, 65_536] {
            let bytes = ("a <key2>" + "<token>\n" + key + "</token>\n" + "<pass>\n" + text).bytes
            let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
            #expect(Redacted.plain(Redacted.text(pieces)) == "a <key2><token>◆</token>\n<pass>\n" + text, "\(size)")
        }
    }

    @Test(arguments: [
        "token=\"", "token='", "token=b\"", "token=@\"\"", "token=r#\"", "token=\\\"", "\"token=\",", "token=f[\"a", "password:=\"",
        "pin => [\"", "\"pin\"=>f(\"", "<a key = \"", "<a key   ", "<token>\"", "<token>\",", "\"<token>", "<token>\\\"", "<\\/token>",
        "pin=&&&", "pin=a<b>(", "key</key>\\n", "token=\"  ",
    ])
    func `the time is linear in the text`(_ unit: String) {
        func steps(_ count: Int) -> Int { Redacted.told([Array(repeating: unit.bytes, count: count).flatMap(\.self)]).steps }
        let (small, large) = (steps(2_000), steps(16_000))
        #expect(large < small * 10 + 1_000, "\(small) \(large)")
    }
}
