"""Texts that would do something if a page read them as anything but text, and a log that has them in every place that a peer can fill."""

import json

TAGS = [
    "<script>{}</script>", "<ScRiPt>{}</sCrIpT>", "<script/x>{}</script>", "</script><script>{}</script>", "</textarea><script>{}</script>",
    "</title><script>{}</script>", "</style><script>{}</script>", "<!--><script>{}</script>", "--><script>{}</script>", "]]><script>{}</script>",
    "<img src=x onerror={}>", "<img src=x onerror='{}'>", '<img src="x" onerror="{}">', "<img/src=x/onerror={}>", "<IMG SRC=x OnErRoR={}>",
    "<svg onload={}>", "<svg/onload={}>", "<svg><script>{}</script></svg>", "<svg><animate onbegin={} attributeName=x dur=1s>",
    "<svg><set onbegin={} attributename=x>", "<svg><a xlink:href='javascript:{}'><text>x</text></a></svg>", "<body onload={}>",
    "<body onpageshow={}>", "<input autofocus onfocus={}>", "<select autofocus onfocus={}>", "<textarea autofocus onfocus={}>",
    "<details open ontoggle={}>", "<video src=x onerror={}>", "<video><source onerror={}></video>", "<audio src=x onerror={}>",
    "<marquee onstart={}>x</marquee>", "<iframe src='javascript:{}'></iframe>", "<iframe srcdoc='<script>{}</script>'></iframe>",
    "<object data='javascript:{}'></object>", "<embed src='javascript:{}'>", "<a href='javascript:{}'>x</a>", "<a href=javascript:{} autofocus onfocus={}>x</a>",
    "<form action='javascript:{}'><button>x</button></form>", "<button formaction='javascript:{}'>x</button>", "<math><mtext><script>{}</script></mtext></math>",
    "<math href='javascript:{}'>x</math>", "<base href='http://elsewhere.invalid/'>", "<link rel=stylesheet href=http://elsewhere.invalid/x.css>",
    "<link rel=prefetch href=http://elsewhere.invalid/p>", "<meta http-equiv=refresh content='0;url=http://elsewhere.invalid/'>",
    "<img src=http://elsewhere.invalid/i.png>", "<style>@import 'http://elsewhere.invalid/x.css';</style>", "<style>*{{background:url(http://elsewhere.invalid/b)}}</style>",
    "<div style='background:url(http://elsewhere.invalid/b)'>", "<div style='width:expression({})'>", "<x onclick={}>x</x>", "<template><script>{}</script></template>",
    "<noscript><p title='</noscript><img src=x onerror={}>'>", "<frameset onload={}>", "<table background='javascript:{}'>", "<xss id=x tabindex=1 onfocus={}></xss>",
    "<dialog open onclose={}>", "<portal src='javascript:{}'>", "<slot onslotchange={}>", "<isindex action='javascript:{}'>",
]
ACTIONS = ["alert(1)", "window.ran=true", "alert`1`"]
OTHERS = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:msgbox(1)",
    "';alert(1);//", '";alert(1);//', "`${alert(1)}`", "{{alert(1)}}", "${alert(1)}", "<%= alert(1) %>", "#{alert(1)}", "[[alert(1)]]", "{%alert(1)%}",
    "__proto__", "constructor", "prototype", "toString", "hasOwnProperty", '{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}',
    "\u202egnirts desrever", "\u2066isolated\u2069", "\u200b\ufeff", "\x00\x01\x02", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x07\x08\x0c", "\r\nSet-Cookie: a=b",
    "\u2028alert(1)\u2029", "\ud7ff\ue000\ufffd", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "a" * 20000, "é" * 9999, "<" * 5000, "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#x3c;script&#x3e;", "%3Cscript%3Ealert(1)%3C/script%3E", "\\u003cscript\\u003ealert(1)", "../../../../etc/passwd", "file:///etc/passwd", "//elsewhere.invalid/x",
    "http://elsewhere.invalid/", "' OR 1=1 --", "'; DROP TABLE messages; --", "$(touch /tmp/x)", "`touch /tmp/x`", "; rm -rf x", "| cat /etc/passwd", "%s%s%n", "%00",
    "[" * 3000, '{"a":' * 2000, "1e999999", "-0", "NaN", "Infinity", "\\", '"', "'", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!",
]


def corpus():
    """Some two hundred texts."""
    texts = [tag.replace("{}", action) for tag in TAGS for action in ACTIONS[:2]] + [f"{tag.replace('{}', ACTIONS[2])}" for tag in TAGS[:24]]
    return texts + OTHERS


def log(texts):
    """The lines of a log in which each text stands in a message, a target, headers, a subprotocol, a close reason and a name."""
    lines = [{"kind": "capture", "version": 1, "tool": "unmask", "source": {"type": "file", "name": texts[0]}, "firstPacket": 1}]
    for number, text in enumerate(texts, 1):
        short = text[:200]
        common = {"conversation": number, "time": f"2026-11-20T21:48:{number % 60:02}.000000000Z", "packets": [number, number]}
        client, server = {"from": "client", "offset": 0}, {"from": "server", "offset": 0}
        lines += [
            {"kind": "opened", **common, "client": {"address": "10.0.0.5", "port": 1000 + number}, "server": {"address": "10.0.0.9", "port": 80, "name": short},
             "transport": "tcp", "start": "handshake", "roles": "handshake"},
            {"kind": "request", **common, **client, "exchange": 1, "method": "GET", "target": f"/{short}", "version": "HTTP/1.1",
             "headers": [["Host", short], ["X-Text", text], [short, "value"], ["Upgrade", "websocket"], ["Sec-WebSocket-Protocol", short]]},
            {"kind": "response", **common, **server, "exchange": 1, "method": "GET", "target": f"/{short}", "status": 101, "reason": short,
             "version": "HTTP/1.1", "headers": [["Upgrade", "websocket"], ["X-Text", text]], "latency": 0.001},
            {"kind": "upgrade", **common, **server, "protocol": "websocket", "accepted": True, "host": short, "target": f"/{short}", "subprotocol": short},
            {"kind": "message", **common, **client, "opcode": "text", "length": len(text.encode()), "wireLength": len(text.encode()), "fragments": 1,
             "compressed": False, "text": text},
            {"kind": "message", **common, **server, "opcode": "text", "length": len(json.dumps({text: [text]})), "wireLength": len(json.dumps({text: [text]})),
             "fragments": 1, "compressed": False, "text": json.dumps({text: [text]})},
            {"kind": "close", **common, **server, "code": 1000, "reason": short[:30]},
            {"kind": "closed", **common, "by": "server", "how": "close-frame", "code": 1000, "ends": {"client": "open", "server": "open"}, "duration": 0.001,
             "client": {"bytes": 9, "messages": 1, "frames": 1, "missing": 0}, "server": {"bytes": 9, "messages": 1, "frames": 2, "missing": 0}},
        ]
    count = len(texts)
    lines.append({"kind": "end", "packets": count, "conversations": count, "messages": 2 * count, "findings": 0, "bytes": 0, "skipped": {}})
    return "".join(json.dumps(line) + "\n" for line in lines)
