import CertificateAuthority
import Foundation
import Testing

/// The programs of docs/certificates.md, told to trust the authority as it says there, and refusing the leaf where nobody told them.
@Suite("Real clients accept a leaf once they trust the authority, and not before", .serialized)
struct ClientTrustTests {
    let scratch: ScratchFolder
    let authority: LocalAuthority
    let server: LeafServer?
    var path: String { scratch.authority.certificatePath }
    var page: String { "https://localhost:\(server?.port ?? 0)/" }

    init() throws {
        scratch = try ScratchFolder()
        authority = try LocalAuthority.loadOrCreate(in: scratch.authority)
        let leaf = try authority.issue(LeafRequest(certificate: nil, serverName: "localhost", dialled: "127.0.0.1"))
        server = try LeafServer(leaf, in: scratch)
    }

    /// The program, if there is it and a server to talk to.
    private func client(_ name: String) -> Program? {
        guard server != nil, let program = Program(name) else {
            print("skipped: \(name) as a client of a leaf (there is no \(server == nil ? "openssl" : name))")
            return nil
        }
        return program
    }

    @Test("curl, by option and by variable")
    func curl() throws {
        guard let curl = client("curl") else { return }
        let arguments = ["-sS", "--noproxy", "*", "--max-time", "20"]
        #expect(try curl.run(arguments + [page]).status == 60)
        for address in [page, page.replacing("localhost", with: "127.0.0.1")] {
            let outcome = try curl.run(arguments + ["--cacert", path, address])
            #expect(outcome.text.contains("s_server"), "\(outcome.text)")
        }
        #expect(try curl.run(arguments + [page], environment: ["CURL_CA_BUNDLE": path]).text.contains("s_server"))
    }

    @Test("Node")
    func node() throws {
        guard let node = client("node") else { return }
        let script = """
            require('https').get('\(page)', { agent: false }, (r) => r.pipe(process.stdout)).on('error', (e) => { console.log(e.code); process.exitCode = 1 })
            """
        let refused = try node.run(["-e", script])
        #expect(refused.status == 1)
        #expect(refused.text.contains("SELF_SIGNED_CERT_IN_CHAIN"))
        let outcome = try node.run(["-e", script], environment: ["NODE_EXTRA_CA_CERTS": path])
        #expect(outcome.text.contains("s_server"), "\(outcome.text)")
    }

    @Test("Python, with the variable that its ssl module reads and with a context")
    func python() throws {
        guard let python = client("python3") else { return }
        let fetch = "import sys, urllib.request as r, ssl; print(r.urlopen('\(page)', timeout=20%@).read().decode())"
        let plain = ["-c", String(format: fetch, "")]
        #expect(try python.run(plain).text.contains("CERTIFICATE_VERIFY_FAILED"))
        #expect(try python.run(plain, environment: ["SSL_CERT_FILE": path]).text.contains("s_server"))
        let outcome = try python.run(["-c", String(format: fetch, ", context=ssl.create_default_context(cafile='\(path)')")])
        #expect(outcome.text.contains("s_server"), "\(outcome.text)")
    }

    @Test("Java, with a key store of its own")
    func java() throws {
        guard let java = client("java"), let keytool = client("keytool") else { return }
        let store = scratch.path + "/trust.p12"
        let program = """
            public class Fetch {
                public static void main(String[] words) throws Exception {
                    try (var page = new java.net.URL(words[0]).openStream()) { System.out.println(new String(page.readAllBytes())); }
                }
            }
            """
        let source = try scratch.write(program.utf8, to: "Fetch.java")
        let imported = try keytool.run(
            ["-importcert", "-noprompt", "-alias", "unmask", "-file", path, "-keystore", store, "-storepass", "changeit"])
        #expect(imported.status == 0, "\(imported.text)")
        #expect(try java.run([source, page]).text.contains("PKIX path building failed"))
        let outcome = try java.run(["-Djavax.net.ssl.trustStore=\(store)", "-Djavax.net.ssl.trustStorePassword=changeit", source, page])
        #expect(outcome.text.contains("s_server"), "\(outcome.text)")
    }

    @Test("Chromium, once ca install has entered it in the user's database")
    func chromium() throws {
        guard let chromium = client("chromium"), client("certutil") != nil else { return }
        let arguments = [
            "--headless", "--disable-gpu", "--no-sandbox", "--no-proxy-server", "--user-data-dir=\(scratch.path)/profile",
            "--virtual-time-budget=10000", "--dump-dom", page,
        ]
        let environment = ["HOME": scratch.path + "/home"]
        #expect(try !chromium.run(arguments, environment: environment).text.contains("s_server"))
        var surroundings = Surroundings.here
        surroundings.home = scratch.path + "/home"
        surroundings.dataFolder = scratch.path + "/home/.local/share"
        for action in [TrustPlan.Action.install, .remove] {
            let plan = TrustPlan(action, certificate: authority.certificate, path: path, scope: .nss, surroundings: surroundings)
            #expect(plan.places.first?.carryOut() == .done)
            let outcome = try chromium.run(arguments, environment: environment)
            #expect(outcome.text.contains("s_server") == (action == .install), "\(outcome.text)")
        }
    }
}
