import Dissection

/// A file that the user gave: a `.proto` file, or a descriptor set, which has any other ending.
package struct ProtoSource: Sendable {
    /// The name that imports use for it: the path from the folder of `--proto-path` that it lies in.
    package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

extension ProtobufSchema {
    /// Makes a schema of files and of all that they import. The well-known types of `google/protobuf` are there without a file.
    ///
    /// - Parameters:
    ///   - imported: the content of a file by the name that an import gives; nil where there is none.
    /// - Throws: `ProtoError` with the file, and with the line and the column in `.proto` files.
    package static func load(
        _ sources: [ProtoSource], imported: (_ name: String) -> [UInt8]?
    ) throws(ProtoError) -> ProtobufSchema {
        var loading = ProtoLoading()
        for source in sources where !source.name.hasSuffix(".proto") {
            for file in try ProtoDescriptors.read(source.bytes.rawBytes, name: source.name) { loading.add(file) }
        }
        for source in sources where source.name.hasSuffix(".proto") { loading.given[source.name] = source.bytes }
        for source in sources where source.name.hasSuffix(".proto") {
            try loading.load(.init(name: source.name, place: nil), by: source.name, imported)
        }
        // A set without what it imports is fine as long as no type is missing.
        for reference in loading.files.flatMap(\.imports) where loading.isMissing(reference.name) {
            guard WellKnownTypes.files[reference.name] != nil || imported(reference.name) != nil else { continue }
            try loading.load(reference, by: reference.name, imported)
        }
        return try ProtoLinking.schema(of: loading.files)
    }
}

/// Files with all that they import, each once.
private struct ProtoLoading {
    var given: [String: [UInt8]] = [:]
    private(set) var files: [ProtoFile] = []
    private var known: Set<String> = []
    /// Those that are being loaded, each imported by the one before.
    private var open: [String] = []
    private static let (mostFiles, mostOpen) = (10_000, 100)

    func isMissing(_ name: String) -> Bool { !known.contains(name) }

    mutating func add(_ file: ProtoFile) {
        if known.insert(file.name).inserted { files.append(file) }
    }

    /// - Parameter importer: the file that has the reference, for errors.
    mutating func load(_ reference: ProtoFile.Reference, by importer: String, _ imported: (String) -> [UInt8]?) throws(ProtoError) {
        let name = reference.name
        if let first = open.firstIndex(of: name) {
            let circle = (open[first...] + [name]).joined(separator: " → ")
            throw ProtoError(importer, reference.place, "\(name) imports itself: \(circle)")
        }
        guard known.insert(name).inserted else { return }
        guard open.count < Self.mostOpen, known.count <= Self.mostFiles else {
            throw ProtoError(
                importer, reference.place,
                "more than \(Self.mostOpen) files import each other in a row, or more than \(Self.mostFiles) in all")
        }
        guard let bytes = given[name] ?? imported(name) ?? WellKnownTypes.files[name].map({ Array($0.description.utf8) }) else {
            throw ProtoError(importer, reference.place, "\(name) was not found; --proto-path names the folder that imports start from")
        }
        let file = try ProtoParser.parse(bytes, name: name)
        open.append(name)
        for reference in file.imports { try load(reference, by: name, imported) }
        open.removeLast()
        files.append(file)
    }
}
