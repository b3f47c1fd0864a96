// What apps say, as `unmask explain` knows it: Connections, Raw TCP.

extension Symptom {
    static let connections: [Symptom] = [
        Symptom(
            [
                "ECONNREFUSED", "Connection refused", "POSIX 61", "errno 111", "NSURLErrorDomain -1004",
                "Could not connect to the server", "Failed to connect to",
            ],
            means: """
                The host answered that nothing listens on this port: another port, a server that is down, or one that listens on \
                localhost alone.
                """,
            look: "a conversation in which nothing was sent, cut off by the server (RST)",
            recording: "symptoms/connection-refused.pcap", shows: "nothing sent, cut off by the server (RST)"),
        Symptom(
            [
                "ETIMEDOUT", "Connection timed out", "POSIX 60", "NSURLErrorDomain -1001", "The request timed out",
                "connect timeout",
            ],
            means: "Nothing answered: a firewall drops the packets, or the address is wrong.",
            look: "a conversation in which nothing was sent and the server has no packet",
            recording: "symptoms/no-response-to-syn.pcap", shows: "nothing sent, still open"),
        Symptom(
            [
                "The request timed out after it was sent", "Read timed out", "Operation timed out", "curl 28",
                "SocketTimeoutException",
            ],
            means: "The request arrived and no response came in the time that the client waits.",
            look: "http.request-unanswered, and connection.idle-closed with that time",
            recording: "symptoms/no-response.pcap", shows: "http.request-unanswered"),
        Symptom(
            [
                "ECONNRESET", "Connection reset by peer", "POSIX 54", "errno 104", "recv() failed (104: Connection reset by peer)",
            ],
            means: """
                The other side, or something between, ended the connection at once: a crash, a limit, a load balancer, or data that \
                nobody read.
                """,
            look: "the closing line: who cut it off, and after which message",
            recording: "symptoms/reset.pcap", shows: "cut off by the server (RST)"),
        Symptom(
            [
                "socket hang up", "NSURLErrorDomain -1005", "The network connection was lost", "Premature close",
                "RemoteDisconnected", "Remote end closed connection without response",
            ],
            means: """
                A connection that is kept was used at the moment in which the server closed it: idle time-outs of client and server \
                are alike. Retry, or let the client's be the shorter.
                """,
            look: "http.keep-alive-race",
            recording: "symptoms/keep-alive-race.pcap", shows: "http.keep-alive-race"),
        Symptom(
            [
                "Empty reply from server", "curl 52", "unexpected end of stream on",
                "upstream prematurely closed connection while reading response header",
            ],
            means: "The server closed the connection in the place of a response: it crashed, or does not speak HTTP.",
            look: "http.request-unanswered and the closing line",
            recording: "symptoms/server-leaves-before-responding.pcap", shows: "http.request-unanswered"),
        Symptom(
            ["EPIPE", "Broken pipe", "POSIX 32", "write EPIPE", "Software caused connection abort", "POSIX 53"],
            means: "The app wrote to a connection that the other side had closed before.",
            look: "the closing line (FIN, then RST), and what was sent after the FIN",
            recording: "symptoms/write-after-close.pcap", shows: "FIN, then RST"),
        Symptom(
            [
                "Socket is not connected", "POSIX 57", "Socket closed by remote peer", "GCDAsyncSocketErrorDomain Code=7",
                "use of closed network connection", "EOF",
            ],
            means: "The other side has closed: the app reads or writes on. CocoaAsyncSocket says code 7.",
            look: "the closing line says who closed, and when",
            recording: "symptoms/write-after-close.pcap", shows: "closed by the server (FIN"),
        Symptom(
            [
                "disconnected every 60 seconds", "drops after exactly one minute", "closed after 30 seconds", "closed after one hour",
                "closed after 2 hours",
            ],
            means: """
                Something limits how long a connection may last, whatever goes through: a proxy, a load balancer, a serverless function. Pings \
                do not help; the client has to connect again.
                """,
            look: "connection.life-limit, from the second connection to the server on",
            recording: "symptoms/life-limit.pcap", shows: "connection.life-limit"),
        Symptom(
            ["no data arrives", "receive window is full", "send buffer is full", "write blocks"],
            means: "The receiver does not read: its window is 0, and the sender waits.",
            look: "tcp.zero-window",
            recording: "keepalive-and-zero-window/capture.pcap", shows: "tcp.zero-window"),
    ]

    static let rawTCP: [Symptom] = [
        Symptom(
            ["TooLongFrameException 369295620", "Adjusted frame length exceeds", "369295616", "frame length 352518912"],
            means: """
                Four bytes were read as a length that are none: 16 03 01 0x is the beginning of TLS. A client speaks TLS to a port \
                that expects messages.
                """,
            look: "the first bytes of the client",
            recording: "symptoms/tls-to-a-plain-port.pcap", shows: "TLS to app.example"),
        Symptom(
            ["didReadData not called", "didRead not called", "readLine blocks", "readUTF hangs", "channelRead is not called"],
            means: """
                The bytes have arrived, and the program that reads waits for more: for a line end, or for as many bytes as it takes for the length, \
                which the other side sends in another form or not at all.
                """,
            look: """
                framing.line-end-missing, framing.line-ends-differ, framing.length-seen and framing.lengths-differ; what a server waits for \
                that has sent nothing yet is nowhere on the wire
                """,
            recording: "symptoms/raw-waiting.pcap", shows: "the server may wait for one"),
        Symptom(
            ["invalid character looking for beginning of value", "\\ufeff", "U+FEFF", "ï»¿", "byte order mark"],
            means: """
                The other side begins its text with a byte order mark, as .NET does with `Encoding.UTF8`; `new UTF8Encoding(false)` writes none.
                """,
            look: "framing.byte-order-mark",
            recording: "symptoms/raw-waiting.pcap", shows: "begins with a byte order mark (EF BB BF)"),
    ]
}
