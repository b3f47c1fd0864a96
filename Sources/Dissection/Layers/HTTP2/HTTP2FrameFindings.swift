/// What may be wrong with the frames of HTTP/2.
extension FindingRow {
    package static let http2PrefaceInvalid = FindingRow(
        id: "http2.preface-invalid", severity: .violation, reference: "RFC 9113 3.4",
        detail: "the client does not begin with the connection preface",
        explanation: """
            A client's first bytes on a connection of HTTP/2 are `PRI * HTTP/2.0`, two line ends, `SM` and two more, also after an upgrade. \
            What came is searched for the next plausible frame.
            """, needs: .sender)
    package static let http2SettingsMissing = FindingRow(
        id: "http2.settings-missing", severity: .violation, reference: "RFC 9113 3.4",
        detail: "the first frame is not SETTINGS",
        explanation: "Both sides begin with a SETTINGS frame, which may be empty.", needs: .sender)
    package static let http2Refused = FindingRow(
        id: "http2.refused", severity: .warning, reference: "RFC 9113 3.3",
        detail: "the server responds with HTTP/1 to the connection preface of HTTP/2",
        explanation: """
            The client knew from elsewhere that the server speaks HTTP/2, and it does not, or not at this port. The response is shown as \
            `data`.
            """)
    package static let http2Required = FindingRow(
        id: "http2.required", severity: .warning, reference: "RFC 9113 3.4",
        detail: "the server responds with HTTP/2 to a client of HTTP/1",
        explanation: """
            The server sends the first frame of HTTP/2 where the response to a request of HTTP/1 has to stand. It probably speaks HTTP/2 only \
            at this port, as gRPC servers do, and closes the connection. Let the client speak HTTP/2 from its first byte (`curl \
            --http2-prior-knowledge`), or use another port. The server's frames are shown, and what the client sends from here on as `data`.
            """)
    package static let http2FrameTooLarge = FindingRow(
        id: "http2.frame-too-large", severity: .violation, reference: "RFC 9113 4.2",
        detail: "a frame of {a} {a|byte|bytes}, {b} {b|is|are} allowed",
        explanation: "A frame's payload is at most as large as the peer's SETTINGS_MAX_FRAME_SIZE, 16,384 bytes unless it said more.")
    package static let http2FrameLength = FindingRow(
        id: "http2.frame-length", severity: .violation, reference: "RFC 9113 4.2",
        detail: "a {text} frame with {a} {a|byte|bytes} of payload, which is not a length that it may have",
        explanation: """
            PRIORITY has 5 bytes, RST_STREAM and WINDOW_UPDATE 4, PING 8, GOAWAY at least 8, PRIORITY_UPDATE at least 4, SETTINGS 6 for each setting and none with ACK; \
            a padded frame has at least the byte that says how long the padding is. What cannot be read is shown as `data`.
            """, needs: .sender)
    package static let http2FrameImplausible = FindingRow(
        id: "http2.frame-implausible", severity: .violation, reference: "RFC 9113 4.2",
        detail: "expected a frame header, found other data",
        explanation: "The length is larger than any frame may be, and the type is unknown. The next plausible frame is searched for.")
    package static let http2FrameIncomplete = FindingRow(
        id: "http2.frame-incomplete", severity: .violation, reference: "RFC 9113 4.1",
        detail: "the connection ends inside a frame",
        explanation: "The sender closed the connection before the last byte of a frame.")
    package static let http2FrameCut = FindingRow(
        id: "http2.frame-cut", severity: .note, reference: "",
        detail: "the end of a frame was not seen",
        explanation: "The capture ends inside a frame, or the connection was reset. What came of it is shown.")
    package static let http2StreamMissing = FindingRow(
        id: "http2.stream-missing", severity: .violation, reference: "RFC 9113 6",
        detail: "a {text} frame on stream 0",
        explanation:
            "DATA, HEADERS, PRIORITY, RST_STREAM, PUSH_PROMISE and CONTINUATION belong to a stream. The payload is shown as `data`.",
        needs: .sender)
    package static let http2StreamUnexpected = FindingRow(
        id: "http2.stream-unexpected", severity: .violation, reference: "RFC 9113 6",
        detail: "a {text} frame on a stream",
        explanation:
            "SETTINGS, PING, GOAWAY and PRIORITY_UPDATE are about the connection and stand on stream 0. The frame is read as if it did.",
        needs: .sender)
    package static let http2PaddingTooLong = FindingRow(
        id: "http2.padding-too-long", severity: .violation, reference: "RFC 9113 6.1",
        detail: "the padding is longer than the frame",
        explanation: "The length of the padding is less than that of the payload, which is shown as `data`.", needs: .sender)
    package static let http2PaddingFilled = FindingRow(
        id: "http2.padding-not-zero", severity: .note, reference: "RFC 9113 6.1",
        detail: "padding that is not zero",
        explanation: """
            Padding hides how long a payload is, and its bytes are zero. A receiver may take others for a connection error. They are shown as \
            `data`, from the first one on that is not zero: something may be hidden there.
            """)
    package static let http2ContinuationMissing = FindingRow(
        id: "http2.continuation-missing", severity: .violation, reference: "RFC 9113 6.2",
        detail: "a frame comes between a header block and its CONTINUATION",
        explanation: """
            After HEADERS or PUSH_PROMISE without END_HEADERS nothing but CONTINUATION frames of the same stream may come. The block is \
            shown as `data`; what it put into the header table is not known.
            """, needs: .sender)
    package static let http2ContinuationUnexpected = FindingRow(
        id: "http2.continuation-unexpected", severity: .violation, reference: "RFC 9113 6.10",
        detail: "a CONTINUATION frame with nothing to continue",
        explanation: "CONTINUATION follows HEADERS, PUSH_PROMISE or CONTINUATION without END_HEADERS. The payload is shown as `data`.",
        needs: .sender)
    package static let http2SettingInvalid = FindingRow(
        id: "http2.setting-invalid", severity: .violation, reference: "RFC 9113 6.5.2",
        detail: "the setting {text} has the value {a}, which it may not have",
        explanation: """
            ENABLE_PUSH is 0 or 1, and 0 of a server; INITIAL_WINDOW_SIZE is at most 2,147,483,647; MAX_FRAME_SIZE is from 16,384 to \
            16,777,215; ENABLE_CONNECT_PROTOCOL is 0 or 1 (RFC 8441). The setting is not applied.
            """, needs: .sender)
    package static let http2WindowZero = FindingRow(
        id: "http2.window-zero", severity: .violation, reference: "RFC 9113 6.9",
        detail: "a WINDOW_UPDATE frame with an increment of 0",
        explanation: "An increment is at least 1.", needs: .nothing)
    package static let http2WindowOverflow = FindingRow(
        id: "http2.window-overflow", severity: .violation, reference: "RFC 9113 6.9.1",
        detail: "a WINDOW_UPDATE frame makes the window {a} {a|byte|bytes} large",
        explanation: "A window is at most 2,147,483,647 bytes large.")
    package static let http2WindowExceeded = FindingRow(
        id: "http2.window-exceeded", severity: .violation, reference: "RFC 9113 5.2",
        detail: "a DATA frame of {a} {a|byte|bytes} where the window has {b} {b|byte|bytes} left",
        explanation: """
            A side sends no more than the window of the stream and that of the connection allow. Both begin with 65,535 bytes; SETTINGS and \
            WINDOW_UPDATE change them.
            """)
    package static let http2InitialWindowOverflow = FindingRow(
        id: "http2.initial-window-overflow", severity: .violation, reference: "RFC 9113 6.9.2",
        detail: "INITIAL_WINDOW_SIZE makes the window of stream {b} {a} {a|byte|bytes} large",
        explanation: """
            A change of the first window changes the windows of all streams that are open, of which none may become larger than \
            2,147,483,647 bytes. Reported once for each side.
            """)
    package static let http2SettingWithdrawn = FindingRow(
        id: "http2.setting-withdrawn", severity: .violation, reference: "RFC 8441 3",
        detail: "ENABLE_CONNECT_PROTOCOL is 0, after it was 1",
        explanation: "A side that has allowed CONNECT with `:protocol` does not take that back.", needs: .sender)
    package static let http2SettingsUnacknowledged = FindingRow(
        id: "http2.settings-unacknowledged", severity: .warning, reference: "RFC 9113 6.5.3",
        detail: "the {b|client|server} did not acknowledge its peer's SETTINGS, and sent {a} {a|frame|frames} up to {text} after them",
        explanation: """
            A receiver of SETTINGS applies them and acknowledges them as soon as it can. Until then the peer does not know which settings \
            hold, and it may close the connection with SETTINGS_TIMEOUT. Reported at the end of the connection, where all of it was seen and the \
            receiver went on for 5 s and more, with 5 frames and more from the first second on.
            """)
    package static let http2GoAwayIncreased = FindingRow(
        id: "http2.goaway-increased", severity: .violation, reference: "RFC 9113 6.8",
        detail: "a GOAWAY frame with the last stream {a}, after one with {b}",
        explanation: """
            A later GOAWAY names the same last stream or a lower one: the peer may have sent the requests after it again on another \
            connection.
            """,
        needs: .sender)

    /// The rows of this file.
    package static let http2FrameRows: [FindingRow] = [
        http2InitialWindowOverflow, http2SettingWithdrawn, http2SettingsUnacknowledged, http2GoAwayIncreased, http2PrefaceInvalid,
        http2SettingsMissing, http2Refused,
        http2Required,
        http2FrameTooLarge, http2FrameLength, http2FrameImplausible,
        http2FrameIncomplete, http2FrameCut, http2StreamMissing, http2StreamUnexpected, http2PaddingTooLong, http2PaddingFilled,
        http2ContinuationMissing, http2ContinuationUnexpected, http2SettingInvalid, http2WindowZero, http2WindowOverflow,
        http2WindowExceeded,
    ]
}
