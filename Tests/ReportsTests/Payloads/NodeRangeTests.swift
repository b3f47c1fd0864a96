import Dissection
import Support
import Testing

@testable import Reports

extension DecodedNode {
    /// Whether its range lies inside of a payload of so many bytes, and of what it belongs to.
    func isInside(_ count: Int) -> Bool {
        guard let range else { return true }
        guard range.start >= 0, range.count >= 0, range.end <= count else { return false }
        return outer.map { $0.start <= range.start && range.end <= $0.end } ?? true
    }
}
