/// An input that was opened, and looked at to know what it is.
public enum CaptureInput: ~Copyable {
    /// Packets.
    case capture(CaptureReader)
    /// Records that were made of them before, or an HTTP archive.
    case log(RecordLog)

    /// Opens the file at `path`, or standard input for `-`. Parameters and errors are those of `CaptureReader`; a line of a log may have
    /// `longestLine` bytes.
    public init(
        path: String, firstPacketNumber: UInt64 = 1, stop: StopFlag? = nil, windowBytes: Int = 128 << 20, longestLine: Int = 64 << 20
    ) throws(CaptureFileError) {
        var source = try CaptureReader.openSource(path, stop, windowBytes)
        if RecordLog.begins(&source) {
            source.consume(RecordLog.markBytes(&source))
            let isArchive = ArchiveEntries.begins(&source)
            self = .log(RecordLog(source: source, longestLine: longestLine, isArchive: isArchive))
        } else {
            self = .capture(try CaptureReader(source: source, firstPacketNumber: firstPacketNumber))
        }
    }
}
