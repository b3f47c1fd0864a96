"""A conversation of many messages, and how soon a page shows one of its rows."""

import json


def long_log(path, count):
    """A log of one conversation with so many messages."""
    with open(path, "w", encoding="utf-8") as log:
        head = '"conversation":1,"time":"2026-11-20T21:00:00.000000000Z","packets":[1,1]'
        log.write('{"kind":"capture","version":1,"tool":"unmask","source":{"type":"file","name":"long"},"firstPacket":1}\n')
        log.write('{"kind":"opened",%s,"client":{"address":"10.0.0.5","port":1000},"server":{"address":"10.0.0.9","port":80},'
                  '"transport":"tcp","start":"handshake","roles":"handshake"}\n' % head)
        for number in range(count):
            text = json.dumps(f'{{"number":{number},"word":"{"even" if number % 2 == 0 else "odd"}"}}')
            seconds, fraction = divmod(number, 1000)
            minutes, seconds = divmod(seconds, 60)
            log.write(f'{{"kind":"message","conversation":1,"time":"2026-11-20T21:{minutes:02}:{seconds:02}.{fraction:03}000000Z",'
                      f'"from":"{("client", "server")[number % 2]}","packets":[{number + 2},{number + 2}],"offset":{number * 40},"opcode":"text",'
                      f'"length":{len(json.loads(text))},"wireLength":30,"fragments":1,"compressed":false,"text":{text}}}\n')


def jump(at, key):
    """The milliseconds from a key to the active row being there, and what it shows."""
    return at.evaluate("""async key => {
        const grid = document.getElementById("messages");
        const before = performance.now();
        grid.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
        for (;;) {
            const row = grid.querySelector(".row.active:not(.waiting)");
            if (row) return [performance.now() - before, Number(row.getAttribute("aria-rowindex")) - 2, row.lastElementChild.textContent];
            if (performance.now() - before > 10000) return [10000, null, null];
            await new Promise(requestAnimationFrame);
        }
    }""", key)
