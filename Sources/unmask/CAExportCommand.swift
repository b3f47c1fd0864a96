import ArgumentParser
import CertificateAuthority
import Libc

struct CAExportCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case pem, der
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the CA certificate, for a device or a program that is to trust it. Never the key.")

    @Option(help: "pem, as most programs want it, or der, as Android and Windows do.")
    var format: Format = .pem

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write; - for standard output.", valueName: "file"), completion: .file())
    var output = "-"

    @OptionGroup
    var option: CAFolderOption

    func validate() throws { try checkPath(output, of: "-o", isWritten: true) }

    func run() throws {
        let certificate = try withAuthority { () throws(AuthorityError) in
            // Who exports one wants that of somebody who uses it: one that were made now nobody has asked for.
            try LocalAuthority.load(from: try option.folder()).certificate
        }
        if output == "-", format == .der, isatty(STDOUT_FILENO) == 1 {
            throw ValidationError("DER is not for a terminal; name a file with -o, or redirect standard output.")
        }
        let bytes = format == .pem ? Array(certificate.pem.utf8) : certificate.der
        let descriptor = output == "-" ? STDOUT_FILENO : open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        let isWritten = descriptor >= 0 && Self.write(bytes, to: descriptor)
        let code = errno
        if output != "-", descriptor >= 0 { close(descriptor) }
        guard isWritten else {
            writeLine("unmask: \(output == "-" ? "standard output" : output): \(String(cString: strerror(code)))")
            throw ExitCode(1)
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
