#if os(Linux)
import Libc
import Synchronization

/// Has a program stand still while its packets come faster than they are taken in, by the freezer of its control group (cgroups(7), `cgroup.freeze`):
/// the kernel drops what it has no room for, and a program that does not run sends and reads nothing. Only the connection's window and the kernel's
/// buffers go on meanwhile, which are small.
///
/// Where the kernel has no freezer it does nothing.
package final class ProgramBrake: Sendable {
    private let group: String
    private let file: Int32
    private let state = Mutex(State())

    private struct State {
        var isArmed = false
        var since: ContinuousClock.Instant?
        var held = Duration.zero
    }

    /// - Parameter group: the folder of the control group.
    init(_ group: String) {
        self.group = group
        file = Self.file(of: group)
    }

    deinit {
        release()
        if file >= 0 { close(file) }
    }

    /// How long the program has stood still in all.
    package var held: Duration { state.withLock { $0.held + ($0.since.map { ContinuousClock.now - $0 } ?? .zero) } }

    /// From now on it may be held: this process, which is in the group while it starts the program, is out of it and does not stop itself.
    func arm() {
        state.withLock { state in
            if !state.isArmed { state.isArmed = !ControlGroup.processes(of: group).contains(getpid()) }
        }
    }

    var isHeld: Bool { state.withLock { $0.since != nil } }

    /// Has it stand still; it does so within a moment.
    func hold() {
        state.withLock { state in
            guard state.isArmed, state.since == nil, file >= 0, write(file, "1", 1) == 1 else { return }
            state.since = .now
        }
    }

    /// Has it go on.
    func release() {
        state.withLock { state in
            guard let since = state.since else { return }
            _ = write(file, "0", 1)
            state.held += .now - since
            state.since = nil
        }
    }

    /// Has the programs of a group go on whose `unmask` was killed.
    package static func release(_ group: String) {
        let file = file(of: group)
        guard file >= 0 else { return }
        _ = write(file, "0", 1)
        close(file)
    }

    private static func file(of group: String) -> Int32 { open(group + "/cgroup.freeze", O_WRONLY | O_CLOEXEC) }
}
#endif
