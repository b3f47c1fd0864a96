/// Why an interface cannot be listened to, or a filter not be used.
public struct LiveCaptureError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// The right to capture is missing.
        case notPermitted
        case noSuchInterface
        /// The filter expression does not compile for the link type.
        case badFilter
        /// Anything else that libpcap reports.
        case failed
    }

    public var kind: Kind
    /// One line for a person: what happened and what to do.
    public var description: String

    public init(kind: Kind, description: String) {
        self.kind = kind
        self.description = description
    }
}
