import Dissection
import Testing

@testable import Reports

/// Engine.IO and Socket.IO, in WebSocket messages and in the bodies of the polling phase.
@Suite struct SocketIOTests {
    private typealias Talk = MessagingTalk

    @Test func `a session is told from open to acknowledgement`() {
        var talk = Talk(target: "/socket.io/?EIO=4&transport=websocket")
        #expect(
            talk.say(#"0{"sid":"abc","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#, from: .server)?.json
                == #"{"as":"engine.io","type":"open","protocol":4,"sid":"abc","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        #expect(talk.say("2probe")?.line == "ping probe")
        #expect(talk.say("3probe", from: .server)?.line == "pong probe, after 5 ms")
        #expect(talk.say("40")?.json == #"{"as":"socket.io","type":"connect","namespace":"/","sid":"abc"}"#)
        #expect(talk.say(#"40/admin,{"token":"x"}"#)?.line == #"connect {"token":"x"} in /admin"#)
        let asked = talk.say(#"42/admin,17["chat",{"text":"hi, [you]"},3]"#)
        #expect(
            asked?.json
                == #"{"as":"socket.io","type":"event","namespace":"/admin","event":"chat","args":[{"text":"hi, [you]"},3],"id":17,"sid":"abc"}"#
        )
        #expect(asked?.line == #"event chat  {"text":"hi, [you]"},3 in /admin, wants acknowledgement 17"#)
        // Not the answer to that of another namespace, nor to one's own.
        #expect(talk.say(#"4317["no"]"#, from: .server)?.json.contains("latency") == false)
        #expect(talk.say(#"43/admin,17["no"]"#, from: .client)?.json.contains("latency") == false)
        let answered = talk.say(#"43/admin,17["ok"]"#, from: .server)
        #expect(
            answered?.json == #"{"as":"socket.io","type":"ack","namespace":"/admin","args":["ok"],"id":17,"latency":0.015,"sid":"abc"}"#)
        #expect(answered?.line.hasSuffix(", of chat, after 15 ms") == true)
        #expect(talk.say(#"43/admin,17["ok"]"#, from: .server)?.json.contains("latency") == false)
        #expect(talk.say("42[")?.json.contains("\"error\":\"its JSON is not valid or not whole\",\"at\":2") == true)
    }

    @Test func `an event is told with its last attachment`() {
        var talk = Talk(target: "/socket.io/?EIO=4&transport=websocket")
        let header = talk.say(#"452-/a,7["upload",{"_placeholder":true,"num":0},{"b":{"num":1,"_placeholder":true}},"{\"_placeholder\""]"#)
        #expect(header?.json == #"{"as":"engine.io","type":"message","attachments":2,"begins":"upload"}"#)
        #expect(header?.line == "message begins upload, 2 attachments follow")
        // What the other side sends belongs to nothing.
        #expect(talk.say([9], from: .server, opcode: 2)?.json == #"{"as":"engine.io","type":"message"}"#)
        #expect(talk.say("2")?.line == "ping")
        #expect(talk.say([1, 2, 3], opcode: 2)?.json == #"{"as":"engine.io","type":"message","attachment":1}"#)
        let json =
            #"{"as":"socket.io","type":"event","attachments":2,"namespace":"/a","event":"upload","#
            + #""args":[{"$binary":3},{"b":{"$binary":1}},"{\"_placeholder\""],"id":7}"#
        #expect(talk.say([4], opcode: 2)?.json == json)
        #expect(talk.say([4], opcode: 2)?.json == #"{"as":"engine.io","type":"message"}"#)
        // An acknowledgement with an attachment ends the wait when it is whole.
        #expect(talk.say(#"461-/a,7[{"_placeholder":true,"num":0}]"#, from: .server)?.json.contains("latency") == false)
        #expect(
            talk.say([5, 5], from: .server, opcode: 2)?.json
                == #"{"as":"socket.io","type":"ack","attachments":1,"namespace":"/a","args":[{"$binary":2}],"id":7,"latency":0.015}"#)
        // One that is not finished is given up with the next message.
        _ = talk.say(#"452-["x",{"_placeholder":true,"num":0}]"#)
        _ = talk.say([1], opcode: 2)
        #expect(talk.say(#"42["y"]"#)?.json.hasSuffix(#""event":"y","args":[],"abandoned":1}"#) == true)
        // More than are kept: told at once.
        #expect(talk.say(#"4999999-["x",{"_placeholder":true,"num":0}]"#)?.json.contains("abandoned") == false)
        #expect(talk.say(#"45x-["x"]"#)?.json.contains(#""error":"the number of its attachments is missing","at":2"#) == true)
    }

    @Test func `an attachment that is empty is one too`() {
        var talk = Talk(target: "/socket.io/?EIO=4&transport=websocket")
        #expect(talk.say([], opcode: 2) == nil, "nothing waits for it")
        _ = talk.say(#"451-7["upload",{"_placeholder":true,"num":0}]"#)
        #expect(talk.say([], from: .server, opcode: 2) == nil, "the other side's")
        #expect(talk.say([], opcode: 1) == nil, "text")
        #expect(talk.say([], opcode: 2)?.line == #"event upload  {"$binary":0}, wants acknowledgement 7"#)
        #expect(talk.say([], opcode: 2) == nil)
        let answer = talk.say(#"437["ok"]"#, from: .server)
        #expect(answer?.line == #"ack  "ok", of upload, after 10 ms"#)
        #expect(answer?.json.contains("abandoned") == false)
    }

    @Test func `what never came is said in the line too`() {
        var talk = Talk(target: "/socket.io/?EIO=4&transport=websocket")
        _ = talk.say(#"452-["x",{"_placeholder":true,"num":0}]"#)
        #expect(talk.say(#"42["y"]"#)?.line == "event y, after an event of which 2 attachments never came")
    }

    @Test(arguments: [
        (#"42["e","# + String(repeating: "[", count: 200) + String(repeating: "]", count: 201), "it is nested deeper than 100 levels"),
        ("40" + String(repeating: "[", count: 200) + String(repeating: "]", count: 200), "it is nested deeper than 100 levels"),
        ("42[" + String(repeating: "1,", count: 1_000) + "1]", "it has more than 1000 members"),
        (#"42["e"]["f"]"#, "something follows its arguments"), (#"42["e",]"#, "its JSON is not valid or not whole"),
        ("42[", "its JSON is not valid or not whole"), ("42[]]", "something follows its arguments"),
    ]) func `JSON that is not read says why`(text: String, reason: String) {
        var talk = Talk(target: "/socket.io/?EIO=4&transport=websocket")
        let json = talk.say(text)?.json
        #expect(json?.contains(#""error":"\#(reason)""#) == true, "\(json ?? "nothing")")
    }

    @Test func `in version 3 the type stands before the bytes of an attachment`() {
        var talk = Talk(target: "/socket.io/?EIO=3&transport=websocket")
        _ = talk.say(#"451-["upload",{"_placeholder":true,"num":0}]"#)
        #expect(talk.say([4, 1, 2, 3], opcode: 2)?.line == #"event upload  {"$binary":3}"#)
    }

    @Test func `a polling body has one packet or several`() {
        var talk = Talk(target: "/")
        let target = "/socket.io/?EIO=4&transport=polling&t=x"
        let open = talk.body(#"0{"sid":"s1","pingInterval":300,"pingTimeout":200}"#, from: .server, target: target)
        #expect(open?.json == #"{"as":"engine.io","type":"open","protocol":4,"sid":"s1","pingInterval":300,"pingTimeout":200}"#)
        let session = target + "&sid=s1"
        #expect(talk.body("40", from: .client, target: session)?.json == #"{"as":"socket.io","type":"connect","namespace":"/","sid":"s1"}"#)
        #expect(talk.body("ok", from: .server, target: session) == nil)
        let several = talk.body(
            "42[\"é\",1]\u{1e}2\u{1e}451-[\"f\",{\"_placeholder\":true,\"num\":0}]\u{1e}bAQID", from: .server, target: session)
        #expect(
            several?.json
                == #"{"as":"engine.io","packets":[{"as":"socket.io","type":"event","namespace":"/","event":"é","args":[1]},"#
                + #"{"as":"engine.io","type":"ping"},{"as":"engine.io","type":"message","attachments":1,"begins":"f"},"#
                + #"{"as":"socket.io","type":"event","attachments":1,"namespace":"/","event":"f","args":[{"$binary":3}]}],"sid":"s1"}"#)
        #expect(several?.line.hasPrefix("socket.io event é  1; ping; message begins f, 1 attachment follows; socket.io event f") == true)
        #expect(talk.body("42[\"a\"]\u{1e}42[", from: .client, target: session)?.json.hasSuffix(#""at":10}"#) == true)
        #expect(talk.body("42[\"a\"]\u{1e}bA!==", from: .client, target: session)?.json.contains("its base64 is not valid") == true)
        for text in ["404 Not Found", "400", "<html>", "2 weeks", "1st", "0", "bä"] {
            #expect(talk.body(text, from: .server, target: session) == nil, "\(text)")
        }
        #expect(talk.body(#"{"code":1,"message":"Session ID unknown"}"#, from: .server, target: session)?.json == #"{"as":"json"}"#)
        #expect(talk.body("42[\"a\"]", from: .server, target: "/other") == nil)
    }

    @Test func `a polling body of version 3 has lengths`() {
        var talk = Talk(target: "/")
        let target = "/socket.io/?EIO=3&transport=polling&sid=s3"
        #expect(
            talk.body(#"9:42["é😀"]1:2"#, from: .server, target: target)?.line == "socket.io event é😀; ping", "UTF-16 code units")
        #expect(talk.body(#"12:42["é😀"]"#, from: .server, target: target)?.line == "event é😀", "bytes")
        let binary = talk.body(#"39:451-["f",{"_placeholder":true,"num":0}]10:b4AQIDBA=="#, from: .client, target: target)
        #expect(binary?.line.hasSuffix(#"event f  {"$binary":4}"#) == true, "\(String(describing: binary))")
        let bytes: [UInt8] = [0, 3, 0xff] + Array("42[".utf8)
        #expect(talk.body(bytes, from: .server, target: target, type: "application/octet-stream")?.json.contains("\"error\"") == true)
        let whole: [UInt8] = [0, 7, 0xff] + Array(#"42["a"]"#.utf8) + [1, 1, 0, 0xff, 4] + [UInt8](repeating: 0, count: 9)
        #expect(talk.body(whole, from: .server, target: target)?.line == "socket.io event a; binary message")
        for text in ["99:42", "7:42[\"a\"]x", "7"] {
            let said = talk.body(text, from: .server, target: target)
            #expect(said == nil || said?.json.contains("is not valid, or is more than came") == true, "\(text)")
        }
    }

    @Test func `polling and WebSocket are one session`() {
        var talk = Talk(target: "/")
        let polling = "/socket.io/?EIO=4&transport=polling"
        _ = talk.body(#"0{"sid":"one","pingInterval":25000,"pingTimeout":20000}"#, from: .server, target: polling, in: 2)
        _ = talk.body(#"427["ask"]"#, from: .client, target: polling + "&sid=one", in: 3)
        // The answer comes in the WebSocket, whose connection is another.
        talk.open(4, target: "/socket.io/?EIO=4&transport=websocket&sid=one")
        #expect(talk.say("437[1]", from: .server, in: 4)?.line == "ack  1, of ask, after 5 ms")
        #expect(talk.say("6", from: .server, in: 4)?.json == #"{"as":"engine.io","type":"noop","sid":"one"}"#)
        // Another session does not know of it.
        _ = talk.say(#"428["ask"]"#, in: 4)
        talk.open(5, target: "/socket.io/?EIO=4&transport=websocket&sid=two")
        #expect(talk.say("438[1]", from: .server, in: 5)?.json.contains("latency") == false)
        for conversation in 1...5 { talk.close(UInt64(conversation)) }
        #expect(talk.reader.heldBytes == 0)
    }

    @Test func `a ping that is late says by how much`() {
        var talk = Talk(target: "/socket.io/?EIO=4&transport=websocket")
        _ = talk.say(#"0{"sid":"abc","pingInterval":2000,"pingTimeout":1000}"#, from: .server)
        talk.wait(seconds: 2)
        #expect(talk.say("2", from: .server)?.json == #"{"as":"engine.io","type":"ping","sid":"abc"}"#)
        talk.wait(seconds: 10)
        #expect(talk.say("2", from: .server)?.json == #"{"as":"engine.io","type":"ping","late":7.005,"sid":"abc"}"#)
        #expect(talk.say("3")?.json == #"{"as":"engine.io","type":"pong","latency":0.005,"sid":"abc"}"#)
    }

    @Test func `sessions are bounded`() {
        var talk = Talk(target: "/")
        for number in 0..<5_000 {
            _ = talk.body(#"0{"sid":"\#(number)"}"#, from: .server, target: "/?EIO=4&transport=polling", in: 7)
        }
        talk.close(7)
        talk.close(1)
        #expect(talk.reader.heldBytes > 0 && talk.reader.heldBytes < 2_000_000)
    }

    @Test func `without the request only what hardly anything else looks like is believed`() {
        for text in ["42[\"chat\"]", "42[\"chat\",", "43[\"ok\"]", "4317[]", "42[1,2]", "42", "421", "42/a[\"chat\",1]", "2", "40"] {
            var talk = Talk()
            let isClaimed = talk.say(text)?.json.contains("socket.io") == true
            #expect(!isClaimed || text == "42[\"chat\",", "\(text)")
        }
        for text in ["42[\"chat\",1]", "42/a,[\"chat\",1]", "4217[\"chat\",1]", "4317[1]", "43/a,17[1]", "40{\"sid\":\"x\"}"] {
            var talk = Talk()
            #expect(talk.say(text)?.json.hasPrefix("{\"as\":\"socket.io\"") == true, "\(text)")
            // After one, all.
            #expect(talk.say("42[\"chat\"]")?.json.contains("\"event\":\"chat\"") == true && talk.say("2")?.line == "ping", "\(text)")
        }
    }

    @Test func `what waits for attachments is bounded, whatever conversations there are`() {
        let event = "451-[\"upload\",\"" + String(repeating: "x", count: 16_000) + "\",{\"_placeholder\":true,\"num\":0}]"
        var talk = Talk(target: "/socket.io/?EIO=4&transport=websocket")
        for number in 1...1_500 as ClosedRange<UInt64> {
            talk.open(number, target: "/socket.io/?EIO=4&transport=websocket")
            _ = talk.say(event, in: number)
            _ = talk.say(event, from: .server, in: number)
            #expect(talk.reader.heldBytes < 6 << 20, "\(number)")
        }
        // Those that were used last are whole; the first was given up.
        #expect(talk.say([1, 2], opcode: 2, in: 1_500)?.json.contains("\"event\":\"upload\"") == true)
        #expect(talk.say([1, 2], opcode: 2, in: 1)?.json == #"{"as":"engine.io","type":"message"}"#)
        for number in 1...1_500 as ClosedRange<UInt64> {
            talk.open(number + 2_000, target: "/socket.io/?EIO=4&transport=websocket&sid=\(number)")
            _ = talk.say(event, in: number + 2_000)
            // Half as much again for sessions, and what is known of 3,500 open conversations: a kilobyte each, with the target of each.
            #expect(talk.reader.heldBytes < 10 << 20, "\(number)")
        }
        for number in 1...3_500 as ClosedRange<UInt64> { talk.close(number) }
        #expect(talk.reader.heldBytes < 64)
    }
}
