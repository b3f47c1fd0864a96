import Libc
import NIOCore
import NIOPosix

/// Why no connection to the server came about, in words and as a kind that each mode answers in its own way.
package struct DialFailure: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        case refused
        case hostUnreachable
        case networkUnreachable
        case timedOut
        case unknownName
        case dialsItself
        case outOfFiles
        case tls
        case other
    }

    package var kind: Kind
    /// In words, without the destination.
    package var reason: String

    package var description: String { reason }

    package init(kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Makes sense of what NIO gives.
    init(_ error: any Error) {
        switch error {
        case let failure as DialFailure: self = failure
        case let own as SelfDialError: self.init(kind: .dialsItself, reason: own.description)
        case let unknown as ResolutionError: self.init(kind: .unknownName, reason: unknown.description)
        case let system as IOError: self.init(errnoCode: system.errnoCode)
        case ChannelError.connectTimeout(let after):
            self.init(kind: .timedOut, reason: "no answer within \(after.nanoseconds / 1_000_000_000) s")
        case let unknown as SocketAddressError.UnknownHost: self.init(kind: .unknownName, reason: "no address is known for \(unknown.host)")
        case let attempts as NIOConnectionError: self.init(attempts)
        default: self.init(kind: .other, reason: String(describing: error))
        }
    }

    private init(errnoCode code: CInt) {
        let kind: Kind =
            switch code {
            case ECONNREFUSED: .refused
            case EHOSTUNREACH, EHOSTDOWN: .hostUnreachable
            case ENETUNREACH, ENETDOWN: .networkUnreachable
            case ETIMEDOUT: .timedOut
            case EMFILE, ENFILE: .outOfFiles
            default: .other
            }
        let words = String(cString: strerror(code)).lowercasedFirst
        self.init(kind: kind, reason: code == EMFILE ? "\(words) (\(FileLimit.current)); \(FileLimit.advice)" : words)
    }

    /// Several addresses were tried: each is named with what came of it.
    private init(_ attempts: NIOConnectionError) {
        if let own = attempts.dnsAError as? SelfDialError ?? attempts.dnsAAAAError as? SelfDialError {
            self.init(own)
            return
        }
        let failures = attempts.connectionErrors.map { (target: Destination.address($0.target).description, DialFailure($0.error)) }
        if let first = failures.first {
            let same = failures.allSatisfy { $0.1.reason == first.1.reason }
            let reason =
                same
                ? "\(first.1.reason) (\(failures.map(\.target).joined(separator: ", ")))"
                : failures.map { "\($0.target): \($0.1.reason)" }.joined(separator: "; ")
            self.init(kind: first.1.kind, reason: reason)
        } else if let lookUp = attempts.dnsAError ?? attempts.dnsAAAAError {
            self.init(lookUp)
        } else {
            self.init(kind: .unknownName, reason: "\(attempts.host) has no address")
        }
    }
}

extension String {
    /// The system's messages begin with a capital; inside a sentence they do not.
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
