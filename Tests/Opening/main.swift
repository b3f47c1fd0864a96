import Decryption
import Dissection
import Libc

// unmask-opening FOLDER …: what it costs to open the records of talks that Tests/Peers/tls-suites.py recorded. One line for each talk and
// direction: folder, suite, bytes of content, nanoseconds of processor time a record. `make bench-opening` holds them
// against `openssl speed`.

/// Opens each record as `RecordCiphers` does, and long ones over and over to see what that costs.
private final class TimedCiphers: TLSCiphers {
    private let ciphers = RecordCiphers()
    private let folder: String

    init(_ folder: String) { self.folder = folder }

    func opener(for session: TLSSession, side: Side, secret: [UInt8]) throws(TLSUnopened) -> any TLSRecordOpener {
        TimedOpener(try ciphers.opener(for: session, side: side, secret: secret), session, folder)
    }

    func overhead(of session: TLSSession) -> Int { ciphers.overhead(of: session) }

    func isOverheadExact(of session: TLSSession) -> Bool { ciphers.isOverheadExact(of: session) }

    func secret(after secret: [UInt8], cipherSuite: UInt16) -> [UInt8]? { ciphers.secret(after: secret, cipherSuite: cipherSuite) }
}

private final class TimedOpener: TLSRecordOpener {
    private let opener: any TLSRecordOpener
    private let session: TLSSession
    private let folder: String
    /// Records shorter than this are not timed.
    private static let leastBytes = 4_096
    private var hasTimed = false

    init(_ opener: any TLSRecordOpener, _ session: TLSSession, _ folder: String) {
        self.opener = opener
        self.session = session
        self.folder = folder
    }

    func open(
        _ header: TLSRecordHeader, _ fragment: RawSpan, sequence: UInt64, count: Int, into buffer: inout [UInt8]
    ) -> Result<TLSPlaintext, TLSUnopened> {
        let opened = opener.open(header, fragment, sequence: sequence, count: count, into: &buffer)
        guard !hasTimed, case .success(let plaintext) = opened, plaintext.length >= Self.leastBytes else { return opened }
        hasTimed = true
        var best = UInt64.max
        for _ in 0..<9 {
            let rounds: UInt64 = 400
            let start = processorNanoseconds()
            for _ in 0..<rounds { _ = opener.open(header, fragment, sequence: plaintext.sequence, count: 1, into: &buffer) }
            best = min(best, (processorNanoseconds() - start) / rounds)
        }
        let suite = TLSCipherSuite.name(session.cipherSuite).map { "\($0)" } ?? "\(session.cipherSuite)"
        print(folder, suite, plaintext.length, best)
        return opener.open(header, fragment, sequence: plaintext.sequence, count: 1, into: &buffer)
    }

    func noteLoss() { opener.noteLoss() }
}

private func processorNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

private func contents(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece.prefix(count) }
    return bytes
}

for folder in CommandLine.arguments.dropFirst() {
    guard let wire = contents("\(folder)/wire"), let keys = contents("\(folder)/keys") else {
        print("\(folder) has no wire or no keys")
        continue
    }
    let secrets = KeyLogSecrets()
    secrets.receive(keys.rawBytes)
    secrets.finish()
    var connection = DecryptedConnection(TLSDecryption(secrets: secrets, ciphers: TimedCiphers(folder)))
    var cursors: [Side: TLSRecordCursor] = [.client: TLSRecordCursor(), .server: TLSRecordCursor()]
    var fragments: [Side: [UInt8]] = [:]
    var (position, buffer) = (0, [UInt8]())
    while position + 5 <= wire.count {
        let side: Side = wire[position] == 0 ? .client : .server
        let end = min(wire.count, position + 5 + Int(wire.rawBytes.bigEndianUInt32(at: position + 1)))
        let run = Array(wire[position + 5..<end])
        position = end
        var inside = 0
        while let step = cursors[side]?.next(in: run.rawBytes, at: &inside) {
            if case .fragment(let part) = step { fragments[side, default: []] += run[part] }
            guard let cursor = cursors[side], cursor.fragmentLeft == 0 else { continue }
            let fragment = fragments.removeValue(forKey: side) ?? []
            _ = connection.open(cursor.header, fragment.rawBytes, from: side, into: &buffer)
        }
    }
}
