import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Answers the requests of one connection, one after another: the next one when the client has taken the response before it, so that no more
/// than one response waits for a client that does not read.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Bytes of a body.
    static let mostBody = 1 << 20

    private let console: Console
    private let rules: AccessRules
    private let connections: Connections
    private let gate: HeadGate
    private var head: HTTPRequestHead?
    private var route: Route?
    private var body: [UInt8] = []
    /// The request was answered before it was whole; the connection is closed after that.
    private var isOver = false
    /// The response before is on its way.
    private var isWriting = false
    /// A request is whole that waits for that.
    private var isHeld = false

    init(_ console: Console, _ rules: AccessRules, _ connections: Connections, _ gate: HeadGate) {
        (self.console, self.rules, self.connections, self.gate) = (console, rules, connections, gate)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes):
            guard body.count + bytes.readableBytes <= Self.mostBody else {
                return end(.error(413, "the body is longer than 1 MiB"), context, closes: true)
            }
            body.append(contentsOf: bytes.readableBytesView)
        case .end: if isWriting { isHeld = true } else { answerWhole(context) }
        }
    }

    private func answerWhole(_ context: ChannelHandlerContext) { if let route { answer(route, context) } }

    /// The system has the response: the next request gets its own. Not from within the write, which would nest as deep as there are requests.
    private func responseIsTaken(_ context: ChannelHandlerContext) {
        isWriting = false
        guard isHeld else { return }
        isHeld = false
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, context) = box.value
            guard context.channel.isActive else { return }
            handler.answerWhole(context)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        gate.headIsWhole()
        (self.head, route, body) = (head, nil, [])
        do {
            try rules.check(hosts: head.headers["Host"], origins: head.headers["Origin"])
            guard let target = RequestTarget(head.uri) else { return end(.error(400, "the target is not valid"), context, closes: true) }
            // Without a token no response says what there is.
            if target.path.first == "api" {
                try rules.check(authorizations: head.headers["Authorization"])
                connections.trust(context.channel)
            }
            let route = try Route(head.method.rawValue, target)
            if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), length > Self.mostBody {
                return end(.error(413, "the body is longer than 1 MiB"), context, closes: true)
            }
            self.route = route
        } catch let refusal as AccessRules.Refusal {
            end(.error(refusal.status, refusal.sentence), context, closes: true)
        } catch let problem as Route.Problem {
            // A body may follow, which is not read.
            switch problem {
            case .unknown: end(.noSuchThing, context, closes: true)
            case .query(let sentence): end(.error(400, sentence), context, closes: true)
            case .method(let allowed):
                var response = ConsoleResponse.error(405, "the method is not allowed here")
                response.fields = [("Allow", allowed)]
                end(response, context, closes: true)
            }
        } catch {
            end(.error(500, "\(error)"), context, closes: true)
        }
    }

    private func answer(_ route: Route, _ context: ChannelHandlerContext) {
        let console = console
        func hand(_ response: ConsoleResponse) { end(response, context, closes: head?.isKeepAlive != true) }
        switch route {
        case .asset(let name):
            guard let file = Assets.file(named: name) else { return hand(.noSuchThing) }
            var response = ConsoleResponse(type: file.type, body: file.bytes.withUTF8Buffer { Array($0) })
            // A module names those that it needs only once it is there: four round trips, one after another.
            if name == "index.html" { response.fields = [("Link", Assets.preload)] }
            return hand(response)
        case .live: return hand(.error(426, "only a WebSocket is to be had here"))
        case .makeView: return hand(console.makeView(body))
        case .closeView(let name): return hand(console.views.close(name) ? .object { _ in } : .noSuchThing)
        case .complete: return hand(console.complete(body))
        case _: break
        }
        let view: ConsoleView?
        switch route {
        case .rows(let name, _, _), .position(let name, _), .timeline(let name, _), .statistics(let name):
            guard let found = console.views.view(name) else { return hand(.error(404, "the view was closed")) }
            view = found
        case _: view = nil
        }
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let body = body
        let worker = route.takesLong ? console.slow : console.quick
        worker.run(for: context.eventLoop) { () -> ConsoleResponse in
            do {
                let response = try console.response(to: route, view, body)
                if route.showsFile { try console.store.check() }
                return response
            } catch {
                if console.store.isOverwritten { return .error(500, "\(ConsoleStore.Overwritten())") }
                return .error(500, "the session file cannot be read: \(error)")
            }
        }.whenComplete { result in
            let (handler, context) = box.value
            let closes = handler.head?.isKeepAlive != true
            switch result {
            case .success(let response): handler.end(response, context, closes: closes)
            case .failure: handler.end(.error(503, "the console is closing"), context, closes: true)
            }
        }
    }

    private func end(_ response: ConsoleResponse, _ context: ChannelHandlerContext, closes: Bool) {
        guard !isOver, context.channel.isActive else { return }
        isOver = closes
        let isHead = head?.method == .HEAD
        (route, body) = (nil, [])
        isWriting = true
        gate.responseIsWritten()
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        ResponseWriter.write(response, to: context, closes: closes, isHead: isHead).whenComplete { _ in
            let (handler, context) = box.value
            handler.responseIsTaken(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The decoder's are answered before.
        if error is NIOWebSocketUpgradeError { return }
        context.close(promise: nil)
    }
}

extension Console {
    /// What there is to be said, on the thread that the page waits for.
    fileprivate func response(to route: Route, _ view: ConsoleView?, _ body: [UInt8]) throws -> ConsoleResponse {
        switch route {
        case .state: return try state()
        case .rows(_, let start, let count):
            guard let view else { return .noSuchThing }
            return try rows(of: view, from: start, count: count)
        case .position(_, let id):
            guard let view else { return .noSuchThing }
            return position(in: view, of: id)
        case .timeline(_, let buckets):
            guard let view else { return .noSuchThing }
            return try timeline(of: view, buckets: buckets)
        case .statistics:
            guard let view else { return .noSuchThing }
            return try statistics(of: view)
        case .conversations(let start, let count, let order, let isDescending, let match):
            return try conversations(from: start, count: count, by: order, isDescending: isDescending, match: match)
        case .notes: return try notes()
        case .addNote: return addNote(body)
        case .conversation(let number): return try conversation(number)
        case .page(let number, let isRedacted): return try page(of: number, isRedacted: isRedacted)
        case .differences(let old, let new, let areConversations):
            return try differences(between: old, and: new, areConversations: areConversations)
        case .record(let id): return try record(id)
        case .payload(let id, let start, let count): return try payload(id, from: start, count: count)
        case .asset, .live, .makeView, .closeView, .complete: return .noSuchThing
        }
    }
}
