import Dissection

/// What the version of a Network Monitor file decides: the headers of its frames, their trailers, their times.
///
/// Microsoft's help of Network Monitor 3.4 describes version 2; Wireshark's wiretap/netmon.c says what else is found.
struct NetworkMonitorVersion {
    /// The first four bytes of version 1 and 2.
    static let magics = [UInt32(bigEndian: 0x5254_5353), UInt32(bigEndian: 0x474D_4255)]

    /// What a frame is, by the number of its medium.
    enum Medium {
        case packet(LinkType)
        /// Of the program that captured: names, lists of adapters. No packets, and not counted as such by others either.
        case note
    }

    let major: UInt8
    let minor: UInt8

    var frameHeaderLength: Int { major == 1 ? 8 : 16 }

    /// Bytes after each frame: its medium, a process, a time and its zone.
    var trailerLength: Int {
        guard major == 2 else { return 0 }
        return minor == 0 ? 0 : minor == 1 ? 2 : minor == 2 ? 6 : 15
    }

    var hasUniversalTimes: Bool { trailerLength == 15 }

    /// What the media of version 2 are; where 0 is written it is Ethernet all the same.
    static func medium(_ number: UInt16) -> Medium {
        switch number {
        case 0, 1: .packet(.ethernet)
        case 2: .packet(.tokenRing)
        case 3: .packet(.fddi)
        case 6: .packet(.networkMonitor80211)
        // Tunnels, mobile networks, and "raw IP".
        case 7, 8, 9: .packet(.raw)
        // What was converted from a pcap file keeps its link type; from 0xE080 on other programs mean something else.
        case 0xE000..<0xE080, 0xE08B...0xEFFF: .packet(LinkType(inFile: UInt32(number & 0x0FFF)))
        case 0xE080: .packet(.ieee80211)
        // A reassembled payload, lists of adapters, the name cache.
        case 0xFFFC, 0xFFFD, 0xFFFE: .note
        // Counted under a number that no link type has.
        default: .packet(LinkType(rawValue: 0x2_0000 | UInt32(number)))
        }
    }

    /// Nanoseconds from 1970 to the beginning of the capture, which stands in the file by calendar, without a time zone:
    /// taken for UTC. Nil for a day that does not exist.
    static func start(_ source: borrowing ByteSource, _ order: ByteOrder, at index: Int) -> Int64? {
        func word(_ position: Int) -> Int64 { Int64(source.integer(order, at: index + position * 2, as: UInt16.self)) }
        let (year, month, day) = (word(0), word(1), word(3))
        guard 1601...9_999 ~= year, 1...12 ~= month, 1...31 ~= day, word(4) < 24, word(5) < 60, word(6) < 61, word(7) < 1_000 else {
            return nil
        }
        // Days since 1970 in the Gregorian calendar, the year taken to begin in March.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        let seconds = days * 86_400 + word(4) * 3_600 + word(5) * 60 + word(6)
        let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? nil : nanoseconds + word(7) * 1_000_000
    }

    /// Nanoseconds since 1970 of a count of 100 ns since 1601; nil beyond what fits.
    static func universalTime(_ count: UInt64) -> Timestamp? {
        guard count <= UInt64(Int64.max) else { return nil }
        let (nanoseconds, overflows) = (Int64(count) - 116_444_736_000_000_000).multipliedReportingOverflow(by: 100)
        return overflows ? nil : Timestamp(nanoseconds: nanoseconds)
    }
}
