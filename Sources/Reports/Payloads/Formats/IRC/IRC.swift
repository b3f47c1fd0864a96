import Dissection

/// Internet Relay Chat (modern.ircdocs.horse, RFC 1459 and 2812), of framed raw TCP and of WebSocket messages with an `ircv3.net` subprotocol.
///
/// ```
/// @time=2026-11-20 :alice!a@host PRIVMSG #room :Hello there
/// └ tags            └ prefix     └ command       └ last parameter
/// ```
enum IRC: FramedFormat {
    typealias Grammar = IRCGrammar
    static var keys: [StaticString] { ["command", "name", "prefix", "params", "tags", "latency"] }
    static var beatsAreAnswered: Bool { true }
    static var beatDelay: BeatDelay { .anyBytes }
    static var hasAllBeats: Bool { true }
    static var hasGoodbye: Bool { true }

    /// Servers tell of others that left by the same word.
    static func isGoodbye(_ decoded: DecodedPayload, from side: Side, _ content: RawSpan) -> Bool {
        side == .client && decoded.says("command", "QUIT") && !content.complainsOfSilence
    }

    static let occasions: PayloadOccasions = [.framed, .agreedText, .agreedBinary]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        if context.isFramed(by: name) { return .agreed }
        guard context.carrier == .message else { return .no }
        return context.speaks("text.ircv3.net") || context.speaks("binary.ircv3.net") ? .agreed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var end = bytes.byteCount
        while end > 0, bytes[end - 1] == 0x0a || bytes[end - 1] == 0x0d { end -= 1 }
        let line = bytes.extracting(0..<end)
        if let inside = line.position(of: 0x0a) { return decoded.stop("it has more than one line", at: inside) }
        if line.isEmpty {
            decoded.add("command", .word(""), at: 0..<bytes.byteCount)
            decoded.say("empty line")
            return
        }
        var position = 0
        /// The word that stands next.
        func word() -> Range<Int>? {
            while position < end, bytes[position] == 0x20 { position += 1 }
            let start = position
            while position < end, bytes[position] != 0x20 { position += 1 }
            return position > start ? start..<position : nil
        }
        var prefix: Range<Int>?
        if line[0] == UInt8(ascii: "@"), let tags = word() { decoded.add("tags", text: tags.lowerBound + 1..<tags.upperBound, of: bytes) }
        while position < end, bytes[position] == 0x20 { position += 1 }
        if position < end, bytes[position] == UInt8(ascii: ":"), let found = word() {
            prefix = found.lowerBound + 1..<found.upperBound
            decoded.add("prefix", text: found.lowerBound + 1..<found.upperBound, of: bytes)
        }
        guard let command = word() else { return decoded.stop("it has no command", at: position) }
        let verb = bytes.extracting(command)
        let isNumeric = verb.byteCount == 3 && verb.decimal != nil
        guard isNumeric || (0..<verb.byteCount).allSatisfy({ verb[$0] | 0x20 >= 0x61 && verb[$0] | 0x20 <= 0x7a }) else {
            return decoded.stop("its command is neither letters nor three digits", at: command.lowerBound)
        }
        var parameters: [Range<Int>] = []
        while position < end {
            while position < end, bytes[position] == 0x20 { position += 1 }
            if position < end, bytes[position] == UInt8(ascii: ":") || parameters.count == 14 {
                parameters.append(position + (bytes[position] == UInt8(ascii: ":") ? 1 : 0)..<end)
                break
            }
            guard let parameter = word() else { break }
            parameters.append(parameter)
        }
        decoded.add("command", text: command, of: bytes)
        let numeric = isNumeric ? IRCNumerics.name(verb.decimal ?? 0) : nil
        if let numeric { decoded.add("name", .word(numeric.description), at: command) }
        if let numeric { decoded.say(numeric) } else { decoded.say(verb) }
        // What is secret stays in the payload alone.
        let isSecret = ["PASS", "AUTHENTICATE", "OPER"].contains { verb.isCaseInsensitively($0) }
        if !isSecret {
            let told: [DecodedPayload.Value.Member] = parameters.map { .init([], .text(bytes.extracting($0).copy), at: $0) }
            decoded.add("params", .items(told), at: parameters.isEmpty ? end..<end : parameters[0].lowerBound..<end)
            for (index, parameter) in parameters.enumerated() {
                decoded.say(index > 0 && index == parameters.count - 1 ? "  " : " ", bytes.extracting(parameter))
            }
        }
        if let prefix {
            decoded.say(", from ", bytes.extracting(prefix))
        }
        let key = Array("ping".utf8) + (parameters.last.map { bytes.extracting($0).prefix(100).copy } ?? [])
        if verb.isCaseInsensitively("PING") {
            memory.calls.note(key, in: context)
        } else if verb.isCaseInsensitively("PONG") {
            decoded.addAnswer(to: key, in: context, memory: &memory)
        }
    }
}

