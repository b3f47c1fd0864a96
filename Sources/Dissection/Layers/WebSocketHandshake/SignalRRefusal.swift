/// What a server of ASP.NET Core SignalR says with a 404 to a request whose connection id it does not know (HttpConnectionDispatcher.cs of
/// dotnet/aspnetcore).
enum SignalRRefusal {
    private static let longestBody = 64

    /// Nil where the body says something else.
    static func words(body: RawSpan, target: [UInt8]) -> [UInt8]? {
        guard body.byteCount <= longestBody, body.hasPrefix("no connection with that id", at: 0) else { return nil }
        let id = EngineIOTarget.value("id=", in: target.rawBytes)
        guard !id.isEmpty else { return nil }
        var text = FindingText()
        text.append("the SignalR server does not know the connection ")
        text.append(id, most: 40)
        text.append(
            ": it has ended, or belongs to another server; several servers need sticky sessions, or clients that skip the negotiation")
        return text.bytes
    }
}

extension FindingRow {
    package static let httpSignalRRefused = FindingRow(
        id: "http.signalr-refused", severity: .warning, reference: "",
        detail: "{text}",
        explanation: """
            SignalR of ASP.NET Core begins with a request to negotiate, whose response has the id of a connection, and goes on with that id. A \
            server that does not know it says so with 404 and "No Connection with that ID": where a load balancer sends the requests of one \
            connection to several servers (aspnet/SignalR issue 984, dotnet/aspnetcore issue 9917), or after a restart. Sticky sessions help, as do \
            clients that use WebSockets alone and skip the negotiation (learn.microsoft.com/aspnet/core/signalr/scale). The same response to the \
            request of a WebSocket is in `websocket.refused`.
            """)
}
