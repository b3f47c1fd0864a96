import Dissection
import Testing

@testable import Reports

/// Secrets whose name stands beside them in other ways than as a member: in a call, in the head of a part, in an element or an attribute, in what
/// PHP writes.
@Suite struct WrappedSecretsTests {
    static let texts: [(String, String)] = [
        // Calls around a value.
        (#"["user": "ana", "password": Optional("x1")]"#, #"["user": "ana", "password": Optional("◆")]"#),
        (#"User(name: "a", password: Optional("x1"), x: 1)"#, #"User(name: "a", password: Optional("◆"), x: 1)"#),
        (#"Token { access_token: Some("x1"), x: None }"#, #"Token { access_token: Some("◆"), x: None }"#),
        ("T {\n    token: Some(\n        \"x1\",\n    ),\n}", "T {\n    token: Some(\n        \"◆\",\n    ),\n}"),
        (#"{"m":"a, password: Some(\"x1\"), b","n":1}"#, #"{"m":"a, password: Some(\"◆\"), b","n":1}"#),
        (#"password = new String("x1")"#, #"password = new String("◆")"#), ("a, password: Some(x1 y), b", "a, password: ◆ b"),
        (#"{"token": f("a)", "x1"), "n": 1}"#, #"{"token": "◆", "n": 1}"#),
        (#"password=Optional(Some("x1"))"#, #"password=Optional(Some("◆"))"#),
        (#"a {password = Just "x1", b = 1}"#, #"a {password = Just "◆", b = 1}"#), (#"token = Some("cut"#, #"token = Some("◆"#),
        (#"{"m":"token = f(","n":1}"#, #"{"m":"token = ◆","n":1}"#), (#"{"m":"token = f(x","n":"(1)"}"#, #"{"m":"token = ◆","n":"(1)"}"#),
        ("a, cookie: b(c)=x1; d=x2 e", "a, cookie: ◆"),
        (#"a, authorization: Optional("x1 x2"), b"#, #"a, authorization: Optional("◆"), b"#),
        // Three quotes.
        ("password = \"\"\"x1\ny\"\"\" z", "password = \"\"\"◆\"\"\" z"), ("a: 1\npassword: '''x\"1''' b", "a: 1\npassword: '''◆''' b"),
        (#"{"m":"password = \"\"\"x1\"\"\"","n":1}"#, #"{"m":"password = \"\"\"◆\"\"\"","n":1}"#),
        (#"{"password":"","a":"b"}"#, #"{"password":"","a":"b"}"#),
        // Parts.
        part("Content-Disposition: FORM-DATA; name=\"password\""), part("Content-Disposition: form-data ; name = \"password\""),
        part("content-disposition: attachment; name=password"), part("Content-Disposition: form-data; name*=UTF-8''pass%77ord"),
        part("Content-Disposition: form-data; name=\"pass\\word\""), part("Content-Disposition: form-data;\r\n Name='password'; a=b"),
        (
            "--B\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nx1\r\n--B--",
            "--B\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nx1\r\n--B--"
        ),
        // Names beside values.
        (#"{"Key":"password","Value":"x1"}"#, #"{"Key":"password","Value":"◆"}"#),
        ("<dict><key>password</key>\n\t<string>x1</string></dict>", "<dict><key>password</key>\n\t<string>◆</string></dict>"),
        (
            "<member><name>password</name><value><string>x1</string></value></member>",
            "<member><name>password</name><value>◆</value></member>"
        ),
        ("<name>a</name><value>x1</value>", "<name>a</name><value>x1</value>"),
        ("<Setting Name=\"password\">x1</Setting>", "<Setting Name=\"password\">◆</Setting>"),
        ("<property name='token'><value>x1</value></property>", "<property name='token'><value>◆</value></property>"),
        ("<entry key=\"password\"><![CDATA[x1]]></entry>", "<entry key=\"password\">◆</entry>"),
        ("<input name=password> x <a name=\"auth\">y</a>", "<input name=password> x <a name=\"auth\">y</a>"),
        ("<add Key=\"password\" Value=\"x1\"/>", "<add Key=\"password\" Value=\"◆\"/>"),
        ("<input type=\"password\" id=a value=\"x1\">", "<input type=\"password\" id=a value=\"◆\">"),
        (#"a:2:{s:4:"user";s:1:"a";s:8:"password";s:4:"x"1y";}"#, #"a:2:{s:4:"user";s:1:"a";s:8:"password";s:4:"◆";}"#),
        (#"user|s:1:"a";password|s:2:"x1";"#, #"user|s:1:"a";password|s:2:"◆";"#),
        // Tokens and names.
        ("it is ya29.a0b1c2d3e4f5a0b1c2d3e4f5 ok", "it is ◆ ok"), ("it is GOCSPX-a0b1c2d3e4f5a0b1c2d3e4 ok", "it is ◆ ok"),
        ("it is glrt-a0b1c2d3e4f5a0b1c2d3 ok", "it is ◆ ok"), ("it is whsec_a0b1c2d3e4f5a0b1c2d3 ok", "it is ◆ ok"),
        ("it is xoxc-1-2-3-a0b1c2d3 ok", "it is ◆ ok"), ("a;AccountKey=x1==;b=1", "a;AccountKey=◆"),
        ("/a?ticket=ST-1&id_token_hint=x1&b=1", "/a?ticket=◆&id_token_hint=◆&b=1"),
    ]

    private static func part(_ head: String) -> (String, String) {
        ("--B\r\n\(head)\r\n\r\nx1\r\n--B--\r\n", "--B\r\n\(head)\r\n\r\n◆\r\n--B--\r\n")
    }

    @Test(arguments: texts) func `a secret with its name beside it is hidden`(_ text: String, _ left: String) {
        #expect(Redacted.text(text) == left)
        #expect(text == left || !SecretGlance.isClean(text.bytes.rawBytes))
    }

    @Test(arguments: [
        #"a password=new String("x1"); b"#, #"a {token = Just "x1", b}"#, #"a, token: Some("x1"), b"#, "a pin=\"\"\"x1\"\"\" b",
    ])
    func `a value that is cut anywhere is hidden`(_ text: String) {
        for cut in 1..<text.utf8.count {
            let left = Redacted.plain(Redacted.text([Array(text.bytes[..<cut]), Array(text.bytes[cut...])]))
            #expect(!left.contains("x1"), "\(cut)")
        }
    }

    @Test(arguments: [
        "token=f(", "token=f(\"a\",", "token=f('", "password=\"\"\"a", "password=''", "content-disposition: a; name=", "name=\"pin\";",
        "\nname=a",
        "<a key=\"pin\">", "<key>pin</key><string>", "</key><string>", "<a name=\"pin\"><value>", "<a name=", "\"pin\";s:1:\"",
        "pin|s:9:\"",
    ])
    func `the time is linear in the text`(_ unit: String) {
        func steps(_ count: Int) -> Int {
            Redacted.told([Array(repeating: unit.bytes, count: count).flatMap(\.self)]).steps
        }
        let (small, large) = (steps(2_000), steps(16_000))
        #expect(large < small * 10 + 1_000, "\(small) \(large)")
    }

    @Test func `the chunks of a text in CBOR are overwritten, and the bytes around them stay`() {
        let before = [0xbf, 0x68] + "password".bytes + [0x7f, 0x64]
        let after: [UInt8] = [0xff, 0x61, 0x61, 1, 0xff]
        let found = BinarySecrets(before + "abcd".bytes + [0x63] + "efg".bytes + after)
        #expect(found.bytes == before + "xxxx".bytes + [0x63] + "xxx".bytes + after && found.places == 2)
    }
}
