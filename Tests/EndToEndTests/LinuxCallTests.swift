import Foundation
import Testing

/// What only Linux has is inside of `#if os(Linux)` or `#if canImport(Glibc)`, so that nothing of it is in the way of macOS.
///
/// Nobody has built the package on macOS. This finds known names, of the kernel and of glibc, that a system without them would refuse.
@Suite struct LinuxCallTests {
    /// Names as a source has them, of calls, constants, files and of types that glibc has in another form.
    static let names = [
        // Kernel: descriptors and processes.
        "epoll_", "signalfd", "eventfd", "timerfd", "inotify_", "pidfd_", "accept4(", "pipe2(", "dup3(", "memfd_create", "getrandom(",
        "O_TMPFILE", "O_PATH", "prctl(", "PR_SET_", "unshare(", "setns(", "clone3", "CLONE_NEW", "sched_getaffinity", "sched_setaffinity",
        "splice(", "copy_file_range", "fallocate(", "renameat2", "\"/proc/", "\"/sys/", "gettid(", "io_uring", "getauxval",
        // Sockets.
        "SOCK_CLOEXEC", "SOCK_NONBLOCK", "SO_ORIGINAL_DST", "SO_PEERCRED", "SO_MARK", "markOption", "SIOCOUTQ", "TIOCOUTQ",
        "SCM_CREDENTIALS",
        "TCP_USER_TIMEOUT", "TCP_INFO", "TCP_QUICKACK", "AF_NETLINK", "NETLINK_", "NetlinkSocket", "IP_TRANSPARENT", "IP_RECVORIGDSTADDR",
        // Mounts, control groups, rules.
        "MS_BIND", "MS_REC", "MS_PRIVATE", "mount(", "umount2", "ControlGroup", "ProgramRules", "PacketLog(",
        // glibc: its allocator, and its form of what others have as well.
        "mallopt", "malloc_trim", "M_TRIM_THRESHOLD", "__sigaction_handler", "__rlimit_resource_t", "posix_spawn_file_actions_t()",
        "posix_spawnattr_t()", "SOCK_STREAM.rawValue", "SOCK_DGRAM.rawValue", "SOCK_RAW.rawValue", "st_mtim.", "pthread_condattr_setclock",
        "sem_init(", "sem_timedwait", "program_invocation_name", "fopen64",
        // The C modules of this package that declare them.
        "CNamespaces", "CMalloc",
    ]

    /// A name that is no use: the file and the name, with the reason.
    static let others: [String: String] = [
        // A path that the user gave is compared with it.
        "Sources/Reports/Output/DescriptorPath.swift": "\"/proc/"
    ]

    /// The lines of a source outside of blocks for Linux, without comments.
    static func portableLines(of text: String) -> [(number: Int, line: String)] {
        enum Block { case linux, notLinux, any }
        func block(_ condition: Substring) -> Block {
            if condition.contains(/!\s*(?:os\(Linux\)|canImport\(Glibc\))/) { return .notLinux }
            if condition.contains(/os\(Linux\)|canImport\((?:Glibc|Musl)\)|!\s*canImport\(Darwin\)/) { return .linux }
            return condition.contains(/canImport\(Darwin\)|os\(macOS\)/) ? .notLinux : .any
        }
        var (blocks, lines): ([Block], [(Int, String)]) = ([], [])
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let bare = line.trimmingPrefix(/\s*/)
            if bare.hasPrefix("#if") {
                blocks.append(block(bare.dropFirst(3)))
            } else if bare.hasPrefix("#elseif"), !blocks.isEmpty {
                blocks[blocks.count - 1] = block(bare.dropFirst(7))
            } else if bare.hasPrefix("#else"), let last = blocks.last {
                blocks[blocks.count - 1] = last == .notLinux ? .linux : .any
            } else if bare.hasPrefix("#endif") {
                _ = blocks.popLast()
            } else if !blocks.contains(.linux), !bare.hasPrefix("//") {
                lines.append((index + 1, String(line.firstRange(of: " // ").map { line[..<$0.lowerBound] } ?? line)))
            }
        }
        return lines
    }

    /// Names in the lines for every system, each with its line.
    static func faults(in text: String) -> [(line: Int, name: String)] {
        portableLines(of: text).flatMap { number, line in
            names.filter { name in
                guard let range = line.firstRange(of: name) else { return false }
                // A longer word that ends like it is another one: `amount(`.
                let before = range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : " "
                return !(before.isLetter || before == "_") || !(name.first?.isLetter ?? false)
            }.map { (number, $0) }
        }
    }

    @Test func `what only Linux has is in blocks for Linux`() throws {
        let sources = HouseRulesTests.root.appendingPathComponent("Sources")
        let paths = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
        var (files, blocks) = (0, 0)
        for path in paths.sorted() where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            files += 1
            if text.contains("#if os(Linux)") { blocks += 1 }
            for (line, name) in Self.faults(in: text) where Self.others["Sources/\(path)"] != name {
                Issue.record("Sources/\(path):\(line) has \(name) outside of #if os(Linux)")
            }
        }
        #expect(files > 500 && blocks > 10)
    }

    @Test func `the C modules declare what only Linux has for Linux alone`() throws {
        for module in ["CNamespaces", "CMalloc"] {
            let header = HouseRulesTests.root.appendingPathComponent("Sources/\(module)/shim.h")
            let lines = try String(contentsOf: header, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("//") }
            #expect(lines.first == "#if defined(__linux__)" && lines.last == "#endif", "\(module)")
        }
    }

    @Test func `a name is noticed outside of a block, after its end and in its other half, and not inside`() {
        #expect(Self.faults(in: "let a = unshare(1)").map(\.name) == ["unshare("])
        #expect(Self.faults(in: "#if os(Linux)\nunshare(1)\n#endif").isEmpty)
        #expect(Self.faults(in: "#if os(Linux)\n#else\nunshare(1)\n#endif").map(\.line) == [3])
        #expect(Self.faults(in: "#if canImport(Darwin)\n#else\nunshare(1)\n#endif").isEmpty)
        #expect(Self.faults(in: "#if os(Linux)\n#if DEBUG\n#endif\n#endif\nunshare(1)").map(\.line) == [5])
        #expect(Self.faults(in: "#if !os(Linux)\nopen(\"/proc/self\")\n#endif").map(\.name) == ["\"/proc/"])
        #expect(Self.faults(in: "// unshare(1)\nlet a = b // unshare(1)\namount(3)").isEmpty)
    }
}
