#if os(Linux)
import Foundation
import Testing

@testable import LiveCapture

/// A program stands still while its packets come too fast: the freezer of its control group. It takes root and control groups of version 2.
@Suite(.serialized) struct ProgramBrakeTests {
    /// Where control groups of version 2 are mounted (proc_pid_mountinfo(5)).
    private var mount: String? {
        let lines = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
        return lines.split(separator: "\n").first { $0.contains(" - cgroup2 ") }.map { String($0.split(separator: " ")[4]) }
    }

    /// Runs `body` with a group that `sleep` is in, whose name is not that of a run's.
    private func withGroup(_ body: (String) throws -> Void) throws {
        guard let mount, mkdir("\(mount)/unmask-brake.\(getpid())", 0o755) == 0 else {
            print("skipped: the freezer of a control group (it takes root and cgroup2)")
            return
        }
        let group = "\(mount)/unmask-brake.\(getpid())"
        defer { #expect(ControlGroup.remove(group)) }
        let sleeper = Process()
        sleeper.executableURL = URL(fileURLWithPath: "/bin/sleep")
        sleeper.arguments = ["100"]
        try sleeper.run()
        defer {
            // A test's process blocks other signals, and what it starts inherits that.
            kill(sleeper.processIdentifier, SIGKILL)
            sleeper.waitUntilExit()
        }
        try "\(sleeper.processIdentifier)".write(toFile: group + "/cgroup.procs", atomically: false, encoding: .utf8)
        try body(group)
    }

    /// Whether the kernel says so before ten seconds are over.
    private func becomes(_ state: String, _ group: String) -> Bool {
        let file = open(group + "/cgroup.events", O_RDONLY)
        defer { close(file) }
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = max(0, pread(file, &bytes, bytes.count, 0))
            if String(decoding: bytes[..<count], as: UTF8.self).contains(state) { return true }
            // The file wakes who has read it when it changes.
            var change = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
            _ = poll(&change, 1, 100)
        }
        return false
    }

    @Test func `a program stands still and goes on, and the time is counted`() throws {
        try withGroup { group in
            let brake = ProgramBrake(group)
            #expect(!brake.isHeld && brake.held == .zero)
            brake.hold()
            #expect(!brake.isHeld)
            brake.arm()
            brake.hold()
            brake.hold()
            #expect(brake.isHeld && becomes("frozen 1", group))
            brake.release()
            #expect(!brake.isHeld && becomes("frozen 0", group))
            let held = brake.held
            #expect(held > .zero && held == brake.held)
        }
    }

    @Test func `a program goes on when its brake is gone, or was another process's`() throws {
        try withGroup { group in
            do {
                let brake = ProgramBrake(group)
                brake.arm()
                brake.hold()
                #expect(becomes("frozen 1", group))
            }
            #expect(becomes("frozen 0", group))
            let left = ProgramBrake(group)
            left.arm()
            left.hold()
            #expect(becomes("frozen 1", group))
            ProgramBrake.release(group)
            #expect(becomes("frozen 0", group))
        }
    }

    @Test func `without a freezer nothing happens`() {
        let brake = ProgramBrake("/absent/group")
        brake.arm()
        brake.hold()
        #expect(!brake.isHeld && brake.held == .zero)
        ProgramBrake.release("/absent/group")
    }
}
#endif
