import Testing

@testable import Reports

/// What is hidden in text, and what stays.
@Suite struct SecretScanTests {
    private static let key = String(repeating: "MIIEvQIBADANBgkqhkiG9w0B", count: 2)

    /// What is said, and what is left of it.
    static let texts: [(String, String)] = [
        // Members of JSON.
        (#"{"user":"ana","password":"hunter2"}"#, #"{"user":"ana","password":"◆"}"#),
        (#"{"Access_Token" : "abc","n":1}"#, #"{"Access_Token" : "◆","n":1}"#),
        (#"{"p\u0061ssword":"hunter2"}"#, #"{"p\u0061ssword":"◆"}"#),
        (#"{"password":"a\"b\\","x":1}"#, #"{"password":"◆","x":1}"#),
        (#"{"pin":1234,"otp":"","token":null,"hasPassword":true}"#, #"{"pin":"◆","otp":"","token":null,"hasPassword":true}"#),
        (
            #"{"mfaCode":"12","encryptionKey":"ab","connectionString":"Server=a;Pwd=b"}"#,
            #"{"mfaCode":"◆","encryptionKey":"◆","connectionString":"◆"}"#
        ),
        (#"{"secret":{"a":["x}","y"]},"b":2}"#, #"{"secret":"◆","b":2}"#),
        (#"{"tokens":3,"token":["x","]"],"b":2}"#, #"{"tokens":3,"token":"◆","b":2}"#),
        (#"{"a":"{\"password\":\"hun\\\"ter2\"}","b":2}"#, #"{"a":"{\"password\":\"◆\"}","b":2}"#),
        (#"{"a":"{\"b\":\"{\\\"token\\\":\\\"x\\\"}\"}"}"#, #"{"a":"{\"b\":\"{\\\"token\\\":\\\"◆\\\"}\"}"}"#),
        (#"{"a":"{\u0022token\u0022:\u0022x\\u0022y\u0022}","b":2}"#, #"{"a":"{\u0022token\u0022:\u0022◆\u0022}","b":2}"#),
        (#"{"a":"{\"pin\":12,\"secret\":{\"x\":1}}"}"#, #"{"a":"{\"pin\":\"◆\",\"secret\":\"◆\"}"}"#),
        (#"42["login",{"password":"hunter2"}]"#, #"42["login",{"password":"◆"}]"#),
        (#"it"s broken {"password":"hunter2""#, #"it"s broken {"password":"◆""#),
        (#"{"password":"cut off"#, #"{"password":"◆"#),
        (#"{'password':'hunter2',"apiKey" : 'x'}"#, #"{'password':'◆',"apiKey" : '◆'}"#),
        ("{\"password\"\n  :\n  \"hunter2\"}", "{\"password\"\n  :\n  \"◆\"}"),
        ("data: {\"token\":\"x\"}\n\ndata: {\"token\":\"y\"}\n\n", "data: {\"token\":\"◆\"}\n\ndata: {\"token\":\"◆\"}\n\n"),
        // JSON over the lines of a server-sent event.
        ("data: {\"password\":\ndata: \"hunter2\"}\n\n", "data: {\"password\":\ndata: \"◆\"}\n\n"),
        (
            "data:{\"token\"\r\ndata: :\r\ndata: \r\ndata: 12,\r\ndata:\"n\":1}",
            "data:{\"token\"\r\ndata: :\r\ndata: \r\ndata: \"◆\",\r\ndata:\"n\":1}"
        ),
        ("data: {\"data\":\ndata: \"a\"}", "data: {\"data\":\ndata: \"a\"}"),
        // Names beside values.
        (
            #"[{"name":"DB_PASSWORD","value":"x"},{"name":"b","value":"y"}]"#,
            #"[{"name":"DB_PASSWORD","value":"◆"},{"name":"b","value":"y"}]"#
        ),
        (#"{"key" : "token" , "value" : "x","a":{"value":"y"}}"#, #"{"key" : "token" , "value" : "◆","a":{"value":"y"}}"#),
        (#"{"a":"{\"name\":\"Cookie\",\"value\":\"a=b\"}"}"#, #"{"a":"{\"name\":\"Cookie\",\"value\":\"◆\"}"}"#),
        (#"{"name":"max_tokens","value":5,"password":"","value":"z"}"#, #"{"name":"max_tokens","value":5,"password":"","value":"z"}"#),
        // JSON in an attribute.
        (
            #"<a data-p="{&quot;token&quot;:&quot;a\&quot;b&quot;,&quot;n&quot;:1}">"#,
            #"<a data-p="{&quot;token&quot;:&quot;◆&quot;,&quot;n&quot;:1}">"#
        ),
        (
            #"<a b="{&#34;pin&#34;: 12,&#34;secret&#34;:{&#34;a&#34;:1}}">"#,
            #"<a b="{&#34;pin&#34;: &quot;◆&quot;,&#34;secret&#34;:&quot;◆&quot;}">"#
        ),
        // Hashes of other languages, and comparisons.
        (#"{"token"=>"x", :pin => 'y', n => "z"}"#, #"{"token"=>"◆", :pin => '◆', n => "z"}"#),
        ("if (token == other) { token => token.id; pin==other }", "if (token == other) { token => token.id; pin==other }"),
        // A scheme and what it is for, where the name of a secret stands before them.
        ("{Authorization=Bearer abc, Accept=*/*}", "{Authorization=◆ Accept=*/*}"),
        ("headers: {Authorization=[Bearer abc]}", "headers: {Authorization=◆"),
        (#"headers: {Authorization=["Bearer abc"], a=["b"]}"#, #"headers: {Authorization=["◆"], a=["b"]}"#),
        ("auth=Bearer abc def", "auth=◆ def"), ("token = bearer  abc\nn=1", "token = ◆\nn=1"),
        ("X-Auth-Token=Token abc&a=1", "X-Auth-Token=◆&a=1"), (#"{"m":"auth: Basic YTpi","n":1}"#, #"{"m":"auth: ◆","n":1}"#),
        (#"x Authorization=Digest username="u", nc=1,response="ab c" x"#, "x Authorization=◆ x"),
        (#"{"m":"auth=Digest username=\"u\", response=\"ab\"","n":1}"#, #"{"m":"auth=◆","n":1}"#),
        ("auth=basic\nauth=Bearer", "auth=◆\nauth=◆"), ("auth=basics abc", "auth=◆ abc"),
        // Queries and forms, in text.
        ("see https://a.example/?q=1&access_token=abc%20def&x=2 now", "see https://a.example/?q=1&access_token=◆&x=2 now"),
        ("/cb?next=%2Fx%3Ftoken%3Dabc%26y%3D1&z=2", "/cb?next=%2Fx%3Ftoken%3D◆%26y%3D1&z=2"),
        ("a?next=%252Fx%253Ftoken%253Dabc%2526y&z=2", "a?next=%252Fx%253Ftoken%253D◆%2526y&z=2"),
        ("p%61ssword=x&a=1", "p%61ssword=◆&a=1"), ("user[password]=x&a=1", "user[password]=◆&a=1"),
        ("user%5Bpass%5D=x&a=1", "user%5Bpass%5D=◆&a=1"),
        ("payload=%7B%22token%22%3A%22a%5C%22b%22%2C%22n%22%3A1%7D&a=1", "payload=%7B%22token%22%3A%22◆%22%2C%22n%22%3A1%7D&a=1"),
        ("p=%22token%22+%3A+%22a+b%22&c=1", "p=%22token%22+%3A+%22◆%22&c=1"),
        ("p=%22token%22%20%0A:%09%22a%22&c=1", "p=%22token%22%20%0A:%09%22◆%22&c=1"),
        ("p=%2522token%2522%2520%253A%2520%2522a%2522&c=1", "p=%2522token%2522%2520%253A%2520%2522◆%2522&c=1"),
        ("1 + token + : +x, %20%3A", "1 + token + : +x, %20%3A"),
        (#"{"url":"https://a/?token=abc\u0026n=1","b":"?token\u003dx"}"#, #"{"url":"https://a/?token=◆\u0026n=1","b":"?token\u003d◆"}"#),
        ("allow-credentials: true\r\nb: c", "allow-credentials: true\r\nb: c"), ("?key=AIza&monkey=1&code=x#y", "?key=◆&monkey=1&code=◆"),
        ("password = hunter2", "password = ◆"),
        (#"password="two words" x"#, #"password="◆" x"#),
        // What shows itself.
        ("Bearer abc123def", "Bearer ◆"), ("authorization: bearer abc_def", "authorization: bearer ◆"),
        ("a bearer of news", "a bearer of news"),
        ("Basic dXNlcjpwYXNz rest", "Basic ◆ rest"), ("Basic authentication is old", "Basic authentication is old"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln, and", "jwt ◆, and"), ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "◆"),
        ("x AKIAIOSFODNN7EXAMPLE y", "x ◆ y"), ("https://ana:pa%40ss@host/x", "https://◆@host/x"),
        ("https://host/a@b:c", "https://host/a@b:c"),
        (#"{"u":"https:\/\/ana:pw@host\/x"}"#, #"{"u":"https:\/\/◆@host\/x"}"#),
        (#"{"u":"https:\u002F\u002fana:pw@host","v":"https\u003a//b:c@d"}"#, #"{"u":"https:\u002F\u002f◆@host","v":"https\u003a//◆@d"}"#),
        (#""{\"u\":\"https:\\/\\/ana:pw@host\"}""#, #""{\"u\":\"https:\\/\\/◆@host\"}""#),
        (#"{"u":"https://\u0061na\u003apw\u0040host/"}"#, #"{"u":"https://◆\u0040host/"}"#),
        (#"{"u":"https://a\nb:c@d \"//ana:pw@host\""}"#, #"{"u":"https://a\nb:c@d \"//◆@host\""}"#),
        ("https%3A//ana:pw@host x:%2F%2Fa:b@c", "https%3A//◆@host x:%2F%2F◆@c"),
        ("//ana@host // a:b@c a//b:c@d //go:embed x@y", "//ana@host // a:b@c a//b:c@d //go:embed x@y"),
        ("secret://vault/x \"token\":\"\"", "secret://vault/x \"token\":\"\""),
        ("ftp%3A%2F%2Fana%3Apass%40host%2F", "ftp%3A%2F%2F◆%40host%2F"),
        ("a\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nb", "a\n◆\nb"),
        ("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"),
        // Lines, parts and elements.
        ("CONNECT\nlogin:ana\npasscode:hunter 2\n\n\0", "CONNECT\nlogin:ana\npasscode:◆\n\n\0"),
        (#"{"h":"x\nAuthorization: Digest user, x\nHost: a"}"#, #"{"h":"x\nAuthorization: Digest ◆\nHost: a"}"#),
        ("<login><wsse:Password Type=\"t\">hunter2</wsse:Password></login>", "<login><wsse:Password Type=\"t\">◆</wsse:Password></login>"),
        ("<auth mechanism='PLAIN'>AGFuYQ==</auth>", "<auth mechanism='PLAIN'>◆</auth>"),
        ("<password><![CDATA[hun</password>ter2]]></password><a/>", "<password>◆</password><a/>"),
        ("<password>\n <value>x</value>\n <Password>y</Password></password> z", "<password>◆</password> z"),
        ("<token>a<!-- b -->c</token\n><token/>d", "<token>◆</token\n><token/>d"),
        ("<ns:secret><?x y?>z</ns:secret>", "<ns:secret>◆</ns:secret>"), ("<password><![CDATA[cut", "<password>◆"),
        ("<pass>a<passx>b</passx>c</pass>d", "<pass>◆</pass>d"),
        ("login <user> <password> <host>, then <b>x</b>", "login <user> <password>◆<host>, then <b>x</b>"),
        ("Promise<Token> load(Map<String, Token> x)", "Promise<Token> load(Map<String, Token> x)"),
        (
            "<add key=\"password\" value=\"x\"/><meta name='csrf-token' content='y'>",
            "<add key=\"password\" value=\"◆\"/><meta name='csrf-token' content='◆'>"
        ),
        (
            "<input name=password value='x'><input type=hidden name=csrf_token value=\"y\">",
            "<input name=password value='◆'><input type=hidden name=csrf_token value=\"◆\">"
        ),
        ("<input name=query value='x'>", "<input name=query value='x'>"),
        ("<input name=\"q\" value=\"x\">", "<input name=\"q\" value=\"x\">"),
        (
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\nX: y\r\n\r\nhun\r\nter2\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\nX: y\r\n\r\n◆\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--"
        ),
        ("PASS oauth:abcdefghijklmnopqrstuv\r\nNICK ana", "PASS ◆\r\nNICK ana"), ("PASS the salt please", "PASS the salt please"),
        ("if x == '-----BEGIN PRIVATE KEY-----' { y }", "if x == '◆{ y }"),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: a <b>\n\n\(key)\n<p>", "◆<p>"),
        ("`-----BEGIN … PRIVATE KEY-----`", "`-----BEGIN … PRIVATE KEY-----`"),
        // Programs and pages.
        (
            #"ask("Enter token: ", x, 'Password: ', y) "it's" password: "x""#,
            #"ask("Enter token: ", x, 'Password: ', y) "it's" password: "◆""#
        ),
        ("it's password: 'x', {password: \"x\"}", "it's password: '◆', {password: \"◆\"}"),
        ("<a accesskey=\"u\" accessKey='x1'>", "<a accesskey=\"u\" accessKey='◆'>"), ("token = None", "token = None"),
        ("<ds:Signature>\n<a>b</a></ds:Signature>", "<ds:Signature>◆<a>b</a></ds:Signature>"),
        // Nothing to hide.
        (
            #"{"text":"my passwords are none of your business","time":"12:30:45"}"#,
            #"{"text":"my passwords are none of your business","time":"12:30:45"}"#
        ),
        ("a: b, c=d; https://host:8080/x?y=z {\"n\":{}}", "a: b, c=d; https://host:8080/x?y=z {\"n\":{}}"), ("", ""),
        ("::==%%\\\\\"\"--><", "::==%%\\\\\"\"--><"),
    ]

    @Test(arguments: texts) func `secrets in text are hidden`(_ text: String, _ left: String) {
        #expect(Redacted.text(text) == left)
    }

    @Test(arguments: [
        ("password=a;b\"c d&x=1", SecretScan.Setting.form, "password=◆&x=1"), ("a=1&token=x\r\n", .form, "a=1&token=◆"),
        ("/a?token=it's\"x\"&b=1#f", .target, "/a?token=◆&b=1#f"), ("/a;jsessionid=12?x=1", .target, "/a;jsessionid=◆"),
        ("USER ana\r\nPASS two words\r\n", .commands, "USER ana\r\nPASS ◆\r\n"), ("a1 LOGIN ana hunter2\r\n", .commands, "a1 LOGIN ◆\r\n"),
        ("AUTH PLAIN AGFuYQBodW50ZXIy\r\n", .commands, "AUTH PLAIN ◆\r\n"), ("auth hunter2\r\nGET x", .commands, "auth ◆\r\nGET x"),
        ("*2\r\n$4\r\nAUTH\r\n$7\r\nhunter2\r\n", .commands, "*2\r\n$4\r\nAUTH\r\n$21\r\n◆\r\n"),
        (
            "*4\r\n$6\r\nCONFIG\r\n$3\r\nSET\r\n$11\r\nrequirepass\r\n$7\r\nhunter2\r\n", .commands,
            "*4\r\n$6\r\nCONFIG\r\n$3\r\nSET\r\n$11\r\nrequirepass\r\n$21\r\n◆\r\n"
        ),
        ("CONFIG SET masterauth hunter2\r\n", .commands, "CONFIG SET masterauth ◆\r\n"),
        ("$10\r\nmasterauth\r\n$7\r\nhunter2\r\n", .commands, "$10\r\nmasterauth\r\n$21\r\n◆\r\n"),
        ("$5\r\nAUTH2\r\n$1\r\nu\r\n$7\r\nhunter2\r\n", .commands, "$5\r\nAUTH2\r\n$21\r\n◆\r\n$21\r\n◆\r\n"),
        ("$3\r\nSET\r\n$11\r\nrequirepasss\r\n$2\r\nhi\r\n", .commands, "$3\r\nSET\r\n$11\r\nrequirepasss\r\n$2\r\nhi\r\n"),
    ])
    func `what the text is decides where a secret ends`(_ text: String, _ setting: SecretScan.Setting, _ left: String) {
        #expect(Redacted.text(text, as: setting) == left)
    }

    @Test func `a mark stays what it is`() {
        let once = Redacted.text([Array(#"{"password":"hunter2"} Bearer abc123def ?token=x&y"#.utf8)])
        #expect(Redacted.text([once]) == once)
    }

    @Test func `the digits are SipHash-2-4 of the secret under the key of the run`() {
        // The vector of the paper's appendix A.
        let mark = RedactionMark(.init(low: Redacted.plan.salt.low, high: Redacted.plan.salt.high)).mark(of: Array(0..<15)[...])
        #expect(String(decoding: mark, as: UTF8.self) == "⟨redacted:a129ca⟩")
    }

    /// Each rule with a value that never ends, and text that begins one rule after another.
    @Test(arguments: [
        "{\"password\":\"x\",", "a:", "token=", "\"\":", "https://a:", "%3D", "%253D%25", "\\\"a\\\":", "eyJa.", "Bearer x ", "-----BEGIN ",
        "<token>",
        "form-data; name=\"token\"\r\n", "\\", "\"token\":[", "PASS x\n", "::", "a@b:c//", "\\u003d", " ", "%22%3A", "+", "%20", "%20%3A",
        "\"\ndata:", "data:\n", "//", "//a:b", ":\\/", ":\\\\u002f",
        "<token></x>", "<token><![CDATA[", "<token><a></a>", "&quot;:", "\"pin\":&quot;", "token=>", "auth=Digest a=",
        "auth=Digest a=\"b\",", "auth: [Bearer ", "<a name=\"b\" value=",
        "\"name\":\"b\",\"value\":",
        "https:\\/\\/a\\u003ab",
    ])
    func `the time is linear in the text`(_ unit: String) {
        func steps(_ count: Int) -> Int {
            Redacted.told([Array(repeating: Array(unit.utf8), count: count).flatMap(\.self)]).steps
        }
        let (small, large) = (steps(2_000), steps(16_000))
        #expect(large < small * 10 + 1_000, "\(small) \(large)")
    }

    @Test func `bytes one by one take no more than a bound each`() {
        let text = Array(repeating: Array("{\"password\":\"xxxxxxxxxxxxxxxxxxxxx\",\"a\":1}".utf8), count: 200).flatMap(\.self)
        #expect(Redacted.told(text.map { [$0] }).steps < text.count * 200)
    }
}
