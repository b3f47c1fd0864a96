import Dissection

extension TextReport {
    /// Says in a line by itself what was found of a conversation whose block is printed and whose names are forgotten.
    mutating func tellLate(_ finding: Finding, _ content: RecordContent, _ event: borrowing ConversationEvent) {
        endOpenLine()
        if let selection, selection.verdict != .show { return }
        if settings.follows {
            line.appendNumber(event.conversation)
        } else {
            line.append(rightIn: 2) { $0.append(decimal: event.conversation) }
        }
        composeFinding(finding, content, event.place, indent: settings.follows ? TextReport.followedSign : TextReport.blockSign)
        if settings.follows { printLine() } else { printLone() }
    }

    /// The line of a finding, beside what it is about.
    mutating func composeFinding(_ finding: Finding, _ content: RecordContent, _ place: Place, stream: UInt32 = 0, indent: Int) {
        line.isWhole = true
        line.pad(to: indent)
        line.ink(finding.row.severity == .violation ? .violation : finding.row.severity == .warning ? .warning : .note)
        line.append("!  ")
        line.origin = line.columns
        if stream > 0 {
            line.append("#")
            line.append { $0.append(decimal: UInt64(stream)) }
            line.space()
        }
        line.append(finding.row.idText)
        line.ink(.plain)
        line.space(3)
        line.append(finding.row.severity.word)
        line.append(": ")
        let isOurs = isProxy && finding.row.id.hasPrefix("proxy.")
        line.appendSentence(finding, content.bytes, most: isOurs ? TextLine.longestReason : TextLine.longestText)
        line.ink(.faint)
        if finding.row.referenceText.utf8CodeUnitCount > 0 {
            line.space(3)
            line.append(finding.row.referenceText)
        }
        if let packets = place.packets {
            line.space(3)
            line.append("packet ")
            line.append { $0.append(decimal: packets.highest) }
        }
        line.ink(.plain)
    }

    /// The last lines of a conversation: who ended it, how, after which silence; and what it amounted to.
    ///
    /// - Parameter cause: what heartbeats say about why.
    mutating func composeClosing(_ closing: Closing, _ cause: HeartbeatCause?, _ eventPlace: Place, at place: Int) {
        let (talk, last, closeFrames) = (table[place].talk, table[place].lastAt, table[place].closeFrames)
        let isCrossed = closing.how == .closeFrame && !closing.isAnswered && closeFrames.client && closeFrames.server
        beginClosingLine(at: place, eventPlace)
        line.codes = table[place].closeCodes
        appendManner(closing, at: place)
        let cause = table[place].reason == nil ? cause : nil
        if let cause {
            line.append(cause)
        } else if let answered = closing.answered {
            // A Close frame is answered; a FIN only says that its sender sends nothing more.
            switch closing.by {
            case _ where closing.how == .closeFrame: line.append(", answered after ")
            case .client: line.append(", the server followed ")
            case .server: line.append(", the client followed ")
            case .proxy, .unknown: line.append(", the other side followed ")
            }
            line.append(span: answered)
            if closing.how != .closeFrame { line.append(" later") }
        } else if closing.how == .closeFrame, !closing.isAnswered, !isCrossed {
            line.append(", never answered")
        }
        // Silence before what ended the conversation; without an end of its own, up to the last that was seen.
        var silence = closing.silence
        if silence == nil, let last, let now = closing.endedAt ?? eventPlace.time { silence = now.nanoseconds(since: last) }
        if let silence, silence >= 1_000_000_000, cause == nil {
            line.append(", after ", span: silence)
            line.append(" of silence")
        }
        // Each was sent before the other had arrived.
        if isCrossed { line.append("; the other side sent one before that arrived") }
        if talk == .webSocket, !closeFrames.client, !closeFrames.server, closing.how == .fin || closing.how == .reset {
            line.append("; no Close frame, which apps see as code 1006")
        }
        if settings.follows {
            line.space(3)
        } else {
            commit(at: place)
            beginClosingLine(at: place, eventPlace)
        }
        // Of HTTP those of gRPC.
        let hasMessages = closing.client.messages > 0 || closing.server.messages > 0
        let countsMessages = talk == .webSocket || talk == .http && hasMessages
        composeAmounts(closing, countsMessages: countsMessages, heard: table[place].packets, eventPlace)
        commitEnd(closing, eventPlace, isPlain: cause == nil && (closing.how != .closeFrame || closing.isAnswered), at: place)
    }

    /// Who ended it and how, or why the proxy did.
    ///
    /// - Parameter time: nanoseconds after which, where nothing else tells them.
    private mutating func appendManner(_ closing: Closing, after time: Int64? = nil, at place: Int) {
        if let reason = table[place].reason {
            line.ink(.warning)
            line.appendSentence(reason.finding, reason.text.rawBytes, most: TextLine.longestReason)
            line.ink(.plain)
            if let time {
                line.append(", after ", span: time)
            }
            line.ink(.faint)
            line.space(3)
            line.append(reason.finding.row.idText)
        } else {
            line.ink(.strong)
            line.appendManner(closing)
            line.ink(.plain)
            if let time {
                line.append(" after ", span: time)
            }
        }
        line.ink(.plain)
    }

