import ArgumentParser
import Libc
import LiveCapture

/// What `unmask run` leaves behind for the case that it is killed (SIGKILL), or that the command has left something running: waits for its end, and if
/// that came without a word, for the end of the command that it had started and of all in its control group, and then removes what these had.
struct ClearCommand: ParsableCommand {
    static let name = "clear-when-killed"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Waits for the run that started it, and removes its folder if it was killed.",
        shouldDisplay: false)

    /// What a run says before the number of the command's process, four bytes in the order of the machine.
    static let commandFollows: UInt8 = 2

    /// What a run says before the folder of its control group: the number of its bytes, as above, and they.
    static let groupFollows: UInt8 = 3

    /// The folder, as an inherited descriptor.
    static let folder: Int32 = 3

    func run() throws {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { signal(number, SIG_IGN) }
        _ = chdir("/")
        // Held from when the process is known to live, so that another one of its number is not taken for it.
        var command: Int32 = -1
        var group: String?
        var word: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &word, 1)
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            guard word == Self.commandFollows || word == Self.groupFollows else { return }
            var number: Int32 = 0
            guard read(STDIN_FILENO, &number, 4) == 4 else { break }
            if word == Self.groupFollows {
                group = Self.text(Int(number))
            } else {
                #if os(Linux)
                command = open("/proc/\(number)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                #else
                command = number
                #endif
            }
        }
        #if os(Linux)
        if let group { ProgramBrake.release(group) }
        #endif
        while command >= 0, Self.lives(command) { Self.pause(milliseconds: 100) }
        #if os(Linux)
        if let group {
            // What the command has left running may still write its keys there.
            ControlGroup.waitUntilEmpty(group)
            _ = ControlGroup.remove(group)
        }
        #endif
        _ = FolderTree.remove(Self.folder)
    }

    /// A text of so many bytes that is told; nil where it ends before that.
    private static func text(_ count: Int) -> String? {
        guard 1...4_096 ~= count else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return read(STDIN_FILENO, &bytes, count) == count ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Whether a process runs: that of a folder in /proc, or with a number where there are no such folders. One that has ended and that nobody asked
    /// about (a zombie) does not.
    private static func lives(_ process: Int32) -> Bool {
        #if os(Linux)
        let file = openat(process, "stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(file, &bytes, bytes.count)
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return false }
        return bytes[end + 2] != UInt8(ascii: "Z") && bytes[end + 2] != UInt8(ascii: "X")
        #else
        return kill(process, 0) == 0
        #endif
    }

    private static func pause(milliseconds: Int) {
        var moment = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
        nanosleep(&moment, nil)
    }
}
