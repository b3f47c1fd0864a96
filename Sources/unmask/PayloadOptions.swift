import ArgumentParser
import Libc
import Reports

/// What the user says of payloads: their formats, and the message types of protobuf.
struct PayloadOptions: ParsableArguments {
    @Option(
        name: .customLong("payload-as"),
        help: ArgumentHelp(
            """
            Take payloads for a format, such as tcp.port=7000=msgpack or path=/ws,from=client=protobuf:chat.Envelope; conditions are \
            tcp.port, host, path, subprotocol, content-type and from, * stands for all payloads, and the format none for not decoding. \
            The first that fits counts. Repeatable. Records are decoded as with --decoded.
            """,
            valueName: "rule"))
    var payloadAs: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A .proto file, or a descriptor set of protoc, with the message types that --payload-as names and the services of gRPC. \
            Repeatable.
            """,
            valueName: "file"),
        completion: .file(extensions: ["proto", "pb", "protoset"]))
    var proto: [String] = []

    @Option(
        name: .customLong("proto-path"),
        help: ArgumentHelp(
            "A folder that the imports of --proto start from; the folder of each file is one without this. Repeatable.", valueName: "folder"
        ),
        completion: .directory)
    var protoPath: [String] = []

    func validate() throws {
        for path in proto { try checkPath(path, of: "--proto") }
        for path in protoPath { try checkPath(path, of: "--proto-path", what: "folder") }
        if !protoPath.isEmpty, proto.isEmpty { throw ValidationError("--proto-path goes with --proto.") }
        do {
            _ = try table()
        } catch let error as PayloadRuleError {
            throw ValidationError("--payload-as \(error)")
        } catch let error as ProtoError {
            throw ValidationError("--proto: \(error)")
        }
    }

    /// Whether records are decoded without --decoded.
    var isGiven: Bool { !payloadAs.isEmpty || !proto.isEmpty }

    /// The formats, with the rules and the message types. That they can be made was seen when the options were looked at.
    var formats: PayloadTable { (try? table()) ?? .standard }

    private func table() throws -> PayloadTable { try PayloadTable.standard.with(rules: payloadAs, schema: try schema()) }

    private func schema() throws -> ProtobufSchema? {
        guard !proto.isEmpty else { return nil }
        let folders = protoPath.map(ProtoFolders.plain)
        var sources: [ProtoSource] = []
        var around: [String] = []
        for path in proto {
            let path = ProtoFolders.plain(path)
            guard let bytes = WholeFile.read(path) else {
                throw ValidationError("--proto \(path): the file cannot be read, or is larger than 64 MiB.")
            }
            // Imports name a file by its path from one of the folders.
            if let folder = folders.first(where: { path.hasPrefix($0 + "/") }) {
                sources.append(ProtoSource(name: String(path.dropFirst(folder.count + 1)), bytes: bytes))
            } else {
                let slash = path.lastIndex(of: "/")
                around.append(slash.map { String(path[..<$0]) } ?? ".")
                sources.append(ProtoSource(name: slash.map { String(path[path.index(after: $0)...]) } ?? path, bytes: bytes))
            }
        }
        return try ProtobufSchema.load(sources) { name in
            // A name of an import leads to no other folder.
            guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else { return nil }
            for folder in folders + around {
                if let bytes = WholeFile.read("\(folder)/\(name)") { return bytes }
            }
            return nil
        }
    }
}

/// The files of `--proto`.
enum ProtoFolders {
    /// Without `./` before it and a slash after it.
    static func plain(_ path: String) -> String {
        var path = path[...]
        while path.hasPrefix("./"), path.count > 2 { path = path.dropFirst(2) }
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }
}
