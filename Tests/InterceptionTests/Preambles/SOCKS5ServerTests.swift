import Dissection
import Interception
import Support
import Testing

/// RFC 1928, RFC 1929 and SOCKS 4 as dialogues, cut in every way.
@Suite("SOCKS server")
struct SOCKS5ServerTests {
    static let password = ProxyCredentials(user: "anna", password: "secret")

    /// What the machine does with the bytes of a client, what it left over included.
    private func play(_ bytes: [UInt8], _ cutting: Cutting, asking credentials: ProxyCredentials? = nil) -> [String] {
        var server = SOCKS5Server(credentials: credentials)
        var told: [String] = []
        var rest: [UInt8] = []
        var isDone = false
        for piece in cutting.pieces(of: bytes) {
            if isDone {
                rest += piece
                continue
            }
            var position = 0
            while !isDone {
                let (consumed, action) = server.take(piece.rawBytes.suffix(from: position))
                position += consumed
                guard action != .needMore else { break }
                switch action {
                case .needMore: break
                case .send(let reply): told.append("send \(reply)")
                case .connect(let target):
                    told.append("connect \(target)")
                    told.append("reply \(server.reply(.succeeded, bound: Endpoint(address: IPAddress(ipv4: 0x7F00_0001), port: 258)))")
                    isDone = true
                case .refuse(let reply, let reason):
                    told.append("refuse \(reply.first == 72 ? "HTTP" : "\(reply)"): \(reason)")
                    isDone = true
                }
            }
            rest += piece[position...]
        }
        if !rest.isEmpty, told.last?.hasPrefix("reply") == true { told.append("rest \(rest.shown)") }
        return told
    }

    private static let greeting: [UInt8] = [5, 1, 0]
    private static let success = "reply [5, 0, 0, 1, 127, 0, 0, 1, 1, 2]"

    @Test("a name is connected to, and bytes behind the request are the tunnel's", arguments: Cutting.allCases)
    func name(cutting: Cutting) {
        let request = [5, 1, 0, 3, 11] + Array("example.org".utf8) + [1, 187] + Array("\u{16}hello".utf8)
        #expect(play(Self.greeting + request, cutting) == ["send [5, 0]", "connect example.org:443", Self.success, "rest \\x16hello"])
    }

