import Dissection
import Support

/// Bodies that are not whole, not wanted, or not what their head says.
extension HTTP1Cases {
    static var bodyCases: [FindingCase] {
        var damaged = gzip
        damaged[12] ^= 0xFF
        damaged[13] ^= 0xFF
        var small = Limits()
        small.bodyPartBytes = 4
        small.codedBodyBytes = 8
        return FindingCase.table {
            http(
                "length-without-body", ["< @32 http.length-without-body: Content-Length in a 204 response, which has no body"],
                answer("204 N\r\nContent-Length: 0"), nearly: answer("304 N\r\nContent-Length: 9"))
            http(
                "coding-without-body", ["< @35 http.coding-without-body: Transfer-Encoding in a 204 response, which has no body"],
                answer("204 N\r\nTransfer-Encoding: chunked"),
                nearly: answer("200 N\r\nTransfer-Encoding: chunked", body: "0\r\n\r\n"))
            http(
                "body-unexpected", ["< @38 http.body-unexpected: unexpected bytes after a response that has no body"],
                answer("200 OK\r\nContent-Length: 2", body: "hi", to: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"),
                nearly: answer("200 OK\r\nContent-Length: 2", to: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"))
            http(
                "body-in-205", ["< @32 http.body-in-205: 205 response with content"], answer("205 R\r\nContent-Length: 1", body: "x"),
                nearly: answer("205 R\r\nContent-Length: 0"))
            http(
                "body-in-205", ["< @32 http.body-in-205: 205 response with content"], answer("205 R\r\nContent-Length: 1", body: "x"),
                nearly: answer("205 R\r\nTransfer-Encoding: chunked", body: "0\r\n\r\n"))
            http(
                "message-incomplete",
                ["< @39 http.message-incomplete: the direction ended inside a message, 1 byte of known length is missing"],
                answer("200 OK\r\nContent-Length: 2", body: "h") + [.finish(.server)],
                nearly: answer("200 OK\r\nContent-Length: 2", body: "hi") + [.finish(.server)])
            // The capture ends, or the client resets: no fault of the server.
            http(
                "message-incomplete",
                ["< @39 http.message-incomplete: the direction ended inside a message, 1 byte of known length is missing"],
                answer("200 OK\r\nContent-Length: 2", body: "h") + [.reset(.server)],
                nearly: answer("200 OK\r\nContent-Length: 2", body: "h"))
            http(
                "message-unfinished",
                ["< @39 http.message-unfinished: nothing more was seen inside a message, 1 byte of known length is missing"],
                answer("200 OK\r\nContent-Length: 2", body: "h"),
                nearly: answer("200 OK\r\nContent-Length: 2", body: "hi"))
            http(
                "message-unfinished",
                ["< @39 http.message-unfinished: nothing more was seen inside a message, 1 byte of known length is missing"],
                answer("200 OK\r\nContent-Length: 2", body: "h") + [.reset(.client)],
                nearly: answer("200 OK\r\nContent-Length: 2", body: "h") + [.finish(.server)])
            // The client has left: whether the server could not go on or did not want to, nobody can say.
            http(
                "message-unfinished",
                ["< @39 http.message-unfinished: nothing more was seen inside a message, 1 byte of known length is missing"],
                answer("200 OK\r\nContent-Length: 2", body: "h") + [.finish(.client), .finish(.server)],
                nearly: answer("200 OK\r\nContent-Length: 2", body: "h") + [.finish(.server), .finish(.client)])
            http(
                "content-coding-corrupt", ["< @92 http.content-coding-corrupt: the body is damaged in its content coding"], coded(damaged),
                nearly: coded(gzip))
            http(
                "content-coding-cut", ["< @95 http.content-coding-cut: the body ends before its content coding does"],
                coded(gzip.dropLast()), nearly: coded(gzip))
            // A body that is itself cut says nothing about its coding.
            http(
                "content-coding-cut", ["< @95 http.content-coding-cut: the body ends before its content coding does"],
                coded(gzip.dropLast()), nearly: cutShort(coded(gzip)))
            http(
                "content-coding-mismatch",
                ["< @62 http.content-coding-mismatch: the body does not have the content coding that its head names"],
                coded(Array("hello".utf8)), nearly: coded(gzip))
            http(
                "content-coding-trailing", ["< @96 http.content-coding-trailing: bytes follow the end of the coded content"],
                coded(gzip + [0]), nearly: coded(gzip + gzip))
            http(
                "codings-too-many", ["< @35 http.codings-too-many: 3 codings are applied to the body"], coded([0], "gzip, gzip, gzip"),
                nearly: coded(gzip, "br, gzip"))
            // Without a body there is nothing to undo.
            http(
                "codings-too-many", ["< @35 http.codings-too-many: 3 codings are applied to the body"], coded([0], "a, b, c"),
                nearly: answer("204 N\r\nContent-Encoding: gzip, gzip, gzip"))
            http(
                "content-limit",
                ["< @82 http.content-limit: the first 8 bytes of the content are shown, and the rest of the body is left out"], coded(gzip),
                nearly: coded(Array("hello hello".utf8), "identity"), limits: small)
        }
    }
}
