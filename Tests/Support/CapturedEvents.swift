import CaptureFiles
package import Dissection

/// Tells a sink what is in a capture, as far as it can be read.
package func tell<Sink: ConversationSink & ~Copyable>(capture path: String, to sink: inout Sink) throws {
    var dissector = Dissector(seed: 1)
    var reader = try CaptureReader(path: path)
    while let item = try? reader.next() {
        if case .packet(let packet) = item { dissector.receive(packet, sink: &sink) }
    }
    dissector.finish(sink: &sink)
}
