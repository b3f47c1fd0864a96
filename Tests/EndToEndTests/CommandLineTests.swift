import Foundation
import Support
import Testing

/// The program as a user meets it: exit codes, errors that name what to do, quiet ends.
@Suite struct CommandLineTests {
    /// A capture of two packets: a SYN and three bytes.
    private static let capture: [UInt8] = {
        let syn = PacketBuilder.ethernet(PacketBuilder.ipv4(PacketBuilder.tcp(sequence: 9, flags: 0x02)))
        let data = PacketBuilder.ethernet(PacketBuilder.ipv4(PacketBuilder.tcp(sequence: 10, [0xFF, 1, 2])))
        return PacketBuilder.pcap([.init(nanoseconds: 1_000_000_000, syn), .init(nanoseconds: 2_000_000_000, data)])
    }()

    @Test func standardInputIsRead() throws {
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: Data(Self.capture))
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(outcome.lines.count == 5)
        #expect(outcome.lines.last?.contains("\"packets\":2") == true)
    }

    @Test(.timeLimit(.minutes(20))) func recordsOfAPipeComeBeforeItsEnd() throws {
        let process = Process()
        process.executableURL = UnmaskProcess.executable
        process.arguments = ["read", "--format", "ndjson", "-"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(Self.capture))
        // The pipe stays open: what has not come by itself never comes.
        var seen = Data()
        while !String(decoding: seen, as: UTF8.self).contains("\"kind\":\"opened\"") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            seen += more
        }
        #expect(String(decoding: seen, as: UTF8.self).contains("\"kind\":\"opened\""))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func aCutFileEndsWithOneAndNamesTheOffset() throws {
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: Data(Self.capture.dropLast(2)))
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("standard input"))
        #expect(outcome.errors.contains("at byte 94"))
        // What could be read is there.
        #expect(outcome.lines.contains { $0.contains("\"kind\":\"opened\"") })
        #expect(outcome.lines.last?.contains("\"kind\":\"end\"") == true)
    }

    @Test func whatIsNoCaptureIsRefusedInWords() throws {
        let outcome = try UnmaskProcess.run(["read", "-"], input: Data("hello, this is text\n".utf8))
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("unmask: standard input"))
    }

    @Test(arguments: [
        ["read"], ["read", "--bogus", "x"], ["read", "--format", "xml", "x"], ["read", AbsentPath.next() + "/file"], ["bogus"],
        ["read", "--decode-as", "udp.port=1,x", "x"], ["read", "--conversation", "0", "x"], ["read", "-", "-"],
        ["capture"], ["capture", "-i", "no-such-interface"], ["read", "-f", "this is no filter (", "-"],
        ["read", "--format", "json", "--full", "-"], ["read", "--stats", "--follow", "-"], ["read", "--stats", "--conversation", "1", "-"],
        ["capture", "-i", "lo", "-c", "0"], ["findings", "no.such-finding"],
        ["help", "frob"], ["help", "ca", "frob"],
    ])
    func wrongUseEndsWithTwo(arguments: [String]) throws {
        let outcome = try UnmaskProcess.run(arguments)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(!outcome.errors.isEmpty)
        #expect(outcome.output.isEmpty)
    }

    @Test func helpAndVersionEndWithZero() throws {
        #expect(try UnmaskProcess.run(["--help"]).status == 0)
        #expect(try UnmaskProcess.run(["read", "--help"]).text.contains("--decode-as"))
        #expect(try UnmaskProcess.run(["--version"]).text.first?.isNumber == true)
    }

    @Test func severalFilesAreOneRun() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["a.pcap", "b.pcap"] { try Data(Self.capture).write(to: folder.appendingPathComponent(name)) }
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "a.pcap", "b.pcap"], folder: folder)
        #expect(outcome.status == 0)
        #expect(outcome.lines.filter { $0.contains("\"kind\":\"capture\"") }.count == 2)
        #expect(outcome.lines.contains { $0.contains("\"firstPacket\":3") })
        #expect(outcome.lines.last?.contains("\"packets\":4") == true)
    }

    @Test func aJSONArrayIsClosed() throws {
        let outcome = try UnmaskProcess.run(["read", "--format", "json", "-"], input: Data(Self.capture.dropLast(2)))
        let records = try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]]
        #expect(records?.last?["kind"] as? String == "end")
    }

    /// Inputs that cannot be read from their first byte on: records are whole all the same, and the error is on standard error.
    @Test(arguments: [
        [], Array("hello, this is text\n".utf8), Array(capture.prefix(10)), [0x0A, 0x0D, 0x0D, 0x0A, 1, 2],
        [0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, 1, 2, 3, 4] + [UInt8](repeating: 0, count: 16), [0x1F, 0x8B, 8, 0],
    ])
    func recordsAreWholeWhateverTheInputIs(input: [UInt8]) throws {
        for format in ["ndjson", "json"] {
            for stats in [[], ["--stats"]] {
                let outcome = try UnmaskProcess.run(["read", "--format", format, "-"] + stats, input: Data(input))
                #expect(outcome.status == 1)
                #expect(outcome.errors.hasPrefix("unmask: standard input: "), "\(outcome.errors)")
                #expect(try kinds(outcome.output, format) == ["capture", "end"], "\(outcome.text)")
            }
        }
        // Text for people is the error alone.
        #expect(try UnmaskProcess.run(["read", "-"], input: Data(input)).output.isEmpty)
    }

    @Test func recordsAreWholeWhereAFileCannotBeOpened() throws {
        let absent = AbsentPath.next()
        for format in ["ndjson", "json"] {
            let outcome = try UnmaskProcess.run(["read", "--format", format, absent])
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("cannot open"))
            #expect(try kinds(outcome.output, format) == ["end"])
            // The others are read.
            let both = try UnmaskProcess.run(["read", "--format", format, absent, "-"], input: Data(Self.capture))
            #expect(both.status == 2)
            #expect(try kinds(both.output, format) == ["capture", "opened", "data", "closed", "end"])
        }
    }

    private func kinds(_ output: Data, _ format: String) throws -> [String] {
        let records =
            format == "json"
            ? try JSONSerialization.jsonObject(with: output) as? [[String: Any]] ?? []
            : try output.split(separator: 0x0A).map { try JSONSerialization.jsonObject(with: $0) as? [String: Any] ?? [:] }
        return records.map { $0["kind"] as? String ?? "?" }
    }

    @Test func aFilterLeavesPacketsOut() throws {
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-f", "udp", "-"], input: Data(Self.capture))
        #expect(outcome.status == 0)
        #expect(outcome.lines.last?.contains("\"packets\":0") == true)
    }

    @Test func decodeAsDecides() throws {
        let frame = PacketBuilder.ethernet(PacketBuilder.ipv4(PacketBuilder.tcp(sequence: 10, [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])))
        let capture = PacketBuilder.pcap([.init(frame)])
        let outcome = try UnmaskProcess.run(
            ["read", "--format", "ndjson", "--decode-as", "tcp.port=8080,websocket", "-"], input: Data(capture))
        #expect(outcome.lines.contains { $0.contains("\"kind\":\"message\"") && $0.contains("\"text\":\"hi\"") })
    }

    @Test func decodeAsKeepsAHandshakeThatIsThere() throws {
        let plain = try UnmaskProcess.run(["read", "fixtures/manner-socketrocket/capture.pcap"])
        let told = try UnmaskProcess.run(
            ["read", "--decode-as", "tcp.port=8080,websocket", "fixtures/manner-socketrocket/capture.pcap"])
        #expect(told.output == plain.output)
    }

    @Test func colourIsObeyed() throws {
        let capture = "fixtures/manner-socketrocket/capture.pcap"
        #expect(try UnmaskProcess.run(["read", capture]).text.contains("\u{1B}") == false)
        #expect(try UnmaskProcess.run(["read", "--color", "always", capture]).text.contains("\u{1B}["))
        #expect(try UnmaskProcess.run(["read", "--color", "always", capture], environment: ["NO_COLOR": "1"]).text.contains("\u{1B}["))
        #expect(try UnmaskProcess.run(["read", "--color", "never", capture]).text.contains("\u{1B}") == false)
    }

    /// A name that would clear the screen, fake a line, turn the reading direction.
    private static let harmful = "x\u{1B}[2J\nunmask: all is well\u{202E}\u{9B}1m"
    private static let shown = "x␛[2J␊unmask: all is well\\u{202e}\\u{9b}1m"

    @Test(arguments: [
        ["read", harmful], ["read", "--\(harmful)", "x"], ["read", "--format", harmful, "x"], ["read", "--format=\(harmful)", "x"],
        ["read", "--decode-as", harmful, "x"], ["read", "--conversation=\(harmful)", "x"], [harmful], ["findings", harmful],
        ["capture", "-i", harmful], ["read", "-f", harmful, "fixtures/abrupt-ends/capture.pcap"], ["proxy", "--mode", harmful],
        ["proxy", "--upstream", harmful], ["proxy", "--mode", "http", "--listen", harmful],
        ["proxy", "--mode", "http", "--listen", "unix:/dev/null/\(harmful)"],
        ["proxy", "--mode", "http", "--upstream-ca", harmful, "--listen", "127.0.0.1:0"],
        ["proxy", "--mode", "http", "--keys", "/dev/null/\(harmful)", "--listen", "127.0.0.1:0"],
        ["proxy", "--mode", "http", "-w", "/dev/null/\(harmful)", "--listen", "127.0.0.1:0"],
        ["ca", "path", "--ca-folder", "/dev/null/\(harmful)"], ["ca", "remove", "--ca-folder", "/dev/null/\(harmful)"],
    ])
    func standardErrorDoesNothingToATerminal(arguments: [String]) throws {
        let outcome = try UnmaskProcess.run(arguments)
        #expect(outcome.status == 1 || outcome.status == 2, "\(outcome.status): \(outcome.errors)")
        #expect(!outcome.errors.isEmpty)
        for scalar in ["\u{1B}", "\u{202E}", "\u{9B}"] { #expect(!outcome.errors.contains(scalar), "\(outcome.errors.debugDescription)") }
        #expect(!outcome.errors.contains("\nunmask: all is well"), "\(outcome.errors)")
    }

    @Test func ofANameThatIsNotUTF8TheReasonIsSaid() throws {
        let shell = #""$0" read "$(printf '%s/a\377b.pcap' "$1")""#
        let outcome = try UnmaskProcess.run(
            ["-c", shell, UnmaskProcess.executable.path, AbsentPath.next()], through: "/bin/sh")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("a name that is not valid UTF-8 cannot be opened"), "\(outcome.errors)")
        #expect(try !UnmaskProcess.run(["read", AbsentPath.next()]).errors.contains("UTF-8"))
    }

    @Test func whatStandsInANameIsShown() throws {
        #expect(try UnmaskProcess.run(["read", Self.harmful]).errors.hasPrefix("unmask: \(Self.shown): cannot open"))
        #expect(try UnmaskProcess.run(["findings", Self.harmful]).errors.contains("'\(Self.shown)'"))
    }

    @Test func aThousandDamagedPlacesAreTenLinesAndACount() throws {
        // A section, an interface, and packets of an interface that there is not.
        func block(_ type: UInt32, _ words: [UInt32]) -> [UInt8] {
            let length = UInt32(12 + words.count * 4)
            return ([type, length] + words + [length]).flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
        }
        let head = block(0x0A0D_0D0A, [0x1A2B_3C4D, 1, .max, .max]) + block(1, [1, 0])
        let damaged = block(6, [9, 0, 0, 0, 0])
        func errors(_ count: Int, then rest: [UInt8] = []) throws -> [Substring] {
            let capture = head + (0..<count).flatMap { _ in damaged } + rest
            let outcome = try UnmaskProcess.run(["read", "-"], input: Data(capture))
            #expect(outcome.status == 1)
            return outcome.errors.split(separator: "\n")
        }
        #expect(try errors(10).count == 10)
        let many = try errors(1_010)
        #expect(many.count == 11)
        #expect(many.last == "unmask: standard input: 1000 more damaged places after these")
        #expect(try errors(11).last == "unmask: standard input: 1 more damaged place after these")
        // What ends the reading is told whatever came before.
        let cut = try errors(50, then: Array(damaged.prefix(20)))
        #expect(cut.count == 12)
        #expect(cut.last?.contains("the last block is cut") == true)
    }

    @Test func aConversationThatIsNotThereIsSaid() throws {
        let outcome = try UnmaskProcess.run(["read", "--conversation", "9", "fixtures/manner-socketrocket/capture.pcap"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("no conversation 9"))
        for command in [["list"], ["stats"], ["check"], ["read", "--problems"], ["read", "--format", "ndjson"]] {
            let outcome = try UnmaskProcess.run(command + ["--conversation", "9", "fixtures/manner-socketrocket/capture.pcap"])
            #expect(outcome.status == 1 && outcome.errors.contains("there is no conversation 9; the last is 1"), "\(command)")
        }
        // A range that has some is there.
        #expect(try UnmaskProcess.run(["read", "--conversation", "1-9", "fixtures/manner-socketrocket/capture.pcap"]).status == 0)
    }
}
