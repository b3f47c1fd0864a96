import Dissection

// Secrets that show what they are themselves: tokens of known forms, credentials behind the name of their scheme, and what the commands for
// logging in carry.

extension SecretScan {
    /// What a word says that begins at a byte.
    mutating func word(at index: Int) -> Step {
        switch text[index] | 0x20 {
        case 0x65, 0x62, 0x67, 0x78, 0x73, 0x72, 0x61, 0x6f, 0x6e, 0x64, 0x70, 0x6c, 0x69, 0x6d, 0x77, 0x79: break
        case _: return .on(index + 1)
        }
        if index + 3 <= end, !SecretWords.mayBegin(text[index], text[index + 1], text[index + 2]) { return .on(index + 1) }
        if isLine(index, SecretWords.jwt) { return webToken(at: index) }
        let subprotocol = SecretWords.subprotocol
        if isLine(index, subprotocol) { return value(from: index + subprotocol.utf8CodeUnitCount, .word, lookedFor: index) }
        for (opening, least) in SecretWords.tokens where isLine(index, opening) {
            var last = index + opening.utf8CodeUnitCount
            while last < end, text[last].isOfWord, last - index < least + opening.utf8CodeUnitCount { last += 1 }
            count(last - index)
            if last == end, !isLast { return .more(from: index, told: index) }
            if last - index >= least + opening.utf8CodeUnitCount { return value(from: index, .word, lookedFor: index) }
        }
        if mayBeToken(index) { return .more(from: index, told: index) }
        for scheme in SecretWords.schemes where isWord(index, scheme) {
            if let step = credentials(behind: index, index + scheme.utf8CodeUnitCount, of: scheme) { return step }
        }
        return command(at: index)
    }

    /// Whether what follows could make it a token.
    private func mayBeToken(_ index: Int) -> Bool {
        guard !isLast else { return false }
        return isBeginning(of: SecretWords.jwt, index) || SecretWords.tokens.contains { isBeginning(of: $0.0, index) }
            || isBeginning(of: SecretWords.subprotocol, index)
            || SecretWords.schemes.contains { isBeginning(of: $0, index) } || SecretWords.commands.contains { isBeginning(of: $0, index) }
    }

    /// A word whatever its case, with an end behind it.
    func isWord(_ index: Int, _ word: StaticString) -> Bool {
        let bytes = word.bytes
        guard index + bytes.byteCount <= end else { return false }
        for offset in 0..<bytes.byteCount where text[index + offset] | 0x20 != bytes[offset] | 0x20 { return false }
        let after = index + bytes.byteCount
        return after == end || !text[after].isOfWord
    }

    /// header.payload.signature, or the five parts of an encrypted one (RFC 7519).
    private mutating func webToken(at index: Int) -> Step {
        var (place, dots) = (index, 0)
        while place < end, text[place].isOfWord && text[place] < 0x80 || text[place] == 0x2e {
            if text[place] == 0x2e { dots += 1 }
            place += 1
            if place - index > SecretScan.mostHeld { break }
        }
        count(place - index)
        if place == end, !isLast, place - index <= SecretScan.mostHeld { return .more(from: index, told: index) }
        let isToken = dots > 0 || place == end && isCut || place - index > SecretScan.mostHeld
        guard isToken, place - index >= SecretWords.shortestToken else { return .on(place) }
        return value(from: index, .word, lookedFor: index)
    }

    /// `Bearer …`, `Basic …`: credentials, where what follows the word is not a word of a sentence.
    private mutating func credentials(behind index: Int, _ after: Int, of scheme: StaticString) -> Step? {
        var start = after
        let most = min(end, after + 64)
        while start < most, text[start] == 0x20 || text[start] == 0x2b || isLine(start, "%20") { start += text[start] == 0x25 ? 3 : 1 }
        if start == end, !isLast { return waits(index) }
        guard start > after, start < end else { return nil }
        var last = start
        while last < end, text[last].isOfToken, last - start <= SecretScan.mostHeld { last += 1 }
        count(last - index)
        if last == end, !isLast, last - start < SecretScan.mostHeld { return .more(from: index, told: start) }
        let token = text[start..<last]
        let isSecret =
            switch scheme.bytes[1] {
            case 0x65 where scheme.utf8CodeUnitCount == 6: Self.isToken(token)
            case 0x61: Self.holdsColon(token)
            case 0x69: false
            case _: token.count >= 16
            }
        guard isSecret || isCut && last == end else { return nil }
        return value(from: start, .word, lookedFor: index)
    }

    /// Whether it is not just a word: it is long, or has digits or signs in it.
    private static func isToken(_ text: ArraySlice<UInt8>) -> Bool {
        text.count >= 20 || text.count >= 6 && text.contains { 0x30...0x39 ~= $0 || $0 == 0x5f || $0 == 0x2d }
    }

    /// Whether it is base64 of something with a colon in it: user and password.
    private static func holdsColon(_ text: ArraySlice<UInt8>) -> Bool {
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in text {
            guard let digit = byte.base64Digit else { return false }
            bits = bits << 6 | UInt32(digit)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            if UInt8(truncatingIfNeeded: bits >> count) == 0x3a { return true }
        }
        return false
    }

    // MARK: - Commands

