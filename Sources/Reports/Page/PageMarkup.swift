import Dissection

/// What a page is made of beside what was said. It has no script, and its policy permits none, nor a request: its style is known by its SHA-256
/// (Content Security Policy Level 3, section 8.4), which a test holds against the style.
enum PageMarkup {
    private static let styleHash = "I4+kBAulPOUh5Jh4mdG+42h72PDnw8VzTl1pJe/eRaU="

    private static let style = """
        :root{color-scheme:light dark;--back:#fff;--text:#1b1c1f;--faint:#5c6068;--line:#e2e4e8;--client:#00607a;--server:#86218c;\
        --note:#1a4fb4;--warning:#7d5200;--violation:#b3261e}
        @media (prefers-color-scheme:dark){:root{--back:#16181c;--text:#e6e7ea;--faint:#a2a6ae;--line:#33373e;--client:#5ccfe6;\
        --server:#e39bea;--note:#9dbcff;--warning:#eeb75a;--violation:#ff8d84}}
        body{margin:0 auto;max-width:120rem;padding:1rem 1.25rem;background:var(--back);color:var(--text);font:14px/1.5 system-ui,sans-serif}
        h1{font-size:1.15rem;margin:0;overflow-wrap:anywhere}
        header{border-bottom:1px solid var(--line);margin-bottom:.5rem;padding-bottom:.5rem}
        header p,footer{color:var(--faint);margin:.15rem 0}
        main,footer,pre{font:12.5px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
        summary,main p{margin:0;white-space:pre;overflow:hidden;text-overflow:ellipsis}
        summary{cursor:pointer}
        summary::marker{color:var(--faint)}
        main p{padding-left:1.15em}
        summary:hover,summary:focus-visible{background:var(--line)}
        details[open]{border-left:3px solid var(--line);margin-left:-3px}
        pre{margin:.2rem 0 .5rem 1.15em;padding:.35rem .7rem;border:1px solid var(--line);white-space:pre-wrap;overflow-wrap:anywhere}
        pre.says{border-style:dashed}
        .strong{font-weight:600}
        .faint{color:var(--faint)}.client{color:var(--client)}.server{color:var(--server)}
        .note{color:var(--note)}.warning{color:var(--warning)}.violation,.found{color:var(--violation)}.found{font-weight:600}

        """

    /// Lines of a page that belong to none of what was said.
    static let frameLines = UInt64(lines(head(title: "", made: "<p></p>")) + lines(foot(ending: "")))

    private static func lines(_ text: String) -> Int { text.utf8.count { $0 == 0x0a } }

    /// - Parameters:
    ///   - title: as HTML, like the other.
    ///   - made: what it is made of and by.
    static func head(title: String, made: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-\(styleHash)'; base-uri 'none'; \
        form-action 'none'">
        <meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width,initial-scale=1">
        <title>\(title)</title>
        <style>\(style)</style></head>
        <body><header><h1>\(title)</h1>
        \(made)<p>Each line: conversation, time, <span class="client">&gt;</span> client to server or <span class="server">&lt;</span> \
        server to client. A line with a triangle opens.</p></header>
        <main>

        """
    }

    static func foot(ending: String) -> String { "</main>\n<footer>\(ending)</footer></body></html>\n" }
}

extension String {
    /// As HTML: what is text stays text (HTML Living Standard, section 13.1.4), and does nothing to who reads it.
    var html: String {
        var buffer = OutputBuffer(capacity: 256)
        buffer.append(html: Array(visibleLines.utf8).rawBytes)
        return String(decoding: buffer.bytes.copy, as: UTF8.self)
    }
}

extension OutputBuffer {
    /// Appends text as HTML, between tags or in an attribute with quotes.
    mutating func append(html text: RawSpan) {
        var start = 0
        for place in 0..<text.byteCount {
            let entity: StaticString
            switch text[place] {
            case UInt8(ascii: "&"): entity = "&amp;"
            case UInt8(ascii: "<"): entity = "&lt;"
            case UInt8(ascii: ">"): entity = "&gt;"
            case UInt8(ascii: "\""): entity = "&quot;"
            case UInt8(ascii: "'"): entity = "&#39;"
            case _: continue
            }
            append(text.extracting(start..<place))
            append(entity)
            start = place + 1
        }
        append(text.extracting(start..<text.byteCount))
    }

    /// Appends lines of text with their colours: each colour is a span, and none goes on after its line.
    mutating func append(inked text: RawSpan) {
        var (start, place, isInked) = (0, 0, false)
        while place < text.byteCount {
            let byte = text[place]
            guard byte == 0x1b || byte == 0x0a else {
                place += 1
                continue
            }
            append(html: text.extracting(start..<place))
            if isInked { append("</span>") }
            isInked = false
            if byte == 0x0a {
                append(0x0a)
                place += 1
            } else {
                let code = place + 2
                while place < text.byteCount, text[place] != UInt8(ascii: "m") { place += 1 }
                if let name = Self.inkName(text.extracting(min(code, place)..<place)) {
                    append("<span class=\"")
                    append(name)
                    append("\">")
                    isInked = true
                }
                place = min(place + 1, text.byteCount)
            }
            start = place
        }
        append(html: text.extracting(start..<text.byteCount))
        if isInked { append("</span>") }
    }

    /// The class of a colour by the numbers of its code; nil for the end of one.
    private static func inkName(_ code: RawSpan) -> StaticString? {
        for (ink, name) in [
            (.strong, "strong"), (.faint, "faint"), (.client, "client"), (.server, "server"), (.note, "note"), (.warning, "warning"),
            (.violation, "violation"), (.found, "found"),
        ] as [(Ink, StaticString)] {
            let bytes = ink.code.bytes
            if bytes.extracting(2..<bytes.byteCount - 1).isEqual(code) { return name }
        }
        return nil
    }
}
