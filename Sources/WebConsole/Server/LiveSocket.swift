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
    }

    /// What was said of a view last.
    private struct Seen: Equatable {
        var total: Int64
        var scanned: Int64
        var isComplete: Bool
    }

    static let mostFrame = 1 << 14
    /// Between two times that it is sent how much there is. A session file grows ten times a second: a little less than twice that.
    private static let interval = TimeAmount.milliseconds(190)
    /// Where nothing has reported that there is more for so long, as for a file of which this process reads alone, the page's own ticks look.
    private static let pause = TimeAmount.milliseconds(400)
    private static let tick = TimeAmount.milliseconds(100)
    /// What a page has for its token.
    private static let patience = TimeAmount.seconds(5)
    /// Ticks for which a page may leave unread what it was sent.
    private static let mostUnread = 600

    private let console: Console
    private let rules: AccessRules
    private let connections: Connections
    private var ticks: RepeatedTask?
    private var timer: Scheduled<Void>?
    private var isKnown = false
    private var isClosing = false
    private var isWriting = false
    /// The last ping that came while something was on its way: it alone has a pong (RFC 6455, section 5.5.3).
    private var awaitedPong: ByteBuffer?
    private var unread = 0
    private var lastLook = NIODeadline.uptimeNanoseconds(0)
    private var view: String?
    private var lastCounts: Counts?
    private var lastView: Seen?

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
        ticks?.cancel()
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
        case .ping: write(.pong, frame.unmaskedData, context)
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
            view = name.string.map { String(decoding: $0, as: UTF8.self) }
            lastView = nil
        }
        console.views.scan()
        send(context)
    }

    private func begin(_ context: ChannelHandlerContext) {
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.tick) { _ in
            let (socket, context) = box.value
            socket.tick(context)
        }
        console.views.growth.wait(self) { [loop = context.eventLoop] in
            loop.execute {
                let (socket, context) = box.value
                if NIODeadline.now() - socket.lastLook >= Self.interval { socket.send(context) }
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
            send(context)
        }
    }

    private func send(_ context: ChannelHandlerContext) {
        guard !isClosing, !isWriting, context.channel.isActive else { return }
        unread = 0
        lastLook = .now()
        let now = Counts(counts: console.store.lastCounts, isFinished: console.store.isFinished)
        if now != lastCounts {
            lastCounts = now
            var composer = JSONComposer(isCompact: true)
            composer.object { object in
                object.member("rows", now.counts.rows)
                object.member("messages", now.counts.messages)
                object.member("conversations", now.counts.conversations)
                object.member("finished", now.isFinished)
            }
            write(.text, ByteBuffer(bytes: composer.finish()), context)
        }
        guard let view else { return }
        guard let shown = console.views.view(view) else { return writeLoss(of: view, context) }
        let progress = shown.progress
        let seen = Seen(
            total: progress.total, scanned: progress.scanned, isComplete: progress.scanned >= now.counts.rows && now.isFinished)
        guard seen != lastView else { return }
        lastView = seen
        var composer = JSONComposer(isCompact: true)
        composer.object { object in
            object.member("view", view)
            console.add(shown, to: &object)
        }
        write(.text, ByteBuffer(bytes: composer.finish()), context)
    }

    /// The view went for those of other pages: this page makes its own anew, and names that.
    private func writeLoss(of name: String, _ context: ChannelHandlerContext) {
        view = nil
        var composer = JSONComposer(isCompact: true)
        composer.object { object in
            object.member("view", name)
            object.member("gone", true)
        }
        write(.text, ByteBuffer(bytes: composer.finish()), context)
    }

    private func write(_ opcode: WebSocketOpcode, _ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        isWriting = true
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in
            let (socket, context) = box.value
            socket.isWriting = false
            guard let pong = socket.awaitedPong else { return }
            socket.awaitedPong = nil
            if !socket.isClosing, context.channel.isActive { socket.write(.pong, pong, context) }
        }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: bytes)), promise: written)
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
