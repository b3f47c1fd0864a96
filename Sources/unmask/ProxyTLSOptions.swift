import ArgumentParser
import Interception

/// What is done about TLS: of every command with a proxy.
struct ProxyTLSOptions: ParsableArguments {
    @Flag(help: "Accept any certificate of the server.")
    var insecure = false

    @Option(
        name: .customLong("upstream-ca"),
        help: ArgumentHelp("Trust the authorities in this PEM file as well as the system's. Repeatable.", valueName: "file"))
    var upstreamCA: [String] = []

    @Option(
        name: .customLong("client-cert"),
        help: ArgumentHelp("Show this certificate to servers that ask for one: PEM, with its chain and perhaps its key.", valueName: "file")
    )
    var clientCert: String?

    @Option(
        name: .customLong("client-key"),
        help: ArgumentHelp("The key of --client-cert, where it is in a file of its own.", valueName: "file"))
    var clientKey: String?

    @Option(help: ArgumentHelp("Append the session secrets of both sides, in the format of SSLKEYLOGFILE.", valueName: "file"))
    var keys: String?

    @Option(help: ArgumentHelp("Do not open TLS to this host: a name or a pattern such as *.example.org. Repeatable.", valueName: "host"))
    var passthrough: [String] = []

    @Flag(name: .customLong("passthrough-on-failure"), help: "Do not open TLS again to a host whose client refused our certificate.")
    var passthroughOnFailure = false

    @Flag(
        name: .customLong("http1"), help: "Offer servers HTTP/1.1 and no HTTP/2, and select the same with clients: HTTP/2 is not decoded.")
    var http1 = false

    @Option(name: .customLong("ca-folder"), help: ArgumentHelp("Folder of the local CA.", valueName: "folder"))
    var caFolder: String?

    func settings() throws -> TLSSettings {
        for path in upstreamCA { try checkPath(path, of: "--upstream-ca") }
        try checkPath(clientCert, of: "--client-cert")
        try checkPath(clientKey, of: "--client-key")
        try checkPath(keys, of: "--keys", isWritten: true)
        try checkPath(caFolder, of: "--ca-folder", what: "folder")
        if clientKey != nil, clientCert == nil { throw ValidationError("--client-key goes with --client-cert.") }
        if insecure, !upstreamCA.isEmpty { throw ValidationError("--insecure verifies nothing; --upstream-ca does not go with it.") }
        var settings = TLSSettings()
        settings.isInsecure = insecure
        settings.upstreamAuthorities = upstreamCA
        settings.clientCertificate = clientCert
        settings.clientKey = clientKey
        settings.keyLog = keys
        settings.passthrough = try passthrough.map { text throws(SpecError) in try HostGlob(text) }
        settings.passesThroughOnFailure = passthroughOnFailure
        settings.speaksHTTP1 = http1
        settings.authorityFolder = caFolder
        return settings
    }
}
