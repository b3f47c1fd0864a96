/// Why the local authority cannot be used, or not be made.
package struct AuthorityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    package enum Kind: Hashable, Sendable {
        /// No folder can be derived: neither `XDG_DATA_HOME` nor a home folder is known.
        case noFolder
        /// There is no authority in the folder.
        case missing
        /// The certificate is there without its key, or the key without its certificate.
        case halfAPair
        /// The system refused to read a file.
        case unreadable
        /// Others than the owner may read the key, or put another in its place.
        case exposed
        /// A file holds something else than it should, or the key belongs to another certificate.
        case damaged
        /// The certificate's time is over.
        case expired
        /// The system refused to write a file or to make a folder.
        case unwritable
        /// A leaf could not be signed.
        case signing
    }

    package var kind: Kind
    /// The file or folder that it is about; empty where there is none.
    package var path = ""
    /// What is wrong, without a full stop.
    package var problem: String
    /// What the user can do about it.
    package var advice = ""

    /// One line for a person: where, what is wrong, what to do.
    package var description: String {
        (path.isEmpty ? "" : path + ": ") + problem + (advice.isEmpty ? "" : "; " + advice)
    }
}