    @Test("addresses of both families", arguments: Cutting.allCases)
    func addresses(cutting: Cutting) {
        #expect(play(Self.greeting + [5, 1, 0, 1, 10, 0, 0, 7, 0, 80], cutting) == ["send [5, 0]", "connect 10.0.0.7:80", Self.success])
        let ipv6: [UInt8] = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
        #expect(
            play(Self.greeting + [5, 1, 0, 4] + ipv6 + [0x1f, 0x90], cutting)
                == ["send [5, 0]", "connect [2001:db8::1]:8080", Self.success])
        #expect(
            play(Self.greeting + [5, 1, 0, 3, 3] + Array("::1".utf8) + [0, 80], cutting) == [
                "send [5, 0]", "connect [::1]:80", Self.success,
            ])
    }

    @Test("a password is asked for where there is one", arguments: Cutting.allCases)
    func password(cutting: Cutting) {
        func secret(_ user: String, _ password: String) -> [UInt8] {
            [1, UInt8(user.utf8.count)] + Array(user.utf8) + [UInt8(password.utf8.count)] + Array(password.utf8)
        }
        let request: [UInt8] = [5, 1, 0, 1, 10, 0, 0, 7, 0, 80]
        #expect(
            play([5, 2, 0, 2] + secret("anna", "secret") + request, cutting, asking: Self.password)
                == ["send [5, 2]", "send [1, 0]", "connect 10.0.0.7:80", Self.success])
        for (user, word) in [("anna", "secreT"), ("ann", "secret"), ("", ""), ("anna", "secretsecret"), ("annaanna", "secret")] {
            #expect(
                play([5, 2, 0, 2] + secret(user, word), cutting, asking: Self.password)
                    == ["send [5, 2]", "refuse [1, 1]: wrong user or password (user \"\(user)\")"])
        }
        #expect(
            play([5, 1, 0], cutting, asking: Self.password) == ["refuse [5, 255]: the client offers no password, and one is asked for"])
        #expect(
            play([5, 1, 2, 2, 1, 97, 0], cutting, asking: Self.password)
                == ["send [5, 2]", "refuse [1, 1]: the client's password has an unknown version, 2"])
    }

    @Test("a client that insists on a password may tell any where none is set", arguments: Cutting.allCases)
    func needlessPassword(cutting: Cutting) {
        #expect(
            play([5, 1, 2, 1, 1, 97, 0, 5, 1, 0, 1, 10, 0, 0, 7, 0, 80], cutting)
                == ["send [5, 2]", "send [1, 0]", "connect 10.0.0.7:80", Self.success])
        #expect(play([5, 1, 1], cutting) == ["refuse [5, 255]: the client insists on another authentication"])
        #expect(play([5, 0], cutting) == ["refuse [5, 255]: the client insists on another authentication"])
    }

    @Test("what is not CONNECT gets reply 7, an unknown address type 8, nonsense 1 or 4", arguments: Cutting.allCases)
    func refusals(cutting: Cutting) {
        func refused(_ request: [UInt8]) -> String? { play(Self.greeting + request, cutting).last }
        #expect(
            refused([5, 2, 0, 1, 1, 2, 3, 4, 0, 1])
                == "refuse [5, 7, 0, 1, 0, 0, 0, 0, 0, 0]: the client asked for BIND, and the proxy has CONNECT only"
        )
        #expect(refused([5, 3, 0, 1, 1, 2, 3, 4, 0, 1])?.hasPrefix("refuse [5, 7, ") == true)
        #expect(refused([5, 1, 0, 9, 1])?.hasPrefix("refuse [5, 8, ") == true)
        #expect(refused([4, 1])?.hasPrefix("refuse [5, 1, ") == true)
        #expect(refused([5, 1, 0, 1, 10, 0, 0, 7, 0, 0])?.hasPrefix("refuse [5, 1, ") == true)
        #expect(refused([5, 1, 0, 3, 0, 0, 80])?.hasPrefix("refuse [5, 4, ") == true)
        #expect(refused([5, 1, 0, 3, 2, 97, 0, 0, 80])?.hasPrefix("refuse [5, 4, ") == true)
        #expect(refused([5, 1, 0, 3, 2, 0xC3, 0xA4, 0, 80])?.hasPrefix("refuse [5, 4, ") == true)
        #expect(refused([5, 1, 0, 3, 3, 97, 58, 98, 0, 80])?.hasPrefix("refuse [5, 4, ") == true)
    }

    @Test("SOCKS 4 and 4a are served, unless a password is asked for", arguments: Cutting.allCases)
    func version4(cutting: Cutting) {
        let granted = "reply [0, 90, 1, 2, 127, 0, 0, 1]"
        #expect(
            play([4, 1, 0, 80, 10, 0, 0, 7, 117, 0] + Array("GET".utf8), cutting) == ["connect 10.0.0.7:80", granted, "rest GET"])
        #expect(
            play([4, 1, 0, 80, 0, 0, 0, 7, 0] + Array("example.org".utf8) + [0, 33], cutting)
                == ["connect example.org:80", granted, "rest !"])
        #expect(
            play([4, 2, 0, 80, 10, 0, 0, 7, 0], cutting) == [
                "refuse [0, 91, 0, 0, 0, 0, 0, 0]: the client asked for BIND, and the proxy has CONNECT only"
            ])
        #expect(play([4, 1], cutting, asking: Self.password).first?.hasPrefix("refuse [0, 91, ") == true)
        let endless = [4, 1, 0, 80, 10, 0, 0, 7] + [UInt8](repeating: 97, count: 300)
        #expect(play(endless, cutting).first == "refuse [0, 91, 0, 0, 0, 0, 0, 0]: the user id does not end")
        let endlessName = [4, 1, 0, 80, 0, 0, 0, 7, 0] + [UInt8](repeating: 97, count: 300)
        #expect(play(endlessName, cutting).first == "refuse [0, 91, 0, 0, 0, 0, 0, 0]: the name does not end")
    }

    @Test("who speaks something else is told so", arguments: Cutting.allCases)
    func strangers(cutting: Cutting) {
        #expect(
            play(Array("GET / HTTP/1.1\r\n".utf8), cutting).first == "refuse HTTP: the client speaks HTTP, and this is a SOCKS5 proxy"
        )
        #expect(play([0x16, 3, 1], cutting).first == "refuse []: the client speaks TLS, and this is a SOCKS proxy")
        #expect(play([0xFF], cutting) == ["refuse []: the client begins with byte 255, which no SOCKS version does"])
    }

    @Test("the reply carries the bound address of either family")
    func replies() {
        let server = SOCKS5Server()
        let address = IPAddress(ipv6High: 0x2001_0db8_0000_0000, low: 1)
        let expected: [UInt8] = [5, 5, 0, 4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x1f, 0x90]
        #expect(server.reply(.connectionRefused, bound: Endpoint(address: address, port: 8080)) == expected)
        #expect(server.reply(.timeToLiveExpired) == [5, 6, 0, 1, 0, 0, 0, 0, 0, 0])
    }

    @Test("no bytes make it trap, and how they are cut makes no difference")
    func anything() {
        var generator = SplitMix(seed: 3)
        for _ in 0..<2_000 {
            var bytes = (0..<Int.random(in: 1...40, using: &generator)).map { _ in UInt8.random(in: 0...6, using: &generator) }
            bytes[0] = Bool.random(using: &generator) ? 5 : 4
            let credentials = Bool.random(using: &generator) ? Self.password : nil
            let whole = play(bytes, .whole, asking: credentials)
            for cutting in Cutting.allCases { #expect(play(bytes, cutting, asking: credentials) == whole, "\(bytes)") }
        }
    }
}
