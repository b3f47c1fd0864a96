#if os(Linux)
import Libc

/// What a process does TLS with, and how the keys of its sessions can be had.
enum TLSLibrary: Hashable {
    /// The name of its file, such as `libssl.so.3`.
    case openSSL(String)
    case gnuTLS, nss, go, java
    /// None that is known by its file: it may be linked into the program.
    case unknown

    /// What is said of a process whose sessions were not decrypted, after the name of the program.
    ///
    /// - Parameter hasJavaAgent: the run had Java load an agent that writes keys.
    func advice(hasJavaAgent: Bool) -> String {
        switch self {
        case .openSSL(let file):
            KeyPreload.path == nil
                ? "uses OpenSSL (\(file)), which writes no keys by itself; libunmask-keys.so, which has it write them, is not beside unmask"
                : "uses OpenSSL (\(file)), and wrote no keys. It may have lost LD_PRELOAD or SSLKEYLOGFILE, as setuid programs do, or the right "
                    + "to write there"
        case .gnuTLS:
            "uses GnuTLS, which writes keys to the file that SSLKEYLOGFILE names. The program may have lost this variable, or the right to write there"
        case .nss:
            "uses NSS, which writes keys to the file that SSLKEYLOGFILE names where it is built so. The program may have lost this variable"
        case .go: "is written in Go, which writes no keys by itself. The program has to set KeyLogWriter of its tls.Config"
        case .java:
            hasJavaAgent
                ? "runs in Java, and the agent of --java-agent wrote no keys of it. Java may have started without JAVA_TOOL_OPTIONS, its TLS may "
                    + "not be Java's own, or the agent may be older than this Java"
                : "runs in Java, which writes no keys by itself. unmask run --watch --java-agent FILE.jar has it load an agent that writes them, "
                    + "such as extract-tls-secrets or jSSLKeyLog"
        case .unknown:
            "has no TLS library that is known by its file. OpenSSL, BoringSSL or rustls may be linked into it; rustls writes keys where the "
                + "program sets KeyLogFile"
        }
    }

    /// What the process with this number uses; nil where it does not run any more.
    static func used(by process: Int32) -> TLSLibrary? {
        guard let maps = WholeFile.read("/proc/\(process)/maps"), !maps.isEmpty else { return nil }
        var found: TLSLibrary?
        for line in maps.split(separator: 0x0A) {
            guard let slash = line.lastIndex(of: UInt8(ascii: "/")) else { continue }
            let name = String(decoding: line[line.index(after: slash)...].prefix { $0 != 0x20 }, as: UTF8.self)
            // Java first: it may have other libraries beside its own TLS. libssl3.so is of NSS.
            if name == "libjvm.so" { return .java }
            if name.hasPrefix("libssl3.so") || name.hasPrefix("libnss3.so") {
                found = found ?? .nss
            } else if name.hasPrefix("libssl.so") {
                found = .openSSL(name)
            } else if name.hasPrefix("libgnutls.so") {
                found = found ?? .gnuTLS
            }
        }
        if let found { return found }
        return GoProgram.isOne("/proc/\(process)/exe") ? .go : .unknown
    }
}

/// Whether a program is written in Go: the section `.go.buildinfo` of its ELF file (elf(5)), which stays where symbols are stripped.
private enum GoProgram {
    static func isOne(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard let head = read(file, at: 0, 64), head.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { return false }
        let (sections, size, names) = (number(head, 40, 8), number(head, 58, 2), number(head, 62, 2))
        guard size >= 40, let offset = Int(exactly: sections), let step = Int(exactly: size * names),
            let row = read(file, at: offset &+ step, 40), let start = Int(exactly: number(row, 24, 8)),
            let text = read(file, at: start, Int(clamping: min(number(row, 32, 8), 64 << 10)))
        else { return false }
        return text.split(separator: 0).contains { $0.elementsEqual(".go.buildinfo".utf8) }
    }

    private static func read(_ file: Int32, at offset: Int, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return offset >= 0 && pread(file, &bytes, count, off_t(offset)) == count ? bytes : nil
    }

    /// A number of some bytes, little-endian.
    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
#endif
