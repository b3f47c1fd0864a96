import Dissection
import Support

/// What is found about HTTP/1, row by row.
enum HTTP1Cases {
    static func http(
        _ row: String, _ found: [String], _ fires: [Talk.Step], nearly: [Talk.Step], limits: Limits = Limits()
    ) -> FindingCase {
        FindingCase("http." + row, found, fires: Talk(fires, limits: limits), nearly: Talk(nearly, limits: limits))
    }

    // MARK: - What they say

    static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    static let noContent = "HTTP/1.1 204 N\r\n\r\n"

    /// A request with these field lines behind its Host.
    static func request(_ fields: String, body: String = "", line: String = "POST / HTTP/1.1") -> Talk.Step {
        .client("\(line)\r\nHost: x\r\n\(fields)\r\n\(body)")
    }

    static func line(_ line: String) -> [Talk.Step] { [.client("\(line)\r\nHost: x\r\n\r\n")] }

    static func answer(_ head: String, body: String = "", to ask: String = get) -> [Talk.Step] {
        [.client(ask), .server("HTTP/1.1 \(head)\r\n\r\n\(body)")]
    }

    static func chunks(_ body: String) -> [Talk.Step] {
        answer("200 OK\r\nTransfer-Encoding: chunked", body: body)
    }

    static let upgrade = "Connection: upgrade\r\nUpgrade: foo\r\n"
    static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x22, 0xD3, 0xAB,
        0x32, 0x0B, 0xB8, 0x00, 0x9A, 0x8B, 0x73, 0xDA, 0x17, 0x00, 0x00, 0x00,
    ]

    static func coded(_ body: [UInt8], _ coding: String = "gzip") -> [Talk.Step] {
        [
            .client(get),
            .server(Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body),
        ]
    }

    /// The same without the last byte of what was sent last.
    static func cutShort(_ steps: [Talk.Step]) -> [Talk.Step] {
        guard case .bytes(let side, let bytes)? = steps.last else { return steps }
        return steps.dropLast() + [.bytes(side, Array(bytes.dropLast()))]
    }
}

extension FindingCase {
    static let http1: [FindingCase] = [
        HTTP1Cases.lineCases, HTTP1Cases.fieldCases, HTTP1Cases.framingCases, HTTP1Cases.bodyCases, HTTP1Cases.exchangeCases,
    ].flatMap(\.self)
}
