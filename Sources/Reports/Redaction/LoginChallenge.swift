/// What a server says to a client that logs in: lines that begin with `334` (SMTP; RFC 4954, section 4) or `+` (IMAP and POP3; RFC 9051, section 7.5)
/// ask for more, and any other one ends it, however the lines are cut.
///
/// ```
/// >  AUTH LOGIN␍␊
/// <  3
/// <  34 UGFzc3dvcmQ6␍␊    asks for more
/// >  aHVudGVyMg==␍␊       hidden
/// <  235 ok␍␊             the end
/// ```
struct LoginChallenge {
    /// The beginning of the line, as far as it is needed.
    private var begun: [UInt8] = []
    /// Whether that asks for more, or is beside the point; nothing more of the line matters.
    private var isJudged = false

    private static let code = Array("334".utf8)

    /// - Parameter endsLine: The line ends with the bytes, whatever they end with.
    /// - Returns: Whether the login goes on.
    mutating func take(fromServer bytes: [UInt8], endsLine: Bool) -> Bool {
        for byte in bytes {
            if byte == 0x0a {
                self = LoginChallenge()
            } else if !isJudged, !(begun.isEmpty && byte == 0x0d) {
                begun.append(byte)
                // What a server of IMAP says on its own account begins with an asterisk (RFC 9051, section 7).
                isJudged = begun.first == 0x2b || begun.first == 0x2a || begun == Self.code
                guard isJudged || Self.code.starts(with: begun) else { return false }
            }
        }
        if endsLine { self = LoginChallenge() }
        return true
    }
}
