import CaptureFiles
import Dissection
import Foundation
import Interception
import NIOCore
import Reports
import Support
import Synchronization

/// A recorder with a log and a recording in a folder of its own, and what came of them.
final class RecorderRun: Sendable {
    let recorder: Recorder
    private let folder: URL
    private let files: [OutputFile]
    private let told = Told()

    private final class Told: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// Lines that were told to the person who runs the proxy.
    var saidLines: [String] { told.lines.withLock { $0 } }

    /// 2026-11-20 21:48:00 UTC
    static let start: Int64 = 1_795_211_280_000_000_000

    /// What a run is made from.
    struct Making {
        var report: any OutputForm = RecordSettings()
        /// Where it goes; a file of the run's own where nothing is named.
        var output: Int32?
        var log: OutputFile?
        var recording: OutputFile?
        var isLossy = false
        var limits = Limits()
        var rules: [DecodeRule] = []
        var queueBytes = 16 << 20
        var queueEvents = 65_536
        var isHurried: @Sendable () -> Bool = { false }
        var readerGone: @Sendable () -> Void = {}
        var isRecorded = true
        /// What the recording has.
        var recorded: any OutputForm = RelayedPacketsForm(isSealed: false)
    }

    /// - Parameter adjust: changes what the recorder is made from.
    init(_ report: any OutputForm = RecordSettings(), adjust: (inout Making) -> Void = { _ in }) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "unmask-recorder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var making = Making(report: report)
        adjust(&making)
        let printed = try OutputFile(path: folder.appending(path: "log").path, from: .end)
        let recording =
            try making.isRecorded ? making.recording ?? OutputFile(path: folder.appending(path: "talk.pcapng").path, from: .empty) : nil
        files = [printed, recording, making.log].compactMap(\.self)
        let ending = StopFlag()
        let tell: @Sendable (String) -> Void = { [told] line in told.lines.withLock { $0.append(line) } }
        func outlet(_ descriptor: Int32, _ name: String, isLossy: Bool) -> Outlet {
            Outlet(
                descriptor: descriptor, name: name, patience: isLossy ? .lossy : .telling, advice: "let it be read", tell: tell,
                isStopping: { ending.isStopped }, isHurried: making.isHurried)
        }
        var plan = OutputPlan(
            [
                .init(
                    making.report, as: .shown,
                    to: outlet(making.output ?? printed.descriptor, "standard output", isLossy: making.isLossy || making.log != nil))
            ], keepsTrying: true)
        if let log = making.log {
            plan.targets.append(.init(RecordSettings(), as: .log, to: outlet(log.descriptor, log.path, isLossy: making.isLossy)))
        }
        if let recording {
            let outlet = outlet(recording.descriptor, recording.path, isLossy: making.isLossy)
            plan.targets.append(.init(making.recorded, as: .recording, to: outlet))
        }
        var settings = RecorderSettings(
            outputs: plan, tool: "unmask test", sourceName: "127.0.0.1:9000", isEnding: { ending.stop() }, tell: tell,
            readerGone: making.readerGone)
        settings.limits = making.limits
        settings.rules = making.rules
        settings.queueBytes = making.queueBytes
        settings.queueEvents = making.queueEvents
        recorder = try Recorder(settings)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var recordingPath: String { folder.appending(path: "talk.pcapng").path }

    /// What was printed so far.
    var printed: String { (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? "" }

    /// Ends the recording; gives what was printed.
    @discardableResult
    func finish() -> String {
        guard case .complete = recorder.finish() else { return "the recorder gave up" }
        return printed
    }

    /// What reading the recording prints.
    func readBack(_ settings: RecordSettings = RecordSettings(), limits: Limits = Limits(), rules: [DecodeRule] = []) throws -> String {
        var report = RecordReport(Output(), settings: settings)
        var dissector = Dissector(limits: limits, decodeAs: rules, seed: 7)
        var reader = try CaptureReader(path: recordingPath)
        var notes = CaptureNotes()
        while let item = try reader.next() {
            if case .packet(let packet) = item { dissector.receive(packet, sink: &report) }
            notes.take(item, &dissector, sink: &report)
        }
        dissector.finish(sink: &report)
        report.finish(dissector.totals)
        return String(decoding: report.takeBytes(), as: UTF8.self)
    }
}

extension RecorderRun {
    static let client = Endpoint(address: IPAddress(ipv4: 0x7F00_0001), port: 50_123)
    static let server = Endpoint(address: IPAddress(ipv4: 0x0A00_0009), port: 443)

    /// A moment, in microseconds since the start.
    static func at(_ microseconds: Int64) -> Timestamp { Timestamp(nanoseconds: start + microseconds * 1_000) }

    /// Begins a conversation between two addresses.
    func begin(
        _ client: Endpoint = client, _ server: Endpoint = server, name: String? = nil, transport: Opening.Transport = .tcp, via: Via? = nil,
        at microseconds: Int64 = 0
    ) -> UInt64 {
        recorder.begin(
            Beginning(
                client: LiveEndpoint(endpoint: client), server: LiveEndpoint(endpoint: server, name: name), transport: transport, via: via),
            at: Self.at(microseconds))
    }

    func say(_ text: String, _ side: Side, in conversation: UInt64, _ microseconds: Int64) {
        recorder.received(ByteBuffer(string: text), from: side, in: conversation, at: Self.at(microseconds))
    }

    func end(_ side: Side, in conversation: UInt64, _ microseconds: Int64) {
        recorder.finished(from: side, in: conversation, at: Self.at(microseconds))
    }
}