    /// What follows a command that logs in or sets a password: of SMTP, IMAP, POP3, FTP, IRC and Redis.
    private mutating func command(at index: Int) -> Step {
        let isCommands = setting == .commands
        guard let word = SecretWords.commands.first(where: { isWord(index, $0) }) else { return .on(index + 1) }
        let after = index + word.utf8CodeUnitCount
        // In a message of a talk only what looks like a command: alone, in capitals.
        let isFirst = index == bounds.lowerBound || text[index - 1] == 0x0a
        let isSetting =
            index > bounds.lowerBound && text[index - 1] == 0x20 && SecretWords.settings.contains { isWord(index, $0) }
            || LoginAnswers.isAfterHello(text[bounds.lowerBound..<index])
        guard isFirst || isCommands && (isTagged(index) || word.bytes[0] == 0x69 || isSetting), setting == .text || isCommands else {
            return .on(after)
        }
        if !isCommands, text[index..<after].contains(where: { $0 & 0x20 != 0 }) { return .on(after) }
        // `login: ` asks for a name, and `250-AUTH LOGIN PLAIN` says what logins there are.
        if after < end, text[after] != 0x20, text[after] != 0x0d, text[after] != 0x0a { return .on(after) }
        if isCommands, isListed(index, word) { return .on(after) }
        if !isLast, after + 40 > end, !text[after..<end].contains(0x0a) { return .more(from: index, told: after) }
        if isCommands, isBeginning(of: "\r\n$", after) { return waits(index) }
        if isCommands, isLine(after, "\r\n$"), isFirst { return bulkStrings(at: index, after + 2) }
        guard after < end, text[after] == 0x20 else { return .on(after) }
        var start = after + 1
        if isCommands, word.bytes[0] == 0x6c || word.bytes[1] == 0x75, endsWithLiteral(start) { loginPlace = loginPlace ?? start }
        if word.bytes[1] == 0x75 {
            // The mechanism is no secret.
            for mechanism in SecretWords.mechanisms where isWord(start, mechanism) { start += mechanism.utf8CodeUnitCount }
            if isCommands, start > after + 1 { loginPlace = loginPlace ?? start }
            if start < end, start > after + 1 {
                guard text[start] == 0x20 else { return .on(start) }
                start += 1
            }
        }
        if !isCommands {
            var last = start
            while last < end, text[last] > 0x20 { last += 1 }
            count(last - start)
            guard last == end || text[last] != 0x20 else { return .on(after) }
        }
        return value(from: start, .line, lookedFor: index)
    }

    /// Whether a line goes on after its end, as IMAP has it: `{8}`, or `{8+}` where nobody asks for the rest (RFC 9051, section 4.3).
    private mutating func endsWithLiteral(_ start: Int) -> Bool {
        let lineEnd = text[start..<end].firstIndex(of: 0x0a) ?? end
        count(lineEnd - start)
        return LoginAnswers.literalLength(text[start..<lineEnd]) != nil
    }

    /// Whether a server lists its mechanisms here: `250-AUTH LOGIN PLAIN` (RFC 4954, section 3), `SASL LOGIN PLAIN` (RFC 5034, section 3).
    private func isListed(_ index: Int, _ word: StaticString) -> Bool {
        var start = index
        while start > bounds.lowerBound, index - start < 64, text[start - 1] != 0x0a { start -= 1 }
        guard start == bounds.lowerBound || text[start - 1] == 0x0a else { return false }
        if isLine(start, "SASL "), start < index { return true }
        guard index - start >= 4, text[start..<start + 3].allSatisfy({ 0x30...0x39 ~= $0 }), [0x20, 0x2d].contains(text[start + 3]) else {
            return false
        }
        if index == start + 4 { return word.utf8CodeUnitCount == 4 && word.bytes[1] == 0x75 }
        return isWord(start + 4, "auth")
    }

    /// Whether only the tag of a command of IMAP stands before it in its line.
    private func isTagged(_ index: Int) -> Bool {
        guard index > bounds.lowerBound, text[index - 1] == 0x20 else { return false }
        var start = index - 1
        while start > bounds.lowerBound, index - start < 24, text[start - 1] > 0x20 { start -= 1 }
        return start < index - 1 && (start == bounds.lowerBound || text[start - 1] == 0x0a)
    }

    /// The arguments of AUTH and the like as Redis has them: `$6`, a line end, six bytes, a line end. The lengths become those of the marks.
    private mutating func bulkStrings(at anchor: Int, _ first: Int) -> Step {
        var index = first
        while index < end, text[index] == 0x24 {
            var (digits, length) = (index + 1, 0)
            while digits < end, 0x30...0x39 ~= text[digits], digits - index < 8 {
                length = length * 10 + Int(text[digits] - 0x30)
                digits += 1
            }
            let start = digits + 2
            guard start + length <= end else { break }
            if length > 0, !RedactionMark.isMark(text[start..<start + length]) {
                let mark = marks.mark(of: text[start..<start + length])
                put(index..<start + length, Array("$\(mark.count)\r\n".utf8) + mark)
            }
            index = min(end, start + length + 2)
        }
        // A string that is not whole.
        guard index < end, text[index] == 0x24 else { return .on(index) }
        if !isLast, end - anchor <= SecretScan.mostHeld, index - anchor <= SecretScan.mostContext {
            return .more(from: anchor, told: index)
        }
        add(index..<end)
        return .on(end)
    }
}
