import Dissection

// The keys of `request`, `response`, `body` and `upgrade`.

extension FieldTable {
    static let ofHTTP: [Field] =
        [
            .exchange, .method, .target, .httpVersion, .requestHeaders, .deadline,
            .status, .reason, .responseVersion, .responseHeaders, .latency,
            .bodyLength, .bodyWireLength, .encoding, .part, .final, .element, .trailers,
        ] + KeyList.fields(of: .upgrade)
}

// `request` and `response`
extension Field {
    @inline(__always) static var exchange: Field {
        Field(
            ",\"exchange\":", .some, in: [.request, .response], always: .request,
            "number of the request in its conversation, from 1; a response has that of its request, where that is sure",
            wireshark: "http.request_number")
    }
    @inline(__always) static var method: Field {
        Field(
            ",\"method\":", .text, in: [.request, .response], always: .request,
            "as on the wire (RFC 9110 9); in a response, that of its request, at most 32 bytes", wireshark: "http.request.method")
    }
    @inline(__always) static var target: Field {
        Field(
            ",\"target\":", .text, in: [.request, .response], always: .request,
            "as on the wire (RFC 9112 3.2); in a response, that of its request, at most 256 bytes: `truncated` says that it is cut",
            wireshark: "http.request.uri")
    }
    @inline(__always) static var httpVersion: Field {
        Field(",\"version\":", .text, in: .request, "as on the wire; absent for HTTP/0.9", wireshark: "http.request.version")
    }
    @inline(__always) static var requestHeaders: Field {
        Field(",\"headers\":", .headers, in: .request, always: .request, "the fields", wireshark: "http.request.line")
    }
    @inline(__always) static var deadline: Field {
        Field(",\"deadline\":", .seconds, in: .request, "of a gRPC call: how long its client waits for it, as `grpc-timeout` says")
    }
    @inline(__always) static var status: Field {
        Field(
            ",\"status\":", .integer(0, 65_535), in: .response, always: .response, "as on the wire (RFC 9110 15)",
            wireshark: "http.response.code")
    }
    @inline(__always) static var reason: Field {
        Field(",\"reason\":", .text, in: .response, "as on the wire; an empty one is left out", wireshark: "http.response.phrase")
    }
    @inline(__always) static var responseVersion: Field {
        Field(",\"version\":", .text, in: .response, "as on the wire", wireshark: "http.response.version")
    }
    @inline(__always) static var responseHeaders: Field {
        Field(",\"headers\":", .headers, in: .response, always: .response, "the fields", wireshark: "http.response.line")
    }
    @inline(__always) static var latency: Field {
        Field(
            ",\"latency\":", .seconds, in: .response, "from the last byte of the request to the first byte of the final answer or the 101",
            wireshark: "http.time")
    }
}

// `body`
extension Field {
    @inline(__always) static var bodyLength: Field {
        Field(",\"length\":", .any, .bytes, in: .body, always: .body, "of this part after every coding was undone")
    }
    @inline(__always) static var bodyWireLength: Field {
        Field(
            ",\"wireLength\":", .any, .bytes, in: .body, always: .body,
            "of this part on the wire, chunk framing not counted. Under a coding, the byte in which a part ends counts for the next part")
    }
    @inline(__always) static var encoding: Field {
        Field(",\"encoding\":", .text, in: .body, "the content coding that was undone, such as `gzip` (RFC 9110 8.4)")
    }
    @inline(__always) static var part: Field {
        Field(
            ",\"part\":", .integer(1, UInt64(UInt32.max)), in: .body, always: .body,
            "from 1. A part has 64 KiB; of `text/event-stream`, and of JSON lines whose length the server did not say, each event or line is one"
        )
    }
    @inline(__always) static var final: Field { Field(",\"final\":", .boolean, in: .body, always: .body, "whether it is the last part") }
    @inline(__always) static var element: Field {
        Field(
            ",\"element\":", .word(.element), in: .body,
            """
            of a body that is streamed, what the part is and ends with: a server-sent event, comments between events, fields without data \
            between events, a line of JSON, or a message of gRPC
            """)
    }
    @inline(__always) static var trailers: Field {
        Field(",\"trailers\":", .headers, in: .body, "the fields after a chunked body (RFC 9112 7.1.2)")
    }
}
