/// Opens the records of a connection with the secrets that are at hand, in the order in which they came. It reads the handshake itself,
/// clear or opened, because what it says changes the keys: hellos (HelloRetryRequest, renegotiation and resumption among them),
/// ChangeCipherSpec, EndOfEarlyData, Finished, KeyUpdate.
///
/// Holds no more than one hello of each side; the content of a record is in the caller's buffer, which grows to one record and is used again.
package struct DecryptedConnection {
    private let decryption: TLSDecryption
    private var client = DecryptedDirection(side: .client)
    private var server = DecryptedDirection(side: .server)
    private var clientMessages = HandshakeMessages(reading: [1])
    // ServerHello and EncryptedExtensions.
    private var serverMessages = HandshakeMessages(reading: [2, 8])
    private var clientRandom: TLSRandom?
    /// The client has said hello, and the server not yet.
    private var awaitsServerHello = false
    /// What the hellos agreed on last; up to TLS 1.2 it holds after ChangeCipherSpec.
    package private(set) var session: TLSSession?
    /// What holds in each direction; up to TLS 1.2 the two change at different times.
    private var clientSession: TLSSession?
    private var serverSession: TLSSession?

    /// What the server's EncryptedExtensions say (RFC 8446, section 4.3.1); nil until they were read.
    package private(set) var extensions: EncryptedExtensions?

    package init(_ decryption: TLSDecryption) { self.decryption = decryption }

    /// Whether a secret is known of what the hellos agreed on last.
    package var knowsSecrets: Bool {
        guard let session else { return false }
        let labels: [TLSSecretLabel] =
            session.isTLS13
            ? [.handshake(.server), .handshake(.client), .traffic(.server, generation: 0), .traffic(.client, generation: 0)] : [.master]
        return labels.contains { decryption.secrets.secret($0, of: session.clientRandom) != nil }
    }

    /// Whether the next record of a side is encrypted under a secret that is not known.
    package func lacksSecret(for header: TLSRecordHeader, from side: Side) -> Bool {
        guard !isClear(header, from: side), let session = side == .client ? clientSession : serverSession else { return false }
        return (side == .client ? client : server).lacksSecret(of: session, decryption)
    }

    /// Bytes of hellos that are not whole.
    package var heldBytes: Int { clientMessages.kept.count + serverMessages.kept.count }

    /// Opens the next record of a side, all of whose fragment is there.
    ///
    /// - Parameter buffer: takes the content at its beginning; see `TLSRecordOpener`.
    package mutating func open(
        _ header: TLSRecordHeader, _ fragment: RawSpan, from side: Side, into buffer: inout [UInt8]
    ) -> TLSOpening {
        if isClear(header, from: side) {
            if let plaintext = openAfterLoss(header, fragment, from: side, into: &buffer) {
                read(plaintext, in: buffer, from: side)
                return .plaintext(plaintext)
            }
            if header.contentType == 22 {
                readHandshake(fragment, from: side)
            } else if header.contentType == 20 {
                changeCipher(of: side)
            }
            return .clear
        }
        let opened =
            if side == .client {
                Self.open(header, fragment, by: &client, session: clientSession, earlyRandom: clientRandom, decryption, into: &buffer)
            } else {
                Self.open(header, fragment, by: &server, session: serverSession, earlyRandom: nil, decryption, into: &buffer)
            }
        switch opened {
        case .failure(let reason):
            if let plaintext = openAfterLoss(header, fragment, from: side, into: &buffer) {
                read(plaintext, in: buffer, from: side)
                return .plaintext(plaintext)
            }
            messagesWereLost(of: side)
            return .sealed(reason)
        case .success(let plaintext):
            read(plaintext, in: buffer, from: side)
            return .plaintext(plaintext)
        }
    }

    /// What an opened record changes.
    private mutating func read(_ plaintext: TLSPlaintext, in buffer: [UInt8], from side: Side) {
        switch plaintext.contentType {
        case 22: readHandshake(buffer.rawBytes.extracting(0..<plaintext.length), from: side)
        case 20: changeCipher(of: side)
        default: break  // Nothing else changes keys.
        }
    }

    /// The session, or what it will be where only early data has come so far.
    var likelySession: TLSSession? {
        session ?? clientRandom.map { TLSSession(version: 0x0304, cipherSuite: 0x1301, clientRandom: $0, serverRandom: $0) }
    }

    /// Those that hold in a direction, as far as was seen.
    package func keys(of side: Side) -> TLSKeys { side == .client ? client.keys : server.keys }

    /// Opens a record with what was agreed on last, where the side does not use that yet, as far as was seen.
    private mutating func openAfterLoss(
        _ header: TLSRecordHeader, _ fragment: RawSpan, from side: Side, into buffer: inout [UInt8]
    ) -> TLSPlaintext? {
        guard let session, !session.isTLS13, !session.isCompressed, session != (side == .client ? clientSession : serverSession) else {
            return nil
        }
        // ChangeCipherSpec itself is clear in the first handshake.
        if header.contentType == 20, header.fragmentLength == 1 { return nil }
        if side == .client {
            guard
                let plaintext = client.openAfterLoss(header, fragment, session: session, decryption: decryption, into: &buffer)
            else { return nil }
            clientSession = session
            return plaintext
        }
        guard let plaintext = server.openAfterLoss(header, fragment, session: session, decryption: decryption, into: &buffer) else {
            return nil
        }
        serverSession = session
        return plaintext
    }

    /// A record of a side came, and a part of its fragment is missing.
    package mutating func passRecord(from side: Side) {
        if side == .client { client.passRecord() } else { server.passRecord() }
        messagesWereLost(of: side)
    }

    /// `length` bytes of a side are missing, with headers of records among them.
    package mutating func noteGap(_ length: UInt64, from side: Side) {
        if side == .client { client.noteGap(length) } else { server.noteGap(length) }
        messagesWereLost(of: side)
    }

    private mutating func messagesWereLost(of side: Side) {
        if side == .client { clientMessages.restart() } else { serverMessages.restart() }
    }

    private func isClear(_ header: TLSRecordHeader, from side: Side) -> Bool {
        let isBeforeHello = session == nil && clientRandom != nil
        switch side == .client ? client.epoch : server.epoch {
        // Early data is encrypted before the server has said a word.
        case .clear: return !(side == .client && isBeforeHello && header.contentType == 23)
        case .session: return false
        // All that is encrypted looks like application data (RFC 8446, section 5.2).
        case .early, .handshake, .traffic: return header.contentType != 23
        }
    }

    private static func open(
        _ header: TLSRecordHeader, _ fragment: RawSpan, by direction: inout DecryptedDirection, session: TLSSession?,
        earlyRandom: TLSRandom?, _ decryption: TLSDecryption, into buffer: inout [UInt8]
    ) -> Result<TLSPlaintext, TLSUnopened> {
        if let session {
            guard !session.isCompressed else { return .failure(.compressed) }
            return direction.open(header, fragment, session: session, decryption: decryption, into: &buffer)
        }
        guard let random = earlyRandom, let secret = decryption.secrets.secret(.early, of: random) else { return .failure(.secretMissing) }
        if direction.epoch == .clear { direction.change(to: .early) }
        // The suite is the one of the session that is resumed, which the hello does not say; the length of the secret leaves a few.
        let said = [secret] + decryption.secrets.otherSecrets(.early, of: random)
        let likely: [UInt16] =
            (said.contains { $0.count == 48 } ? [0x1302] : []) + (said.contains { $0.count != 48 } ? [0x1301, 0x1303, 0x1304, 0x1305] : [])
        var result = Result<TLSPlaintext, TLSUnopened>.failure(.secretMissing)
        for suite in likely {
            let guess = TLSSession(version: 0x0304, cipherSuite: suite, clientRandom: random, serverRandom: random)
            var attempt = direction
            result = attempt.open(header, fragment, session: guess, decryption: decryption, into: &buffer)
            guard case .success = result else { continue }
            direction = attempt
            return result
        }
        direction.passRecord()
        return result
    }

    // MARK: - Changes of keys

    /// Up to TLS 1.2, what comes next is encrypted under what the hellos agreed on (RFC 5246, section 7.1); with TLS 1.3 it says nothing. Where
    /// the side uses that already, it changes to what hellos have agreed on that were lost.
    private mutating func changeCipher(of side: Side) {
        guard let session, !session.isTLS13 else { return }
        if side == .client {
            if clientSession == session { return client.changeUnseen() }
            clientSession = session
            client.change(to: .session)
        } else {
            if serverSession == session { return server.changeUnseen() }
            serverSession = session
            server.change(to: .session)
        }
    }

    private mutating func readHandshake(_ content: RawSpan, from side: Side) {
        var position = 0
        if side == .client {
            while let type = clientMessages.next(in: content, at: &position) { take(type, from: side) }
        } else {
            while let type = serverMessages.next(in: content, at: &position) { take(type, from: side) }
        }
    }

    private mutating func take(_ type: UInt8, from side: Side) {
        switch type {
        case 1 where side == .client: takeClientHello()
        case 2 where side == .server: takeServerHello()
        case 8 where side == .server:
            let kept = serverMessages.kept
            extensions = EncryptedExtensions(kept.rawBytes)
            // Early data that the server takes may come after all of its flight; EndOfEarlyData, which is under the same keys, always does.
            if extensions?.acceptsEarlyData == true, client.epoch == .handshake, !client.isProven { client.change(to: .early) }
        case 5 where side == .client && client.epoch == .early: client.change(to: .handshake)
        case 20 where side == .client && client.epoch == .handshake: client.change(to: .traffic(0))
        case 20 where side == .server && server.epoch == .handshake: server.change(to: .traffic(0))
        case 24:
            guard let session else { return }
            if side == .client {
                client.update(session: session, decryption: decryption)
            } else {
                server.update(session: session, decryption: decryption)
            }
        default: break  // No other message changes keys.
        }
    }

    private mutating func takeClientHello() {
        let kept = clientMessages.kept
        let message = kept.rawBytes
        guard let hello = ClientHello.parse(message) else { return }
        clientRandom = TLSRandom(message.extracting(hello.random.start..<hello.random.end))
        awaitsServerHello = true
    }

    private mutating func takeServerHello() {
        let kept = serverMessages.kept
        let message = kept.rawBytes
        // A hello whose counterpart was lost agrees on nothing that is known.
        guard awaitsServerHello, let clientRandom, let hello = ServerHello.parse(message), !hello.isRetryRequest,
            let random = TLSRandom(message.extracting(hello.random.start..<hello.random.end))
        else { return }
        awaitsServerHello = false
        let agreed = TLSSession(
            version: hello.version, cipherSuite: hello.cipherSuite, clientRandom: clientRandom, serverRandom: random,
            encryptsThenMACs: hello.encryptsThenMACs, isCompressed: hello.compression != 0)
        session = agreed
        guard agreed.isTLS13 else { return }
        clientSession = agreed
        serverSession = agreed
        server.change(to: .handshake)
        // Where early data came, the client goes on with it until it says that it is over; the server may have refused it.
        if client.epoch == .clear { client.change(to: .handshake) }
    }
}
