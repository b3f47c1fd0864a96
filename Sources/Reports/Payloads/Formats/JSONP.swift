import Dissection

/// The bodies of a page that polls by `<script>`, in Engine.IO 3 (socket.io/docs/v2, engine.io-protocol 3, "JSONP") and in SockJS
/// (sockjs-protocol 0.3, "jsonp"): what the server says as a string in a call of a function, what the client says as a field of a form.
///
/// ```
/// server  ___eio[0]("7:42[\"a\"]");      /**/_jp.a1("a[\"x\"]");
/// client  d=7%3A42%5B%22a%22%5D         d=%5B%22x%22%5D
/// ```
enum JSONP {
    /// More is not unpacked.
    private static let mostBytes = 1 << 20

    /// The packets of Engine.IO in a body; nil where it is none of these.
    static func packets(of bytes: RawSpan, from side: Side) -> [UInt8]? {
        guard bytes.byteCount <= mostBytes else { return nil }
        guard side == .server else { return field(bytes).map(withLineBreaks) }
        return bytes.suffix(from: comment(bytes)).begins("___eio[") ? argument(bytes) : nil
    }

    /// The frame of SockJS, or the messages of the client, in a body; nil where it is none of these.
    static func frame(of bytes: RawSpan, from side: Side) -> [UInt8]? {
        guard bytes.byteCount <= mostBytes else { return nil }
        return side == .server ? argument(bytes) : field(bytes)
    }

    /// Some servers begin with a comment, against sniffing of types.
    private static func comment(_ bytes: RawSpan) -> Int { bytes.begins("/**/") ? 4 : 0 }

    private static func argument(_ bytes: RawSpan) -> [UInt8]? {
        guard let open = bytes.prefix(64).position(of: UInt8(ascii: "("), from: comment(bytes)) else { return nil }
        var cursor = JSONCursor(bytes, at: open + 1)
        guard let range = cursor.string(), cursor.take(UInt8(ascii: ")")) else { return nil }
        return bytes.extracting(range).unescapedJSON
    }

    /// The field `d` of a form, which is the first.
    private static func field(_ bytes: RawSpan) -> [UInt8]? {
        guard bytes.begins("d=") else { return nil }
        let end = bytes.position(of: UInt8(ascii: "&"), from: 2) ?? bytes.byteCount
        return bytes.extracting(2..<end).percentDecoded(plusIsSpace: true)
    }

    /// With line breaks for what the client of Engine.IO writes for them: `\n` is one, `\\n` a backslash and n.
    private static func withLineBreaks(_ plain: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < plain.count {
            let isEscape = plain[index] == UInt8(ascii: "\\") && index + 1 < plain.count
            if isEscape, plain[index + 1] == UInt8(ascii: "n") {
                result.append(0x0a)
                index += 2
            } else if isEscape, plain[index + 1] == UInt8(ascii: "\\"), index + 2 < plain.count, plain[index + 2] == UInt8(ascii: "n") {
                result.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
                index += 3
            } else {
                result.append(plain[index])
                index += 1
            }
        }
        return result
    }
}
