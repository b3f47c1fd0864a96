import Dissection

/// What lends the lines of a log, one after another: a log itself, or what holds the records of one in another form.
package protocol RecordLines: ~Copyable {
    /// What errors call the input.
    var name: String { get }
    /// Bytes of memory that the reader takes at the moment.
    var heldBytes: Int { get }
    /// Bytes of the input that were read so far, for who waits for it.
    var inputBytes: UInt64 { get }
    /// Whether it is an HTTP archive: what is lent are its entries.
    var isArchive: Bool { get }

    /// The next line, valid until the next call; nil at the end.
    ///
    /// - Throws: where the input cannot be read further, and with `canGoOn` where one line cannot.
    @_lifetime(&self)
    mutating func next() throws(CaptureFileError) -> RawSpan?
    /// What is wrong with the line that was lent last; reading goes on after it.
    func damage(_ problem: String) -> CaptureFileError
    /// What is left out of the line that was lent last, which was read otherwise.
    func loss(_ words: String) -> CaptureFileError
}

extension RecordLines where Self: ~Copyable {
    package func loss(_ words: String) -> CaptureFileError { damage(words) }
}

extension RecordLog: RecordLines {}
