import Reports

/// The outlets that a recorder writes to.
struct RecorderOutlets: Sendable {
    let output: Outlet
    let log: Outlet?
    let recording: Outlet?

    /// - Parameter isStopping: whether the recorder was told to finish.
    init(_ settings: RecorderSettings, isStopping isFinishing: @escaping @Sendable () -> Bool) {
        let isStopping: @Sendable () -> Bool = { settings.isStopping() || isFinishing() }
        func outlet(_ descriptor: Int32, _ name: String, isLossy: Bool, advice: String) -> Outlet {
            Outlet(
                descriptor: descriptor, name: name, patience: isLossy ? .lossy : .telling, advice: advice, tell: settings.tell,
                isStopping: isStopping, isHurried: settings.isHurried)
        }
        let waits = "conversations stall when the queue is full. Let it be read, or start the proxy with"
        output = outlet(
            settings.output, "standard output", isLossy: settings.isLossy || settings.log != nil,
            advice: "\(waits) --log FILE, which writes the records to a file, or --lossy, which leaves out and counts what does not fit")
        let lossy = "\(waits) --lossy, which leaves out and counts what does not fit"
        log = settings.log.map { outlet($0.descriptor, $0.path, isLossy: settings.isLossy, advice: lossy) }
        recording = settings.recording.map { outlet($0.descriptor, $0.path, isLossy: settings.isLossy, advice: lossy) }
    }

    private var all: [Outlet] { [output, log, recording].compactMap(\.self) }

    /// Grows as long as something is written.
    var takenBytes: UInt64 { all.reduce(0) { $0 &+ $1.takenBytes } }
}
