import Dissection
import Support
import Testing

/// Responses with a body under a content coding, and what is told of them.
enum CodedBody {
    /// A request, and a response whose body is said to have a coding.
    ///
    /// - Parameters:
    ///   - length: what `Content-Length` says, where that is another number than the body has bytes.
    ///   - more: what follows.
    static func answer(
        _ coding: String, _ body: [UInt8], length: Int? = nil, limits: Limits = Limits(), and more: [Talk.Step] = []
    ) -> Talk {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(length ?? body.count)\r\n\r\n"
        return Talk([.client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(Array(head.utf8) + body)] + more, limits: limits)
    }

    /// What is told between the response and the end, however it came in: whole, byte by byte, cut at random.
    static func told(_ talk: Talk) -> [String] {
        let told = talk.transcript()
        if let difference = talk.difference(from: told) { Issue.record("\(difference)") }
        return told.filter { $0.hasPrefix("<") && !$0.contains("response") }.map { line in
            line.split(separator: " ", maxSplits: 2).dropFirst(2).joined()
        }
    }
}
