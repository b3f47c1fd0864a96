import Dissection

/// One line for a terminal while it is put together: counts columns, cuts at the width, lets nothing harmful through.
struct TextLine: ~Copyable {
    private(set) var buffer = OutputBuffer(capacity: 1_024)
    private(set) var columns = 0
    /// Whether the width is used up; what is appended then is left out.
    private(set) var isFull = false
    /// The column at which the part after time and sign began; the columns of `Column` are counted from here.
    var origin = 0
    /// Spaces that come before the next character, if one comes.
    private var spaces = 0
    /// The line is ours and is told whole, however narrow the terminal: headings, findings, closing lines.
    var isWhole = false
    private var columnsOfTerminal: Int
    /// No line is cut; all are folded.
    let folds: Bool
    /// The form of the payload that is not in the line and has to come under it.
    var leftOut: PayloadForm?
    private var width: Int { isWhole || folds ? .max : columnsOfTerminal }
    /// Lines of the terminal that the ended line takes.
    private(set) var breaks: UInt64 = 0
    private let usesColor: Bool
    private var isInked = false
    /// What stands in the line now looks like this.
    private var currentInk = Ink.plain
    /// The protocol in whose words close codes are told.
    var codes: CloseCodeProtocol?
    /// Memory for what is put together before it goes into the line.
    var scratch: OutputBuffer?
    /// Finds what stands out in what peers say (`append(said:)`), where colours are used.
    var marker: (any EventFilter)?
    /// Characters without a column since the last one that has one.
    private var marks = 0
    /// The last place at which there still was a column for the ellipsis.
    private var mark = (count: 0, columns: 0)

    /// Characters that combine with one column; no script writes more. Of what follows an ellipsis tells.
    static let mostMarks = 4
    /// Columns at which lines are folded where no terminal says how many it has.
    static let usualFold = 200

    /// - Parameter folds: No line is cut at the width; those that are longer are folded, at `usualFold` where there is no width.
    init(width: Int?, usesColor: Bool, folds: Bool = false) {
        self.usesColor = usesColor
        self.folds = folds
        columnsOfTerminal = .max
        widen(to: width)
    }

    /// The terminal has another width now.
    mutating func widen(to width: Int?) { columnsOfTerminal = width.map { max(20, $0) } ?? (folds ? Self.usualFold : .max) }

    var isEmpty: Bool { buffer.count == 0 }

    /// Ends the line; `buffer` holds it with its line end until `clear`.
    mutating func end() {
        if isInked { buffer.append(Ink.plain.code) }
        breaks = 1
        if columns > columnsOfTerminal {
            let folded = FoldedText(buffer.bytes, width: columnsOfTerminal, indent: origin > 0 ? origin : FoldedText.usualIndent)
            buffer.dropFirst(buffer.count)
            buffer.append(folded.bytes.rawBytes)
            breaks += folded.breaks
        }
        buffer.append(0x0a)
    }

    mutating func clear() {
        buffer.dropFirst(buffer.count)
        columns = 0
        isFull = false
        isWhole = false
        leftOut = nil
        isInked = false
        currentInk = .plain
        origin = 0
        spaces = 0
        marks = 0
        mark = (0, 0)
    }

    /// Makes what follows look like this, where colours are used.
    mutating func ink(_ ink: Ink) {
        guard usesColor, !isFull else { return }
        if isInked { buffer.append(Ink.plain.code) }
        isInked = ink != .plain
        currentInk = ink
        if isInked { buffer.append(ink.code) }
    }

    /// Whether a character of so many columns fits; if not, the line ends in an ellipsis.
    private mutating func makeRoom(for added: Int) -> Bool {
        guard !isFull else { return false }
        realizeSpaces()
        if columns < width { mark = (buffer.count, columns) }
        if width - columns >= added { return true }
        cut()
        return false
    }

    private mutating func cut() {
        buffer.truncate(to: mark.count)
        columns = mark.columns + 1
        isFull = true
        buffer.append("…")
    }

    private mutating func realizeSpaces() {
        let count = min(spaces, width - columns)
        guard count > 0 else { return }
        mark = (buffer.count + count - 1, columns + count - 1)
        spaces -= count
        columns += count
        buffer.append(spaces: count)
    }

    mutating func append(_ byte: UInt8) {
        if makeRoom(for: 1) {
            buffer.append(byte)
            columns += 1
        }
    }

