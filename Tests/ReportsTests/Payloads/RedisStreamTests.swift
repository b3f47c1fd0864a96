import Dissection
import Testing

@testable import Reports

/// What a server of Redis sends without being asked: to subscribers, monitors and replicas.
@Suite struct RedisStreamTests {
    /// A command as an array of bulk strings.
    private func command(_ words: String...) -> String {
        words.reduce("*\(words.count)\r\n") { "\($0)$\($1.utf8.count)\r\n\($1)\r\n" }
    }

    @Test func `the commands of a master answer nothing, and those of a replica get no answer`() {
        var talk = FramedMessagingTalk("redis")
        _ = talk.say(command("PSYNC", "?", "-1"))
        #expect(talk.say("\n", from: .server)?.json == #"{"as":"redis","type":"keep-alive"}"#)
        #expect(talk.say("+FULLRESYNC 40 0\r\n", from: .server)?.line == "simple FULLRESYNC 40 0, of PSYNC, after 10 ms")
        #expect(talk.say("$9\r\nREDIS0010", from: .server)?.json == #"{"as":"redis","type":"snapshot","value":{"$binary":9}}"#)
        let mark = String(repeating: "0", count: 40)
        #expect(
            talk.say("$EOF:\(mark)\r\nREDIS0010\(mark)", from: .server)?.json == #"{"as":"redis","type":"snapshot","value":{"$binary":9}}"#)
        #expect(talk.say(command("REPLCONF", "ACK", "0"))?.line == "REPLCONF ACK 0")
        #expect(talk.say(command("ping"), from: .server)?.json == #"{"as":"redis","type":"command","command":"PING","args":[]}"#)
        #expect(talk.say(command("set", "k", "v"), from: .server)?.line == "SET k v")
        #expect(talk.say(command("auth", "secret"), from: .server)?.line == "AUTH")
        #expect(talk.say(command("REPLCONF", "ACK", "14"))?.line == "REPLCONF ACK 14")
    }

    @Test func `a snapshot with a mark answers SYNC, and the commands of the master follow it`() {
        var talk = FramedMessagingTalk("redis")
        _ = talk.say("SYNC\r\n")
        let mark = String(repeating: "0", count: 40)
        #expect(
            talk.say("$EOF:\(mark)\r\nREDIS0010\(mark)", from: .server)?.json == #"{"as":"redis","type":"snapshot","value":{"$binary":9}}"#)
        #expect(talk.say(command("set", "k", "v"), from: .server)?.line == "SET k v")
    }

    @Test func `a replica goes on where it was, or is known by what it acknowledges`() {
        var talk = FramedMessagingTalk("redis")
        _ = talk.say(command("PSYNC", "40", "15"))
        #expect(talk.say("+CONTINUE\r\n", from: .server)?.line.hasPrefix("simple CONTINUE, of PSYNC") == true)
        #expect(talk.say(command("incr", "n"), from: .server)?.line == "INCR n")
        // Of a capture that begins later.
        var later = FramedMessagingTalk("redis")
        _ = later.say(command("REPLCONF", "ACK", "14"))
        #expect(later.say(command("incr", "n"), from: .server)?.line == "INCR n")
        // A server that refuses goes on to answer.
        var refused = FramedMessagingTalk("redis")
        _ = refused.say(command("PSYNC", "?", "-1"))
        _ = refused.say("-NOMASTERLINK\r\n", from: .server)
        _ = refused.say(command("KEYS", "*"))
        #expect(refused.say(command("CONTINUE"), from: .server)?.line.contains("of KEYS") == true)
    }

    @Test func `a list that looks like a published message is a reply where nobody has subscribed`() {
        var talk = FramedMessagingTalk("redis")
        for kind in ["subscribe", "message"] {
            _ = talk.say(command("LRANGE", "l", "0", "2"))
            #expect(talk.say(command(kind, "a", "b"), from: .server)?.line.contains("of LRANGE") == true, "\(kind)")
        }
        _ = talk.say(command("GET", "k"))
        #expect(talk.say("$1\r\n0\r\n", from: .server)?.line == "bulk 0, of GET, after 5 ms")
    }

    @Test func `a subscriber gets messages between the confirmations and replies to its commands`() {
        var talk = FramedMessagingTalk("redis")
        func isPushed(_ text: String) -> Bool { talk.say(text, from: .server)?.json.contains(#""pushed":true"#) == true }
        func confirmation(_ kind: String, _ channel: String) -> String {
            command(kind, channel, "").replacing("$0\r\n\r\n", with: ":1\r\n")
        }
        _ = talk.say(command("SUBSCRIBE", "a", "b"))
        _ = talk.say(command("SUBSCRIBE", "c"))
        _ = talk.say(command("PING"))
        #expect(!isPushed(confirmation("subscribe", "a")))
        #expect(isPushed(command("message", "a", "hi")))
        // The second of the first, the one of the second.
        #expect(isPushed(confirmation("subscribe", "b")))
        #expect(talk.say(confirmation("subscribe", "c"), from: .server)?.line.contains("of SUBSCRIBE") == true)
        #expect(isPushed(command("message", "a", "hi")))
        #expect(talk.say(command("pong", ""), from: .server)?.line.contains("of PING") == true)
        // After the last subscription other commands may follow.
        _ = talk.say(command("UNSUBSCRIBE"))
        _ = talk.say(command("LRANGE", "l", "0", "2"))
        #expect(!isPushed(confirmation("unsubscribe", "a")) && isPushed(confirmation("unsubscribe", "b")))
        #expect(talk.say(command("message", "a", "hi"), from: .server)?.line.contains("of LRANGE") == true)
    }

    @Test func `what MONITOR shows answers no command`() {
        var talk = FramedMessagingTalk("redis")
        _ = talk.say(command("MONITOR"))
        #expect(talk.say("+OK\r\n", from: .server)?.line.contains("of MONITOR") == true)
        _ = talk.say(command("QUIT"))
        let line = #"+1700000005.2 [0 127.0.0.1:1] "get" "a""# + "\r\n"
        #expect(talk.say(line, from: .server)?.json.contains(#""pushed":true"#) == true)
        #expect(talk.say("+OK\r\n", from: .server)?.line == "simple OK, of QUIT, after 10 ms")
        // Without it such a text is a reply.
        var other = FramedMessagingTalk("redis")
        _ = other.say(command("ECHO", "a"))
        #expect(other.say(line, from: .server)?.line.contains("of ECHO") == true)
    }

    @Test func `attributes belong to the reply that follows, and a verbatim string is its text`() {
        var talk = FramedMessagingTalk("redis")
        _ = talk.say(command("DEBUG", "PROTOCOL", "ATTRIB"))
        #expect(
            talk.say("|1\r\n+ttl\r\n:90\r\n$2\r\nhi\r\n", from: .server)?.json
                == #"{"as":"redis","type":"bulk","value":"hi","attributes":{"ttl":90},"command":"DEBUG","latency":0.005}"#)
        _ = talk.say(command("KEYS", "*"))
        #expect(talk.say("*2\r\n|1\r\n+a\r\n+b\r\n+c\r\n+d\r\n", from: .server)?.json.contains(#""value":["c","d"],"#) == true)
        #expect(talk.say("=15\r\ntxt:Some string\r\n", from: .server)?.json.contains(#""value":"Some string""#) == true)
        #expect(talk.say("|1\r\n+a\r\n", from: .server)?.json.contains(#""error":"#) == true)
    }
}