    /// The one line of a conversation in which nothing came: between whom, how it ended, after what time.
    mutating func showEmpty(_ closing: Closing, _ eventPlace: Place, at place: Int) {
        line.isWhole = true
        if settings.follows {
            beginLine(at: place, eventPlace.time, from: nil)
        } else {
            line.ink(.strong)
            line.append(rightIn: 2) { $0.append(decimal: table[place].number) }
            line.space(2)
            line.ink(.plain)
            line.origin = 4
        }
        line.appendPeers(table[place])
        line.space(3)
        if table[place].reason == nil { line.append("nothing sent, ") }
        appendManner(closing, after: closing.duration, at: place)
        guard !settings.follows else { return commitEnd(closing, eventPlace, isPlain: true, at: place) }
        appendBeginning(at: place)
        printEmpty(closing, eventPlace, at: place)
    }

    /// When a conversation opened and how it came into sight, where no heading says so.
    private mutating func appendBeginning(at place: Int) {
        line.ink(.faint)
        line.appendOpening(table[place], &clock)
        line.ink(.plain)
    }

    mutating func beginClosingLine(at place: Int, _ eventPlace: Place) {
        line.isWhole = true
        if settings.follows {
            beginLine(at: place, eventPlace.time, from: nil)
        } else {
            line.space(4)
        }
    }

    private mutating func composeAmounts(_ closing: Closing, countsMessages: Bool, heard: PacketRange?, _ eventPlace: Place) {
        var packets = heard
        if let last = eventPlace.packets { packets?.formUnion(last) }
        if let duration = closing.duration { line.append(span: duration) }
        if let packets {
            line.append(closing.duration == nil ? "packets " : ", packets ")
            line.append { buffer in
                buffer.append(decimal: packets.lowest)
                buffer.append(0x2d)
                buffer.append(decimal: packets.highest)
            }
        }
        for (sign, ink, side) in [("> ", .client, closing.client), ("< ", .server, closing.server)] as [(StaticString, Ink, SideTotals)] {
            line.ink(ink)
            line.space(3)
            line.append(sign)
            line.ink(.plain)
            if countsMessages {
                line.append(side.messages, "message")
                line.space()
            }
            line.append(size: side.bytes)
            guard side.missing > 0 else { continue }
            line.append(", ", grouped: side.missing)
            line.append(" missing")
        }
    }
}

extension Finding {
    /// Whether it says no more than that the proxy removed `Proxy-Connection`, which nearly every client of an HTTP proxy sends and which no server may
    /// get. Text leaves it out; the records have it.
    func isRoutine(_ content: RawSpan) -> Bool {
        guard row.idText.utf8CodeUnitCount == 22, row.id == "proxy.header-rewritten" else { return false }
        return content.copy.elementsEqual("Proxy-Connection was removed".utf8)
    }
}

extension TextLine {
    /// Bytes that are shown of what a finding names, which a peer may have chosen.
    static let longestText = 256
    /// The same of the proxy's own words: a reason with two names of hosts and what to do about it.
    static let longestReason = 1_024

    /// The sentence of a finding.
    ///
    /// - Parameters:
    ///   - text: what it names.
    ///   - most: bytes that are shown of it.
    mutating func appendSentence(_ finding: Finding, _ text: RawSpan, most: Int = longestText) {
        var sentence = FindingSentence(finding)
        while let piece = sentence.next() {
            switch piece {
            case .literal(let words): append(safe: words)
            case .number(let value): append { $0.append(decimal: value) }
            case .reservedBits(let value): append { $0.append(reservedBits: value) }
            case .hex(let value):
                append {
                    $0.append("0x"); $0.append(hex: value)
                }
            case .text: append(safe: text.prefix(most))
            }
        }
    }

    /// Who ended a conversation, and how.
    mutating func appendManner(_ closing: Closing) {
        switch closing.how {
        case .closeFrame:
            append("closed by ")
            appendCloser(closing.by)
            append(" with a Close frame")
            if let code = closing.code {
                append(": ")
                append { $0.append(decimal: UInt64(code)) }
                append(" ")
                appendCodeName(code)
            } else {
                append(" without a code")
            }
        case .fin:
            append("closed by ")
            appendCloser(closing.by)
            append(closing.isCutOff(by: closing.by) ? " (FIN, then RST)" : " (FIN)")
        case .reset:
            append("cut off by ")
            appendCloser(closing.by)
            append(" (RST)")
        case .timeout where closing.by == .unknown: append("end of the connection not captured")
        case .timeout: append("given up: nothing came for too long")
        case .endOfCapture: append("still open at the end of the capture")
        case .evicted: append("given up, to stay within the limits of memory")
        case .connectFailed: append("the server could not be reached")
        case .tlsFailed: append("TLS could not be established")
        case .shutdown: append("closed because the proxy was stopped")
        case .limit: append("given up: a limit was reached")
        case .refused: append("refused by the proxy")
        }
    }

    private mutating func appendCloser(_ closer: Closing.Closer) {
        switch closer {
        case .client: append("the client")
        case .server: append("the server")
        case .proxy: append("the proxy")
        case .unknown: append("one side, unknown which")
        }
    }
}

extension Closing {
    /// Whether a side ended with a RST.
    fileprivate func isCutOff(by closer: Closer) -> Bool {
        switch closer {
        case .client: clientEnd == .reset
        case .server: serverEnd == .reset
        case .proxy, .unknown: false
        }
    }
}