    /// Appends printable ASCII, a column each, in one piece.
    mutating func append(printable bytes: RawSpan) {
        guard !isFull, !bytes.isEmpty else { return }
        marks = 0
        realizeSpaces()
        if bytes.byteCount < width - columns {
            buffer.append(bytes)
            columns += bytes.byteCount
            mark = (buffer.count, columns)
            return
        }
        let isCut = bytes.byteCount > width - columns
        // Up to the column that the ellipsis would have.
        let first = min(bytes.byteCount, width - 1 - columns)
        if first >= 0 {
            buffer.append(bytes.prefix(first))
            columns += first
            if columns < width { mark = (buffer.count, columns) }
        }
        if isCut { return cut() }
        buffer.append(bytes.suffix(from: max(0, first)))
        columns += bytes.byteCount - first
    }

    /// Appends words of ours, in ASCII.
    mutating func append(_ text: StaticString) {
        append(printable: text.bytes)
    }

    mutating func append(_ text: String) {
        text.withBytes { append(safe: $0) }
    }

    /// Appends words that another buffer put together, in ASCII.
    mutating func append(_ words: borrowing OutputBuffer) { append(safe: words.bytes) }

    /// Leaves at least so many spaces before what comes next, if something does.
    mutating func space(_ count: Int = 1) { spaces = max(spaces, count) }

    /// Goes on at a column, counted from `origin`, or `least` spaces further on.
    mutating func pad(to column: Int, least: Int = 0) { space(max(least, min(column, 1_000) + origin - columns)) }

    /// The column that has been reached, counted from `origin`.
    var reached: Int { columns - origin }

    /// Appends the ellipsis that says that something is left out here.
    mutating func appendEllipsis() {
        guard makeRoom(for: 1) else { return }
        buffer.append("…")
        columns += 1
    }

    /// Appends bytes from outside. Controls are shown by their pictures (`␛` for escape), other characters that could
    /// harm as `\u{202e}`, bytes that are not UTF-8 as `\xff`.
    mutating func append(safe bytes: RawSpan) {
        var place = 0
        while place < bytes.byteCount, !isFull {
            let plain = bytes.plainCount(from: place)
            if plain > 0 {
                append(printable: bytes.extracting(place..<place + plain))
                place += plain
                continue
            }
            let sequence = UTF8Sequence(bytes, at: place)
            if sequence.kind == .whole, let scalar = Unicode.Scalar(sequence.scalar) {
                append(scalar, bytes.extracting(place..<place + sequence.length))
            } else {
                append("\\x")
                append(hex: UInt32(bytes[place]), least: 2)
            }
            place += sequence.length
        }
    }

    /// Appends what a peer says; what a filter looks for stands out in it.
    mutating func append(said bytes: RawSpan) {
        guard usesColor, let marker else { return append(safe: bytes) }
        var rest = bytes
        // Each round takes at least a byte.
        while !isFull, let range = marker.highlight(rest), !range.isEmpty, range.upperBound <= rest.byteCount {
            append(safe: rest.extracting(0..<range.lowerBound))
            let before = currentInk
            ink(.found)
            append(safe: rest.extracting(range))
            ink(before)
            rest = rest.extracting(range.upperBound..<rest.byteCount)
        }
        append(safe: rest)
    }

    private mutating func append(_ scalar: Unicode.Scalar, _ bytes: RawSpan) {
        if scalar.isHarmless {
            let width = scalar.columns
            // They take no column, so the width does not bound them.
            marks = width == 0 ? marks + 1 : 0
            if marks > Self.mostMarks {
                if marks == Self.mostMarks + 1 { appendEllipsis() }
                return
            }
            guard makeRoom(for: width) else { return }
            buffer.append(bytes)
            columns += width
        } else if scalar.value < 0x20 || scalar.value == 0x7f {
            guard makeRoom(for: 1) else { return }
            // The control pictures begin at U+2400, in the order of the controls; DEL has U+2421.
            let picture = scalar.value == 0x7f ? 0x21 : UInt8(scalar.value)
            buffer.append(0xe2)
            buffer.append(0x90)
            buffer.append(0x80 | picture)
            columns += 1
        } else {
            append("\\u{")
            append(hex: scalar.value, least: 1)
            append("}")
        }
    }

    /// Appends a number in hexadecimal with at least so many digits.
    mutating func append(hex value: UInt32, least: Int) {
        let count = max(least, (32 - value.leadingZeroBitCount + 3) / 4)
        for position in stride(from: count - 1, through: 0, by: -1) {
            append(hexDigit(UInt64(value >> UInt32(position * 4))))
        }
    }

    /// The columns that are left.
    var room: Int { width - columns }

    /// The columns that are left before the line would be folded.
    var roomBeforeFold: Int { columnsOfTerminal - columns - spaces }

    /// Whether columns are too few to leave any empty.
    var isSlim: Bool { columnsOfTerminal < 100 }

    /// Whether payloads are cut, and so what stands in headings.
    var isNarrow: Bool { !folds && columnsOfTerminal != .max }
}
