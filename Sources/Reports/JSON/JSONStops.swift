import CWideJSON

extension RawSpan {
    /// Which of the 64 bytes from `start` on end the plain text of a JSON string: quotes, backslashes and controls, the first byte lowest. So does
    /// each place from the end on.
    @inline(__always)
    func jsonStops(from start: Int) -> UInt64 {
        precondition(start >= 0)
        return unsafe withUnsafeBytes { unsafe unmask_json_stops($0.baseAddress, $0.count, start) }
    }
}
