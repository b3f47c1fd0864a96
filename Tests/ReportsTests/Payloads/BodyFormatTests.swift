import Dissection
import Testing

@testable import Reports

/// Formats of HTTP bodies: forms, multipart, XML, pictures, gRPC-Web.
@Suite struct BodyFormatTests {
    private func body(_ text: String, type: String) -> String? {
        var talk = ValueTalk()
        return talk.body(Array(text.utf8), type: type)?.json
    }

    @Test func `a form has its fields, in order and undone`() {
        let type = "application/x-www-form-urlencoded; charset=utf-8"
        #expect(
            body("a=1&b=x+y%20%C3%BC&a=&c&&%zz=%4", type: type)
                == #"{"as":"form","fields":[["a","1"],["b","x y ü"],["a",""],["c",""],["%zz","%4"]]}"#)
        #expect(body("a==b", type: type) == #"{"as":"form","fields":[["a","=b"]]}"#)
        #expect(body("a=1", type: "text/plain") == nil)
        #expect(body(String(repeating: "a&", count: 70_000), type: type)?.contains("it has more than 65536 values") == true)
    }

    @Test func `a multipart body has its parts`() throws {
        let type = #"multipart/form-data; charset="a;boundary=no"; boundary="x y""#
        let text =
            "preamble\r\n--x y\r\nContent-Disposition: form-data; name=\"who\"\r\n\r\nme\r\n--x y  \r\n"
            + "content-disposition: form-data; name=f; filename=\"a\\\"b.png\"\r\nContent-Type: image/png\r\n\r\n\r\n--x\r\n--x yz\r\n--x y--\r\nrest"
        #expect(
            body(text, type: type)
                == #"{"as":"multipart","parts":[{"name":"who","length":2,"value":"me"},{"name":"f","filename":"a\"b.png","type":"image/png","length":13}]}"#
        )
        var talk = ValueTalk()
        let told = talk.body(Array(text.utf8), type: type)
        let said = try #require(told)
        #expect(
            said.line
                == #"2 parts  [{name: "who", length: 2, value: "me"}, {name: "f", filename: "a"b.png", type: "image/png", length: 13}]"#)
        #expect(body("--b\n\na\n--b--", type: "multipart/mixed; boundary=b") == #"{"as":"multipart","parts":[{"length":1,"value":"a"}]}"#)
        for (text, type, reason) in [
            ("--b\r\n\r\na", "multipart/mixed; boundary=b", "its last boundary does not come"),
            ("a", "multipart/mixed; boundary=b", "its boundary does not come"),
            ("--b", "multipart/mixed", "names no boundary"), ("--b\r\n", "multipart/mixed;boundary=\"\"", "names no boundary"),
        ] {
            #expect(body(text, type: type)?.contains(reason) == true, "\(text)")
        }
    }

    @Test(arguments: [
        ("<a/>", #"{"as":"xml","root":"a","elements":1}"#),
        (
            "\u{feff}<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY e \"]>\"> <!-- ' --> ]>\n<!-- - -->\n<x:a b=\"&lt;&#x1F600;&#10;\" c='\"'><![CDATA[<&]]><b>ü</b ></x:a>\n",
            #"{"as":"xml","root":"x:a","elements":2}"#
        ),
        ("<a>&x <b c=\"<\" c='&'>]]></z></a>x", #"{"as":"xml","root":"a","elements":2}"#),
        ("<a>", #"{"as":"xml","root":"a","elements":1,"error":"its root element does not end","at":3}"#),
        ("<a/><b/>", #"{"as":"xml","root":"a","elements":1,"error":"a tag stands after the root element","at":4}"#),
        ("<a b=c/>", #"{"as":"xml","error":"a tag is not valid or not whole","at":3}"#),
        ("<a><!-- ", #"{"as":"xml","root":"a","elements":1,"error":"a declaration does not end","at":3}"#),
        ("", "nil"), ("<!-- - -->", #"{"as":"xml","error":"it has no element","at":10}"#),
        ("</a>", #"{"as":"xml","error":"an end tag has no start tag","at":0}"#),
        ("<", #"{"as":"xml","error":"a tag is not valid or not whole","at":0}"#),
    ])
    func `XML has its root, how many elements there are, and where it ends early`(text: String, json: String) {
        #expect(body(text, type: "application/soap+xml; charset=utf-8") ?? "nil" == json)
    }

    @Test(arguments: [
        "<?xml version = '1.0' encoding=\"UTF-8\" standalone='yes' ?><a/>", "<!DOCTYPE a SYSTEM 'x'><a>&nbsp;</a>",
        "<a>]] ><![CDATA[]]]]>&gt;</a>", "<!DOCTYPE a [<!-- ' --><!ENTITY e \"<b></b>\"><!ATTLIST a b CDATA '>'>]><a/>",
        "<?xml-stylesheet href='a'?><a/>", "<?p?><a b='&quot;&#x10FFFF;'>&apos;\u{fffd}</a>", "<a b='1' B='2' x:b='3'/>",
    ])
    func `what is no element of XML does not count`(text: String) {
        #expect(body(text, type: "text/xml") == #"{"as":"xml","root":"a","elements":1}"#)
    }

    @Test func `names of forms may end with a backslash`() {
        func part(_ disposition: String) -> String? {
            body("--b\r\nContent-Disposition: form-data; \(disposition)\r\n\r\n\r\n--b--", type: "multipart/form-data; boundary=b")
        }
        #expect(part(#"name="a\"; filename="c:\x\""#)?.contains(#"{"name":"a\\","filename":"c:\\x\\","length":0}"#) == true)
        #expect(part(#"name="a\"b"; filename="\";c""#)?.contains(#"{"name":"a\"b","filename":"\";c","length":0}"#) == true)
    }

    @Test func `XML is bounded and recognised`() {
        #expect(
            body(String(repeating: "<a>", count: 10_000), type: "text/xml")
                == #"{"as":"xml","root":"a","elements":10000,"error":"its root element does not end","at":30000}"#)
        var talk = ValueTalk()
        #expect(talk.message(Array("<?xml version='1.0'?><a/>".utf8), opcode: 1)?.json == #"{"as":"xml","root":"a","elements":1}"#)
        #expect(talk.message(Array("<a/>".utf8), opcode: 1) == nil)
        #expect(body("<html>", type: "text/html") == nil)
    }

    @Test(arguments: [
        ("89504e470d0a1a0a 0000000d 49484452 00000280 000001e0 08 02", "png 640 × 480"),
        ("474946383961 8002 e001 00", "gif 640 × 480"),
        ("ffd8ffe0 0010 4a46494600010100000100010000 ffc4 0003 00 ffc2 0011 08 01e0 0280 03", "jpeg 640 × 480"),
        ("52494646 24000000 57454250 56503820 18000000 3001009d012a 8002 e001 00", "webp 640 × 480"),
        ("52494646 24000000 57454250 5650384c 18000000 2f 7fc27700 000000000000000000", "webp 640 × 480"),
        ("52494646 24000000 57454250 56503858 0a000000 10000000 7f0200 df0100", "webp 640 × 480"),
        ("424d 46000000 0000 0000 36000000 28000000 80020000 20feffff 0100", "bmp 640 × 480"),
        ("00000018 66747970 61766966 00000000 00000000 00000000 00000014 69737065 00000000 00000280 000001e0", "avif 640 × 480"),
        (
            "00000018 66747970 68656963 00000000 00000000 00000000 00000014 69737065 00000000 00000200 00000200 00000014 69737065 00000000 00000280 000001e0",
            "heic 640 × 480"
        ),
    ])
    func `pictures have their size`(digits: String, line: String) throws {
        var talk = ValueTalk()
        #expect(talk.message(hex(digits))?.line == line)
        let size = line.split(separator: " ")
        #expect(
            talk.body(hex(digits), type: "image/unknown")?.json == #"{"as":"image","type":"\#(size[0])","width":640,"height":480}"#)
        // Not on raw bytes of a stream, and no trap where they end early.
        for end in 0..<hex(digits).count { _ = ValueTalk.decode("image", Array(hex(digits)[..<end])) }
    }

    @Test func `other pictures, and what is none`() {
        var talk = ValueTalk()
        #expect(talk.body(hex("00000100 0100 1000 0000"), type: "image/x-icon")?.line == "ico 16 × 256")
        #expect(talk.message(hex("00000100 0100 1000 0000")) == nil)
        #expect(
            body("<svg xmlns='http://www.w3.org/2000/svg'\n\twidth=\"16px\" height='24.6'/>", type: "image/svg+xml")
                == #"{"as":"image","type":"svg","width":16,"height":25}"#)
        #expect(body("<svg width='100%' height='2'/>", type: "image/svg+xml") == #"{"as":"image","type":"svg"}"#)
        #expect(body("BM looks like a bitmap, and is text", type: "text/plain") == nil)
        #expect(body("not a picture", type: "image/png") == nil)
        #expect(
            talk.message(hex("89504e470d0a1a0a 0000000d 49484452"))?.json.contains("the size of the picture is not where it should be")
                == true)
        // A signature again and again, as tests send it: no line that hides the bytes.
        let repeated = talk.message(Array((0..<40).flatMap { _ in hex("89504e470d0a1a0a 0000000d 49484452 0000") }))
        #expect(repeated?.payload.hasStopped == true)
    }

    @Test func `gRPC-Web has its messages and how the call ended`() throws {
        var talk = ValueTalk()
        let request = hex("00 00000005 0a 03 6d 65 21")
        #expect(
            talk.body(request, type: "application/grpc-web+proto", target: "/chat.Chat/Say")?.json
                == #"{"as":"grpc","service":"chat.Chat","method":"Say","length":5,"compressed":false,"message":{"as":"protobuf","fields":[{"number":1,"wire":"len","value":"me!"}]}}"#
        )
        let trailer = Array("grpc-status: 5\r\ngrpc-message: no %41\r\n".utf8)
        let response = request + request + [0x80, 0, 0, 0, UInt8(trailer.count)] + trailer
        let told = talk.body(response, type: "application/grpc-web", target: "/chat.Chat/Say", from: .server)
        let said = try #require(told)
        #expect(said.json.contains(#""status":5,"statusName":"NOT_FOUND","statusMessage":"no A","messages":[{"length":5,"#))
        #expect(said.json.hasSuffix(#""trailers":[["grpc-status","5"],["grpc-message","no %41"]]}"#))
        #expect(said.line == #"chat.Chat/Say  {1: "me!"}  {1: "me!"}  status 5 NOT_FOUND: no A"#)
        // In text, with padding in the middle: two pieces.
        let text = "AAAAAAUKA21lIQ==AAAAAAUKA21lIQ=="
        #expect(
            talk.body(Array(text.utf8), type: "application/grpc-web-text", target: "/a.B/C", from: .server)?.line
                == #"a.B/C  {1: "me!"}  {1: "me!"}"#)
        #expect(talk.body(Array("AAAA*".utf8), type: "application/grpc-web-text")?.json.contains("\"error\":") == true)
        #expect(talk.body(request, type: "application/grpc")?.line == #"  {1: "me!"}"#)
        let object = #"{"name":"me"}"#
        let framed = [0, 0, 0, 0, UInt8(object.utf8.count)] + Array(object.utf8)
        let json = talk.body(framed, type: "application/grpc", target: "/chat.Chat/Say")
        #expect(json?.json.contains(#""message":{"as":"json","value":{"name":"me"}}"#) == true, "\(json?.json ?? "")")
        for (digits, reason) in [
            ("00 0000", "in the head"), ("00 ffffffff 00", "larger than what is left"), ("7e 00000000", "flags that are reserved"),
            ("80 00000000 00 00000000", "something follows the trailers"), ("00 00000001 08", "in the middle of a number"),
        ] {
            #expect(talk.body(hex(digits), type: "application/grpc-web")?.json.contains(reason) == true, "\(digits)")
        }
        #expect(
            talk.body(hex("01 00000001 08"), type: "application/grpc-web")?.json.contains(#""compressed":true,"message":{"$binary":1}"#)
                == true)
    }

    @Test func `a call of gRPC without a whole message says how it ended`() {
        let type = "content-type: application/grpc\r\n"
        let failed = #"{"as":"grpc","service":"chat.Chat","method":"Say","status":5,"statusName":"NOT_FOUND","statusMessage":"no A"}"#
        var talk = ValueTalk()
        // All in one head.
        #expect(talk.response(type + "grpc-status: 5\r\ngrpc-message: no %41\r\n", target: "/chat.Chat/Say")?.json == failed)
        #expect(talk.response(type, target: "/chat.Chat/Say") == nil)
        #expect(talk.response("content-type: text/html\r\ngrpc-status: 5\r\n", target: "/chat.Chat/Say") == nil)
        // A rule for the messages is none for heads.
        if let table = try? PayloadTable.standard.with(rules: ["*=json"]) {
            var ruled = ValueTalk(table)
            #expect(ruled.response(type + "grpc-status: 5\r\ngrpc-message: no %41\r\n", target: "/chat.Chat/Say")?.json == failed)
        }
        // In trailers after a message that is cut, of which the first part may have been told by itself.
        for part in [1, 2] as [UInt32] {
            _ = talk.response(type, target: "/chat.Chat/Say")
            let cut = talk.end(hex("00 00000020 08"), trailers: "grpc-status: 14\r\n", part: part)
            #expect(cut?.json.contains(#""status":14,"statusName":"UNAVAILABLE""#) == true, "\(part): \(cut?.json ?? "nothing")")
        }
    }

    @Test func `compressed messages of gRPC are undone`() {
        var talk = ValueTalk()
        let gzip = "1f8b0800000000000203 e362f54a2cceCF136007000e7acc5309000000"
        let told = talk.body(hex("01 0000001d \(gzip)"), type: "application/grpc", target: "/chat.Chat/Say")
        #expect(told?.line == #"chat.Chat/Say  {1: "Jason", 2: 7}"#)
        #expect(told?.json.contains(#""length":29,"compressed":true,"message":{"as":"protobuf","fields":["#) == true)
        // Damaged, cut off, or with something behind it: as it came.
        for digits in ["01 0000001d \(gzip.replacing("e362", with: "e3ff"))", "01 0000001c \(gzip.dropLast(2))", "01 0000001e \(gzip) 00"] {
            #expect(talk.body(hex(digits), type: "application/grpc")?.json.contains(#""message":{"$binary":"#) == true, "\(digits)")
        }
    }
}
