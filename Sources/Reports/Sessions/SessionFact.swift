import Dissection

/// What a record means for the tables of conversations, exchanges and findings.
package indirect enum SessionFact: Sendable {
    /// An end of a conversation.
    package struct End: Sendable {
        package var address: [UInt8]
        package var port: UInt16
        package var name: [UInt8]
    }

    case opened(client: End, server: End, transport: StaticString)
    /// What the conversation is called, and what is spoken in it, as far as is known by now.
    case named(host: [UInt8], spoken: [UInt8], path: [UInt8])
    case request(exchange: UInt64, method: [UInt8], target: [UInt8], host: [UInt8], name: (host: [UInt8], spoken: [UInt8], path: [UInt8])?)
    case response(exchange: UInt64, status: UInt16, latency: Int64?)
    case finding(id: StaticString, severity: Severity, reference: StaticString, detail: [UInt8])
    case closed(Closing, spoken: [UInt8], worst: Severity?, findings: UInt64)
}