/// The names of numeric replies that clients meet.
enum IRCNumerics {
    private static let names: [UInt64: StaticString] = [
        1: "RPL_WELCOME", 2: "RPL_YOURHOST", 3: "RPL_CREATED", 4: "RPL_MYINFO", 5: "RPL_ISUPPORT", 221: "RPL_UMODEIS",
        251: "RPL_LUSERCLIENT",
        252: "RPL_LUSEROP", 253: "RPL_LUSERUNKNOWN", 254: "RPL_LUSERCHANNELS", 255: "RPL_LUSERME", 265: "RPL_LOCALUSERS",
        266: "RPL_GLOBALUSERS", 301: "RPL_AWAY", 305: "RPL_UNAWAY", 306: "RPL_NOWAWAY", 311: "RPL_WHOISUSER", 312: "RPL_WHOISSERVER",
        315: "RPL_ENDOFWHO", 317: "RPL_WHOISIDLE", 318: "RPL_ENDOFWHOIS", 319: "RPL_WHOISCHANNELS", 321: "RPL_LISTSTART", 322: "RPL_LIST",
        323: "RPL_LISTEND", 324: "RPL_CHANNELMODEIS", 329: "RPL_CREATIONTIME", 331: "RPL_NOTOPIC", 332: "RPL_TOPIC",
        333: "RPL_TOPICWHOTIME", 341: "RPL_INVITING", 352: "RPL_WHOREPLY", 353: "RPL_NAMREPLY", 366: "RPL_ENDOFNAMES", 367: "RPL_BANLIST",
        368: "RPL_ENDOFBANLIST", 372: "RPL_MOTD", 375: "RPL_MOTDSTART", 376: "RPL_ENDOFMOTD", 381: "RPL_YOUREOPER", 396: "RPL_HOSTHIDDEN",
        401: "ERR_NOSUCHNICK", 402: "ERR_NOSUCHSERVER", 403: "ERR_NOSUCHCHANNEL", 404: "ERR_CANNOTSENDTOCHAN", 405: "ERR_TOOMANYCHANNELS",
        421: "ERR_UNKNOWNCOMMAND", 422: "ERR_NOMOTD", 431: "ERR_NONICKNAMEGIVEN", 432: "ERR_ERRONEUSNICKNAME", 433: "ERR_NICKNAMEINUSE",
        436: "ERR_NICKCOLLISION", 441: "ERR_USERNOTINCHANNEL", 442: "ERR_NOTONCHANNEL", 443: "ERR_USERONCHANNEL", 451: "ERR_NOTREGISTERED",
        461: "ERR_NEEDMOREPARAMS", 462: "ERR_ALREADYREGISTERED", 464: "ERR_PASSWDMISMATCH", 465: "ERR_YOUREBANNEDCREEP",
        471: "ERR_CHANNELISFULL", 472: "ERR_UNKNOWNMODE", 473: "ERR_INVITEONLYCHAN", 474: "ERR_BANNEDFROMCHAN", 475: "ERR_BADCHANNELKEY",
        481: "ERR_NOPRIVILEGES", 482: "ERR_CHANOPRIVSNEEDED", 670: "RPL_STARTTLS", 900: "RPL_LOGGEDIN", 901: "RPL_LOGGEDOUT",
        903: "RPL_SASLSUCCESS", 904: "ERR_SASLFAIL", 905: "ERR_SASLTOOLONG", 906: "ERR_SASLABORTED", 907: "ERR_SASLALREADY",
        908: "RPL_SASLMECHS",
    ]

    static func name(_ number: UInt64) -> StaticString? { names[number] }
}
