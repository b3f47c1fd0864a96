/// The bytes that pairs of hexadecimal digits stand for; spaces and ends of lines may stand between them.
func hex(_ digits: String) -> [UInt8] {
    let nibbles = digits.compactMap { $0.hexDigitValue.map(UInt8.init) }
    return stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
}
