import NIOCore
import NIOWebSocket
import Reports
import Sessions

/// Sends one page how much there is, as it grows: at most five times a second, and only when something has changed.
///
/// A page that does not read gets nothing more: no more than one write waits for it. It is closed when that takes too long.
final class LiveSocket: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private struct Counts: Equatable {
        var counts: SessionCounts
        var isFinished: Bool
        var problem: String?
    }

    static let mostFrame = 1 << 14
    /// Between two times that it is sent how much there is. A session file grows ten times a second: a little less than twice that.
    private static let interval = TimeAmount.milliseconds(190)
    /// Where nothing has reported that there is more for so long, as for a file of which this process reads alone, the page's own ticks look.
    private static let pause = TimeAmount.milliseconds(400)
    /// What a page has for its token.
    private static let patience = TimeAmount.seconds(5)
    /// Ticks for which a page may leave unread what it was sent.
    private static let mostUnread = 300

    private let console: Console
    private let rules: AccessRules
    private let connections: Connections
    private var timer: Scheduled<Void>?
    private var isKnown = false
    private var isClosing = false
    private var isWriting = false {
        didSet { newest.note(isWriting: isWriting) }
    }
    /// The last ping that came while something was on its way: it alone has a pong (RFC 6455, section 5.5.3).
    private var awaitedPong: ByteBuffer?
    private var unread = 0
    private var lastLook = NIODeadline.uptimeNanoseconds(0) {
        didSet { newest.look(at: lastLook) }
    }
    private var lastCounts: Counts?
    private let newest = NewestRows()

    init(_ console: Console, _ rules: AccessRules, _ connections: Connections) {
        (self.console, self.rules, self.connections) = (console, rules, connections)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: Self.patience) {
            let (socket, context) = box.value
            if !socket.isKnown { socket.close(context, .policyViolation) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    private func stop() {
        timer?.cancel()
        console.ticks.leave(self)
        console.views.growth.leave(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !isClosing else { return }
        // A client masks what it sends (RFC 6455, section 5.1).
        guard frame.maskKey != nil else { return close(context, .protocolError) }
        switch frame.opcode {
        case .text where frame.fin: take(Array(frame.unmaskedData.readableBytesView), context)
        case .ping where isWriting: awaitedPong = frame.unmaskedData
        case .ping: write(.pong, [frame.unmaskedData], context)
        case .pong: break
        case .connectionClose: close(context, .normalClosure)
        case _: close(context, .unacceptableData)
        }
    }

    private func take(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard let message = JSONValue(bytes, mostLevels: 4), case .object = message else { return close(context, .unacceptableData) }
        guard isKnown else {
            guard let token = message["token"]?.string, (try? rules.check(token: token)) != nil else {
                return close(context, .policyViolation)
            }
            isKnown = true
            connections.trust(context.channel)
            begin(context)
            return
        }
        if let name = message["view"] {
            let count = message["newest"]?.unsigned.flatMap(Int64.init(exactly:)) ?? 0
            newest.look(at: name.string.map { String(decoding: $0, as: UTF8.self) }, count: count)
        }
        console.views.scan()
        send(context)
    }

    private func begin(_ context: ChannelHandlerContext) {
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        console.ticks.join(self, on: context.eventLoop) {
            let (socket, context) = box.value
            socket.tick(context)
        }
        context.eventLoop.execute {
            let (socket, context) = box.value
            socket.tick(context)
        }
        console.views.growth.wait(self) { [loop = context.eventLoop, newest, console] in
            guard newest.isDue(Self.interval) else { return }
            let message = newest.message(console)
            loop.execute {
                let (socket, context) = box.value
                if NIODeadline.now() - socket.lastLook >= Self.interval { socket.send(context, message) }
            }
        }
    }

    private func tick(_ context: ChannelHandlerContext) {
        if isWriting {
            unread += 1
            if unread > Self.mostUnread { context.close(promise: nil) }
        } else if NIODeadline.now() - lastLook >= Self.pause {
            // The thread that scans also counts, for all pages.
            console.views.scan()
            guard newest.isFollowed else { return send(context) }
            let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            console.scans.submit { [newest, console, loop = context.eventLoop] in
                let message = newest.message(console)
                loop.execute {
                    let (socket, context) = box.value
                    socket.send(context, message)
                }
            }
        }
    }

    /// - Parameter rows: the newest rows, where the page follows them.
    private func send(_ context: ChannelHandlerContext, _ rows: NewestRows.Message? = nil) {
        guard !isClosing, !isWriting, context.channel.isActive else { return }
        unread = 0
        lastLook = .now()
        var messages: [ByteBuffer] = []
        defer { write(.text, messages, context) }
        let now = Counts(counts: console.store.lastCounts, isFinished: console.store.isFinished, problem: console.store.problem)
        if now != lastCounts {
            lastCounts = now
            var composer = JSONComposer(isCompact: true)
            composer.object { object in
                object.member("rows", now.counts.rows)
                object.member("messages", now.counts.messages)
                object.member("conversations", now.counts.conversations)
                object.member("finished", now.isFinished)
                object.member("problem", now.problem?.visible)
            }
            messages.append(ByteBuffer(bytes: composer.finish()))
        }
        guard let view = newest.view else { return }
        guard let shown = console.views.view(view) else { return messages.append(loss(of: view)) }
        if let rows, rows.view == view {
            newest.note(rows.seen)
            return messages.append(ByteBuffer(bytes: rows.bytes))
        }
        let seen = NewestRows.Seen(shown.progress, console.store)
        guard seen != newest.seen else { return }
        newest.note(seen)
        var composer = JSONComposer(isCompact: true)
        composer.object { object in
            object.member("view", view)
            console.add(shown, to: &object)
        }
        messages.append(ByteBuffer(bytes: composer.finish()))
    }

    /// The view went for those of other pages: this page makes its own anew, and names that.
    private func loss(of name: String) -> ByteBuffer {
        newest.look(at: nil, count: 0)
        var composer = JSONComposer(isCompact: true)
        composer.object { object in
            object.member("view", name)
            object.member("gone", true)
        }
        return ByteBuffer(bytes: composer.finish())
    }

    /// Writes frames at once.
    private func write(_ opcode: WebSocketOpcode, _ messages: [ByteBuffer], _ context: ChannelHandlerContext) {
        guard let last = messages.last else { return }
        isWriting = true
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in
            let (socket, context) = box.value
            socket.isWriting = false
            guard let pong = socket.awaitedPong else { return }
            socket.awaitedPong = nil
            if !socket.isClosing, context.channel.isActive { socket.write(.pong, [pong], context) }
        }
        for bytes in messages.dropLast() {
            context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: bytes)), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: last)), promise: written)
    }

    private func close(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode) {
        guard !isClosing else { return }
        isClosing = true
        stop()
        var bytes = ByteBuffer()
        bytes.write(webSocketErrorCode: code)
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in LingeringEnd.close(channel) }
        // One that does not read is not waited for.
        context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: bytes)), promise: written)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Frames that are none: the decoder takes nothing more.
        close(context, .protocolError)
    }
}
