import ArgumentParser
import Libc
import Reports

/// The descriptors that the caller gave the program. Any other one is a descriptor of the program's own: a connection, or the file
/// of another output, which `/dev/fd/N` would lead into.
enum GivenDescriptors {
    /// Those that were open when this was first asked for, which is before anything is opened.
    static let all = DescriptorPath.open

    static var hasStandardOutput: Bool { all.contains(STDOUT_FILENO) }
}

/// Looks at paths that options take.
///
/// - Parameter isWritten: whether the file is an output.
/// - Throws: `ValidationError` for an empty one, and for one that stands for a descriptor which the caller did not open, or not for writing.
func checkPath(_ path: String?, of option: String, what: String = "file", isWritten: Bool = false) throws {
    guard let path else { return }
    if path.isEmpty { throw ValidationError("\(option) takes the path of a \(what), and that is empty.") }
    guard let number = DescriptorPath.number(of: path) else { return }
    guard GivenDescriptors.all.contains(number) else {
        throw ValidationError("\(option) \(path): descriptor \(number) was not open when unmask was started.")
    }
    // Opening it anew would write to a file that the caller only gave to read.
    if isWritten, fcntl(number, F_GETFL) & O_ACCMODE == O_RDONLY {
        throw ValidationError("\(option) \(path): descriptor \(number) is not open for writing.")
    }
}

/// Looks at the inputs of a command.
///
/// - Parameter mayBeEmpty: an empty path is left to whoever opens it.
/// - Throws: `ValidationError` where there is none, or one that `checkPath` does not take.
func checkInputs(_ paths: [String], of command: String, mayBeEmpty: Bool = false) throws {
    if paths.isEmpty { throw ValidationError("Name a capture file, or - for standard input.") }
    if paths.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input can be read once.") }
    for path in paths where !mayBeEmpty || !path.isEmpty { try checkPath(path, of: command) }
}
