import Dissection
import NIOCore

/// On the network side of NIOSSL: lets ciphertext through, and keeps FIN, RST and close apart from it.
final class CiphertextHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let leg: TLSLeg
    /// NIOSSL was given bytes, and was not yet told that this is all.
    private var hasFed = false
    /// What a client may send only to the right server: its last flight of TLS 1.3, which holds its certificate.
    private var held: [(data: ByteBuffer, promise: EventLoopPromise<Void>?)] = []

    init(_ leg: TLSLeg) { self.leg = leg }

    func handlerAdded(context: ChannelHandlerContext) {
        leg.wireContext = context
        leg.wire = self
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leg.wireContext = nil
        leg.transportEnded()
        dropHeld()
        leg.wire = nil
    }

    // MARK: Inbound

    /// A read that was asked for before the channel was active is forgotten by NIO.
    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if leg.phase == .handshaking { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if leg.phase == .open, !leg.peerHasSentCloseNotify {
            hasFed = true
            context.fireChannelRead(data)
        } else if leg.phase == .handshaking {
            let bytes = unwrapInboundIn(data)
            if leg.identity != nil { leg.watch.receive(bytes) }
            leg.alertWatch.receive(bytes)
            leg.foreign.receive(bytes)
            leg.noteGrowth(bytes.readableBytes)
            hasFed = true
            context.fireChannelRead(data)
        } else if leg.isListening {
            leg.listen(unwrapInboundIn(data))
        } else if leg.peerHasSentCloseNotify {
            leg.drop(unwrapInboundIn(data))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard hasFed else {
            // Dropped: read on, the FIN comes after it.
            if leg.peerHasSentCloseNotify || leg.phase == .failed { context.read() }
            return
        }
        hasFed = false
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        deliver(context: context)
        leg.receivedFIN()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        leg.socketError = error
        // The socket is still open, and about to be closed.
        leg.noteArrival()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deliver(context: context)
        leg.transportEnded()
        context.fireChannelInactive()
    }

    /// NIOSSL keeps plaintext back until the read is complete; what ends the stream must not overtake it.
    private func deliver(context: ChannelHandlerContext) {
        guard hasFed else { return }
        hasFed = false
        context.fireChannelReadComplete()
    }

    // MARK: Outbound

    /// NIOSSL asks for more whenever a read brought no plaintext; after the handshake that is passed on only if the reader waits for some.
    func read(context: ChannelHandlerContext) {
        if leg.phase == .handshaking || leg.isWanted || leg.peerHasSentCloseNotify { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard leg.phase == .handshaking else { return context.write(data, promise: promise) }
        let bytes = unwrapOutboundIn(data)
        if leg.identity == nil {
            leg.watch.receive(bytes)
            // A request for another hello (RFC 8446 4.1.4) shows no certificate.
            if !leg.hasSentFlight, leg.watch.hello != nil {
                leg.hasSentFlight = true
                leg.wasPeerGone = PeerReach.hasPeerFinished(context.channel)
            }
        } else {
            leg.certificateWatch.receive(bytes)
            if bytes.holdsApplicationData || !held.isEmpty {
                held.append((bytes, promise))
                return
            }
        }
        context.write(data, promise: promise)
    }

    /// Only NIOSSL calls this: it closes because TLS has ended, and the socket has not.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) { promise?.succeed() }

    // MARK: The last flight

    /// Sends what was held.
    func sendHeld() {
        guard !held.isEmpty, let context = leg.wireContext else { return }
        let writes = held
        held = []
        for write in writes { context.write(wrapOutboundOut(write.data), promise: write.promise) }
        context.flush()
    }

    /// Forgets what was held: it was for another server.
    func dropHeld() {
        let writes = held
        held = []
        for write in writes { write.promise?.fail(ChannelError.ioOnClosedChannel) }
    }
}

extension ByteBuffer {
    /// Whether one of the TLS records that the buffer holds is of the content type under which TLS 1.3 sends all that is encrypted
    /// (RFC 8446 5.2).
    fileprivate var holdsApplicationData: Bool {
        let bytes = readableBytesSpan
        var cursor = TLSRecordCursor()
        var position = 0
        while let step = cursor.next(in: bytes, at: &position) {
            if case .header(let header) = step, header.contentType == 23 { return true }
        }
        return false
    }
}
