#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Days as people read them.
package enum CalendarDay {
    /// `2026-11-21`, in UTC, as certificates count.
    package static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day())
    }
}
