import Dissection

// The WebSocket of an entry: that it was agreed on, its messages, and its end.

extension HARRecords {
    mutating func writeUpgrade(_ response: JSONValue, _ link: HARLink, isAccepted: Bool, at time: Timestamp?) {
        start("upgrade", at: time, from: .server)
        records.append(",\"protocol\":\"websocket\",\"accepted\":")
        records.append(isAccepted ? "true" : "false")
        records.append(",\"host\":", text: link.authority.rawBytes)
        records.append(",\"target\":", text: link.target.rawBytes)
        if isAccepted {
            if let subprotocol = response.header("sec-websocket-protocol") {
                records.append(",\"subprotocol\":", text: subprotocol.rawBytes)
            }
            if let extensions = response.header("sec-websocket-extensions") {
                records.append(",\"extensions\":", text: extensions.rawBytes)
            }
        }
        end()
    }

    mutating func writeClose(_ close: JSONValue) {
        let side: Side = close["type"]?.string == Array("send".utf8) ? .client : .server
        count(side, bytes: 0)
        start("close", at: nil, from: side)
        if let given = close["code"] {
            if let code = given.unsigned.flatMap(UInt16.init(exactly:)) {
                records.append(",\"code\":", decimal: UInt64(code))
            } else if case .null = given {
                // As if there were none.
            } else {
                losses.add(.closeCode)
            }
        }
        let reason = close["reason"]?.string ?? []
        records.appendPayload(reason.rawBytes, .full, length: 0, lengthIsKnown: false)
        end()
    }

    mutating func writeMessage(_ message: JSONValue) {
        let side: Side = message["type"]?.string == Array("send".utf8) ? .client : .server
        let time = message["time"]?.moment
        var opcode: UInt64 = 1
        if let given = message["opcode"] {
            if let number = given.unsigned, number < 16 { opcode = number } else { losses.add(.opcode) }
        }
        let data = message["data"]?.string ?? []
        let isText = opcode == 1 && message["_encoding"] == nil
        let payload = isText ? data : decoded(data, .string(Array("base64".utf8)))
        let length = max(UInt64(payload.count), message["_length"]?.unsigned ?? 0)
        count(side, bytes: length)
        switch opcode {
        case 8:
            start("close", at: time, from: side)
            if payload.count >= 2 {
                records.append(",\"code\":", decimal: UInt64(payload[0]) << 8 | UInt64(payload[1]))
            }
            records.appendPayload(
                payload.rawBytes.extracting(min(2, payload.count)..<payload.count), .full, length: 0, lengthIsKnown: false)
        case 9, 10:
            start(opcode == 9 ? "ping" : "pong", at: time, from: side)
            records.appendPayload(payload.rawBytes, .full, length: 0, lengthIsKnown: false)
        case _:
            if side == .client { client.messages &+= 1 } else { server.messages &+= 1 }
            start("message", at: time, from: side)
            records.append(",\"opcode\":")
            records.append(opcode == 1 ? "\"text\"" : opcode == 2 ? "\"binary\"" : "")
            if opcode != 1, opcode != 2 { records.append(decimal: opcode) }
            records.append(",\"length\":", decimal: length)
            records.append(",\"wireLength\":", decimal: length)
            records.append(",\"fragments\":1,\"compressed\":false")
            records.appendPayload(payload.rawBytes, .full(limit: .max), length: length)
        }
        end()
    }

    /// Counts a frame of a side.
    private mutating func count(_ side: Side, bytes: UInt64) {
        if side == .client { client.frames &+= 1 } else { server.frames &+= 1 }
        add(bytes, from: side)
    }
}
