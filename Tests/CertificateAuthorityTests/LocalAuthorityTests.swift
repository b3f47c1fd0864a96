import Foundation
import Support
import Testing

@testable import CertificateAuthority

@Suite("The local authority: made once, kept to its owner")
struct LocalAuthorityTests {
    let scratch: ScratchFolder
    var folder: AuthorityFolder { scratch.authority }

    init() throws { scratch = try ScratchFolder() }

    /// What is thrown for the state that the folder is in.
    private func refusal(at now: Date = Date()) -> AuthorityError? {
        do {
            _ = try LocalAuthority.loadOrCreate(in: folder, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("where there is none it is made, and found again the next time")
    func madeOnce() throws {
        let made = try LocalAuthority.loadOrCreate(in: folder)
        let found = try LocalAuthority.loadOrCreate(in: folder)
        #expect(made.certificate.der == found.certificate.der)
        #expect(ScratchFolder.names(in: folder.path) == ["authority"])
        #expect(ScratchFolder.names(in: folder.pairPath) == ["unmask-authority-key.pem", "unmask-authority.pem"])
    }

    @Test("nobody but its owner may look into the folders or at the key, whatever the creation mask says")
    func rights() throws {
        let mask = umask(0)
        defer { umask(mask) }
        _ = try LocalAuthority.loadOrCreate(in: folder)
        #expect(try ScratchFolder.mode(of: folder.path) == 0o700)
        #expect(try ScratchFolder.mode(of: folder.pairPath) == 0o700)
        #expect(try ScratchFolder.mode(of: folder.keyPath) == 0o600)
        #expect(try ScratchFolder.mode(of: folder.certificatePath) == 0o644)
    }

    @Test("what root makes in another user's folder is that user's", arguments: ["", "/below/it"])
    func owner(place: String) throws {
        guard geteuid() == 0 else { return print("skipped: an authority in another user's folder (not root)") }
        try #require(chown(scratch.path, 12_345, 23_456) == 0)
        let folder = AuthorityFolder(path: scratch.path + place)
        _ = try LocalAuthority.loadOrCreate(in: folder)
        var paths = [folder.path, folder.pairPath, folder.keyPath, folder.certificatePath]
        if !place.isEmpty { paths.append(scratch.path + "/below") }
        for path in paths {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.ownerAccountID] as? Int == 12_345 && attributes[.groupOwnerAccountID] as? Int == 23_456, "\(path)")
        }
    }

    @Test("it may sign leaves and nothing else, for five years from yesterday")
    func certificate() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let der = try LocalAuthority.loadOrCreate(in: folder, at: now).certificate.der
        let certificate = try ReadCertificate(der)
        let identifier = NewCertificate.identifier(ofKey: certificate.publicKey)
        #expect(
            certificate.extensions == [
                // basicConstraints: a CA, with none below it.
                .init(identifier: "2.5.29.19", isCritical: true, value: [UInt8](hex: "30 06 01 01 FF 02 01 00")),
                // keyUsage: keyCertSign and cRLSign.
                .init(identifier: "2.5.29.15", isCritical: true, value: [UInt8](hex: "03 02 01 06")),
                .init(identifier: "2.5.29.14", value: [0x04, 20] + identifier),
            ])
        #expect(certificate.notValidBefore == now.addingTimeInterval(-86_400))
        #expect(certificate.notValidAfter == now.addingTimeInterval((5 * 365 - 1) * 86_400))
        #expect(certificate.issuer == certificate.subject)
        #expect(ReadCertificate.isSigned(der, by: der))
        #expect(try !ReadCertificate.isSigned(der, by: LocalAuthority.temporary().certificate.der))
    }

    @Test(
        "its name says whose it is, and is never longer than a name may be",
        arguments: [
            ("laptop", "Unmask local authority (laptop, 2026-11-21)"),
            ("laptop.example.net", "Unmask local authority (laptop, 2026-11-21)"),
            ("", "Unmask local authority (2026-11-21)"), ("Bens, MacBook\u{7}", "Unmask local authority (BensMacBook, 2026-11-21)"),
            (String(repeating: "h", count: 64), "Unmask local authority (hhhhhhhhhhhhhhhhhhhhhhhhh, 2026-11-21)"),
        ])
    func name(host: String, expected: String) {
        let name = LocalAuthority.subjectName(host: host, day: "2026-11-21")
        #expect(name == expected)
        #expect(name.count <= 64)
    }

    @Test("of two that begin at once the faster one's authority is the one that both have")
    func race() throws {
        let folder = folder
        var faster: LocalAuthority?
        let slower = try LocalAuthority.loadOrCreate(in: folder, at: Date()) { faster = try? LocalAuthority.loadOrCreate(in: folder) }
        #expect(slower.certificate.der == faster?.certificate.der)
        #expect(ScratchFolder.names(in: folder.path) == ["authority"])
    }

    @Test("many programs that begin at once have one authority")
    func crowd() async throws {
        let data = scratch.path
        let paths = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask { try UnmaskProcess.run(["ca"], environment: ["XDG_DATA_HOME": data]).text }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(paths.count == 8)
        #expect(Set(paths).count == 1)
        #expect(paths.first?.hasPrefix("Unmask local authority (") == true)
    }

    @Test("a key that others may read is refused, with the command that mends it")
    func exposedKey() throws {
        _ = try LocalAuthority.loadOrCreate(in: folder)
        for mode in [0o640, 0o604, 0o620] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.keyPath)
            #expect(refusal()?.kind == .exposed)
            #expect(refusal()?.description.contains("chmod 600 \(folder.keyPath)") == true)
        }
    }

    @Test("folders where others may put an authority of theirs are refused")
    func exposedFolders() throws {
        _ = try LocalAuthority.loadOrCreate(in: folder)
        for (path, mode) in [(folder.pairPath, 0o770), (folder.path, 0o777)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(refusal()?.kind == .exposed)
            #expect(refusal()?.path == path)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }
        // A user's own group, and a folder in which nobody may replace what is not theirs.
        for mode in [0o770, 0o1777] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
            #expect(refusal() == nil)
        }
    }

    @Test("half a pair is never completed with something else: the error names the file that is missing")
    func halfAPair() throws {
        for missing in [folder.keyPath, folder.certificatePath] {
            _ = try LocalAuthority.loadOrCreate(in: folder)
            try FileManager.default.removeItem(atPath: missing)
            #expect(refusal()?.kind == .halfAPair)
            #expect(refusal()?.path == missing)
            #expect(refusal()?.description.contains("unmask ca remove") == true)
            _ = try LocalAuthority.delete(in: folder)
        }
    }

    @Test("damage is told from file to file")
    func damage() throws {
        let pem = try LocalAuthority.loadOrCreate(in: folder).certificate.pem
        let key = try String(contentsOfFile: folder.keyPath, encoding: .utf8)
        let other = try ScratchFolder()
        let stranger = try LocalAuthority.loadOrCreate(in: other.authority)
        let leaf = try stranger.issue(LeafRequest(dnsNames: ["a.example"]))
        let leafText = "-----BEGIN CERTIFICATE-----\n\(Data(leaf.certificate).base64EncodedString())\n-----END CERTIFICATE-----\n"
        let cases: [(certificate: String, key: String, blamed: String)] = [
            ("", key, folder.certificatePath), (String(pem.dropFirst(40)), key, folder.certificatePath),
            (pem.replacing("MII", with: "QII"), key, folder.certificatePath), (leafText, key, folder.certificatePath),
            (pem, "", folder.keyPath), (pem, String(key.dropLast(60)), folder.keyPath), (pem, pem, folder.keyPath),
            (pem, try String(contentsOfFile: other.authority.keyPath, encoding: .utf8), folder.keyPath),
            (String(repeating: "a", count: 70_000), key, folder.certificatePath),
        ]
        for (certificate, key, blamed) in cases {
            try scratch.write(certificate.utf8, to: "data/unmask/authority/unmask-authority.pem")
            try scratch.write(key.utf8, to: "data/unmask/authority/unmask-authority-key.pem", mode: 0o600)
            let error = refusal()
            #expect(error?.kind == .damaged)
            #expect(error?.path == blamed, "\(error?.description ?? "accepted")")
        }
    }

    @Test("an authority whose time is over says so, and what to do")
    func expired() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let end = try LocalAuthority.loadOrCreate(in: folder, at: now).certificate.notValidAfter
        #expect(refusal(at: end.addingTimeInterval(-1)) == nil)
        #expect(refusal(at: end)?.kind == .expired)
        #expect(refusal(at: end)?.description.contains("expired on 2032-01-13") == true)
        #expect(refusal(at: end)?.description.contains("unmask ca remove --yes") == true)
    }

    @Test("a folder that cannot be written is told apart from one that is not there")
    func unwritable() throws {
        let file = try scratch.write("a file".utf8, to: "file")
        for path in [file, file + "/below"] {
            do {
                _ = try LocalAuthority.loadOrCreate(in: AuthorityFolder(path: path))
                Issue.record("\(path) was taken for a folder")
            } catch {
                #expect(error.kind == .unwritable)
                #expect(error.description.contains("--ca-folder"))
            }
        }
    }

    @Test("it lies where XDG says, else below the home folder")
    func place() throws {
        func folder(_ variables: [String: String]) throws -> String { try AuthorityFolder.standard { variables[$0] }.path }
        #expect(try folder(["XDG_DATA_HOME": "/data", "HOME": "/home/ana"]) == "/data/unmask")
        #expect(try folder(["HOME": "/home/ana"]) == "/home/ana/.local/share/unmask")
        #expect(try folder(["XDG_DATA_HOME": "relative", "HOME": "/home/ana"]) == "/home/ana/.local/share/unmask")
        #expect(try folder(["XDG_DATA_HOME": "", "HOME": "/home/ana"]) == "/home/ana/.local/share/unmask")
        #expect(AuthorityFolder(path: "/data/").certificatePath == "/data/authority/unmask-authority.pem")
    }

    @Test("deleting takes the pair and leaves the rest of the folder")
    func deleting() throws {
        _ = try LocalAuthority.loadOrCreate(in: folder)
        try scratch.write("mine".utf8, to: "data/unmask/authority/notes")
        #expect(try LocalAuthority.delete(in: folder) == [folder.keyPath, folder.certificatePath])
        #expect(ScratchFolder.names(in: folder.pairPath) == ["notes"])
        #expect(try LocalAuthority.delete(in: folder) == [])
    }
}
