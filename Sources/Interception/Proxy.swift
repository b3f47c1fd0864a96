import CertificateAuthority
import Dissection
import Libc
import NIOCore
import NIOPosix

/// A listener that could not be had.
package struct ListenFailure: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(description: String) { self.description = description }

    /// What the system said, and what the user can do about it.
    init(at address: ListenAddress, _ error: any Error) {
        let advice: String? =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE?: "stop what listens there, or choose another address with --listen"
            case EADDRNOTAVAIL?: "this machine does not have that address; * stands for all that it has"
            case EACCES?, EPERM?: address.isPrivileged ? "ports below 1024 are for root; choose another with --listen" : nil
            case ENOENT?: "the folder of the socket has to exist"
            default: nil
            }
        description = "cannot listen on \(address): \(DialFailure(error).reason)" + (advice.map { "; \($0)" } ?? "")
    }
}

/// The proxy: binds its entrances, relays until it is stopped, then ends what is open.
package final class Proxy: Sendable {
    /// Where one entrance can be reached.
    package struct Entrance: Sendable {
        package let mode: ModeSpec
        /// The address that clients dial, with the port that the kernel chose where 0 was asked for.
        package let address: String
    }

    private let core: ProxyCore
    private let group: MultiThreadedEventLoopGroup
    private let listeners: [any Channel]
    package let entrances: [Entrance]

    /// Binds every entrance and begins to accept.
    ///
    /// - Parameters:
    ///   - tell: takes a line for the user.
    ///   - makeRecorder: called once with the addresses that are listened at.
    /// - Throws: `ListenFailure`, `TLSFileError`, `AuthorityError`, and what `makeRecorder` throws.
    package init(
        settings: ProxySettings, tell: @escaping @Sendable (String) -> Void, makeRecorder: ([Entrance]) throws -> Recorder
    ) throws {
        FileLimit.raise()
        Heap.prepare()
        let box = CoreBox()
        var secrets: SecretSink?
        if settings.recordsConnections { secrets = { line in box.core?.recorder.take(secrets: line, at: .now) } }
        let tls = try TLSTermination(
            settings: settings.tls, needsAuthority: settings.entrances.contains { $0.mode.needsAuthority }, secrets: secrets, tell: tell)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: settings.threads > 0 ? settings.threads : Processors.usable)
        var listeners: [any Channel] = []
        do {
            var entrances: [Entrance] = []
            for entrance in settings.entrances {
                do {
                    try Listener.checkFree(entrance.address, group: group).wait()
                    let channel = try Listener.bind(entrance, box: box, group: group).wait()
                    listeners.append(channel)
                    let address = channel.localAddress.map { Destination.address($0).description } ?? entrance.address.description
                    entrances.append(Entrance(mode: entrance.mode, address: address))
                } catch is UnixDomainSocketPathWrongType {
                    throw ListenFailure(description: "cannot listen on \(entrance.address): the path exists and is not a socket")
                } catch {
                    throw ListenFailure(at: entrance.address, error)
                }
            }
            core = ProxyCore(settings: settings, recorder: try makeRecorder(entrances), tls: tls, tell: tell)
            for address in settings.closedAddresses {
                core.places.add(address)
                core.closedPlaces.add(address)
            }
            for (channel, entrance) in zip(listeners, settings.entrances) {
                guard let address = channel.localAddress else { continue }
                core.places.add(address)
                if entrance.mode == .http { core.httpPlaces.add(address) }
            }
            box.core = core
            for channel in listeners { try channel.setOption(.autoRead, value: true).wait() }
            self.entrances = entrances
            self.listeners = listeners
            self.group = group
        } catch {
            for channel in listeners { channel.close(promise: nil) }
            try? group.syncShutdownGracefully()
            throw error
        }
    }

    /// What takes down the conversations.
    package var recorder: Recorder { core.recorder }

    /// Ends the file of session secrets, after the last conversation.
    ///
    /// - Returns: Whether all of them are in it; true where there is none.
    package func finishKeyLog() -> Bool { core.tls.keyLog?.finish() ?? true }

    /// Conversations that run.
    package var openConversations: Int { core.conversations.count }

    /// Accepts nobody any more.
    package func stopAccepting() {
        for channel in listeners { try? channel.close().wait() }
    }

    /// Begins with whoever has connected by now, when all of them have gone: the kernel keeps connections until they are accepted.
    package func acceptWhoIsThere() {
        // The first round of a loop accepts, and hands what it has accepted to others.
        for _ in 0..<2 { settle() }
    }

    /// Waits until no conversation is open, for as long as the grace lasts or until `isImpatient` says so.
    ///
    /// - Parameter clients: wait for clients as well whose conversation does not run yet.
    package func waitForConversations(and clients: Bool = false, isImpatient: () -> Bool) {
        let deadline = NIODeadline.now() + core.settings.patience.grace
        while core.conversations.count + (clients ? core.waiting.count : 0) > 0, NIODeadline.now() < deadline, !isImpatient() {
            var moment = timespec(tv_sec: 0, tv_nsec: 10_000_000)
            nanosleep(&moment, nil)
        }
    }

    /// Ends what is open. The recorder is the caller's to finish, after this and before `shutDown`: it calls relays back that wait for
    /// room, and they need their threads for that.
    package func endConversations() {
        core.conversations.stopAll(.shutdown, reason: "it was still open")
        core.waiting.stopAll()
        // Each ends on its own loop; all that is left to them is to say so.
        let deadline = NIODeadline.now() + .seconds(2)
        while core.conversations.count + core.waiting.count > 0, NIODeadline.now() < deadline {
            var moment = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            nanosleep(&moment, nil)
        }
        settle()
    }

    /// Waits until each loop has done what it is at: who is counted no more may still be telling the recorder.
    private func settle() {
        for loop in group.makeIterator() { try? loop.submit {}.wait() }
    }

    /// Ends what is open and gives the threads back.
    package func shutDown() {
        endConversations()
        try? group.syncShutdownGracefully()
    }
}
