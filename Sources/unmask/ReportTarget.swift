import CaptureFiles
import Libc
import Reports

/// Where a report goes that is made at the end of a run: standard output, or a file that `--output` names.
///
/// The file is opened before anything is read, so that a name that cannot be written to costs no time.
struct ReportTarget {
    private let file: OutputFile?

    /// - Parameters:
    ///   - path: of the file; nil or `-` for standard output.
    ///   - inputs: files that are read, which may not be written over.
    init(_ path: String?, inputs: [String]) throws(OutputFileError) {
        guard let path, path != "-" else {
            file = nil
            return
        }
        try Self.check(path, inputs: inputs)
        file = try OutputFile(path: path, from: .empty)
    }

    /// Looks at a path to write to before anything is opened.
    static func check(_ path: String, inputs: [String]) throws(OutputFileError) {
        guard path != "-", let file = FileIdentity(path: path), inputs.contains(where: { FileIdentity(path: $0) == file }) else { return }
        throw OutputFileError(path: path, problem: "this file is read; writing to it would destroy it")
    }

    /// Writes the report.
    ///
    /// - Returns: Whether it is there; otherwise it was said why not.
    func write(_ bytes: [UInt8]) -> Bool {
        let (descriptor, name) = (file?.descriptor ?? STDOUT_FILENO, file?.path ?? "standard output")
        let outlet = Outlet(
            descriptor: descriptor, name: name, patience: .silent, advice: "", tell: { writeLine("unmask: \($0)") },
            isStopping: { Interruption.hurry.isStopped }, isHurried: { Interruption.hurry.isStopped })
        let written = bytes.withUnsafeBytes { writeWhole(RawSpan(_unsafeBytes: $0), to: outlet) { $0.byteCount } }
        let problem = written.error ?? file?.finish()
        guard let problem else { return true }
        // Who closes standard output has seen enough.
        if file == nil, problem == .readerGone { return true }
        writeLine("unmask: \(name): \(problem.message)")
        return false
    }
}
