import Dissection

/// Several lines for a terminal, each cut at its width.
struct TextPage: ~Copyable {
    /// The line that is put together.
    var line: TextLine
    private(set) var bytes: [UInt8] = []

    /// The columns of the terminal; nil where nothing is cut.
    let width: Int?

    init(width: Int?) {
        self.width = width
        line = TextLine(width: width, usesColor: false)
    }

    /// Ends the line.
    mutating func end() {
        line.end()
        let ended = line.buffer.bytes.copy
        bytes += ended
        line.clear()
    }

    /// A line that is there already.
    mutating func append(line text: String) {
        line.append(text)
        end()
    }
}
