internal import Dissection

/// Any bytes as header blocks of a connection of HTTP/2: how a block is spread over frames changes nothing in what it says, and few bytes do
/// not become many.
///
/// The first byte chooses bounds (bit 0), the size of the table that each side allows (bits 1 and 2) and whether something is lost before the
/// first block (bit 3). Then for each block one byte (bit 0 the side, bit 1 whether it ends the stream, the other bits where it is cut), two
/// for its length, most significant first, and the block.
enum HPACKFuzzing {
    private static let tableSizes: [UInt32] = [4_096, 0, 65_536, 1 << 20]

    static func complaints(about input: [UInt8]) -> [String] {
        let whole = talk(input, isCut: false)
        var complaints = HTTP2Fuzzing.complaints(about: whole, follows: input.count & 1 != 0)
        // Where a frame begins is another place then.
        let (told, toldCut) = (withoutPlaces(whole.transcript()), withoutPlaces(talk(input, isCut: true).transcript()))
        if told != toldCut {
            let first = zip(told, toldCut).first { $0 != $1 }
            complaints.append("in one frame \(first?.0 ?? "\(told.count) lines"), in several \(first?.1 ?? "\(toldCut.count) lines")")
        }
        return complaints
    }

    private static func talk(_ input: [UInt8], isCut: Bool) -> Talk {
        var cursor = InputCursor(input)
        let choice = cursor.byte()
        let settings = HTTP2Frames.settings([(1, tableSizes[Int(choice >> 1 & 3)])])
        var talk = Talk(
            [
                .client(HTTP2Frames.preface + settings), .server(settings + HTTP2Frames.accepted), .client(HTTP2Frames.accepted),
            ], limits: choice & 1 == 0 ? Limits() : Fuzzer.tightLimits)
        if choice & 8 != 0 { talk.steps += [.gap(.client, 100, .missing), .gap(.server, 100, .missing)] }
        var number: UInt32 = 1
        while !cursor.isAtEnd {
            let head = cursor.byte()
            let block = cursor.run(cursor.length())
            // Nobody finds an empty frame after a loss.
            guard !block.isEmpty else { continue }
            let side: Side = head & 1 == 0 ? .client : .server
            let end: UInt8 = head & 2 == 0 ? 0 : 1
            let boundary = isCut ? max(1, block.count * Int(head >> 2) / 64) : block.count
            var bytes = HTTP2Frames.frame(1, flags: isCut ? end : end | 4, stream: number, Array(block[..<boundary]))
            if isCut { bytes += HTTP2Frames.frame(9, flags: 4, stream: number, Array(block[boundary...])) }
            // After a loss a frame is believed that another one follows.
            talk.steps.append(.bytes(side, bytes + HTTP2Frames.ping()))
            if side == .server { number += 2 }
        }
        return talk
    }

    private static func withoutPlaces(_ lines: [String]) -> [String] {
        lines.dropLast().filter { !$0.contains("gap") }
            .map { $0.split(separator: " ").filter { !$0.hasPrefix("@") }.joined(separator: " ") }
    }
}
