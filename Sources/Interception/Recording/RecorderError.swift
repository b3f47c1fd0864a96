import Reports

/// Why nothing can be recorded, as a sentence for the person who asked for it.
package struct RecorderError: Error, CustomStringConvertible {
    /// What cannot be had: the recording thread.
    package let subject: String
    package let cause: OutputError

    package var description: String { "\(subject): \(cause.message)" }
}
