import Dissection

/// The files that are neither pcap nor pcapng and are read all the same.
enum OtherFormat {
    case snoop(SnoopRecords)
    case networkMonitor(NetworkMonitorFrames)

    /// Reads the header of the file that `source` stands at; nil where the magic number, as this machine reads it, is of
    /// none of them.
    init?(magic: UInt32, source: inout ByteSource) throws(CaptureFileError) {
        if magic == SnoopRecords.magic, let records = try SnoopRecords(source: &source) {
            self = .snoop(records)
        } else if NetworkMonitorVersion.magics.contains(magic) {
            self = .networkMonitor(try NetworkMonitorFrames(source: &source))
        } else {
            return nil
        }
    }

    /// The next packet, nil at a clean end.
    mutating func next(_ source: inout ByteSource) throws(CaptureFileError) -> LocatedPacket? {
        switch self {
        case .snoop(let records): return try records.next(&source)
        case .networkMonitor(var frames):
            // The frames' state is given back also where they throw.
            defer { self = .networkMonitor(frames) }
            return try frames.next(&source)
        }
    }

    /// What the file says about where its packets came from.
    var interface: CaptureInterface {
        switch self {
        case .snoop(let records): records.interface
        case .networkMonitor(let frames): frames.interface
        }
    }
}
