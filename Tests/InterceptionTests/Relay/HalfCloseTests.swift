import Testing

@testable import Interception

/// The table of how a connection may end, row by row.
@Suite struct HalfCloseTests {
    /// What a socket that is gone means: ours, the peer's, an error of the socket, what is told.
    static let rows: [(HalfClose.Half, HalfClose.Half, Bool, LegEnding?)] = [
        (.open, .open, false, .reset), (.open, .closeNotify, false, .reset), (.open, .finished, false, .reset),
        (.closeNotify, .open, false, .reset), (.closeNotify, .closeNotify, false, .reset), (.closeNotify, .finished, false, .reset),
        (.closing, .open, false, .reset), (.closing, .closeNotify, false, .reset), (.closing, .finished, false, .reset),
        (.finished, .open, false, .fin), (.finished, .closeNotify, false, .fin), (.finished, .finished, false, nil),
        (.open, .open, true, .reset), (.finished, .open, true, .reset), (.finished, .finished, true, .reset),
    ]

    @Test(arguments: rows.indices) func aLostSocket(row: Int) {
        let (ours, peers, isBroken, told) = Self.rows[row]
        var ends = HalfClose()
        if ours == .closeNotify {
            let isNew = ends.sendCloseNotify()
            #expect(isNew)
        }
        if ours >= .closing {
            let isNew = ends.askForFIN()
            #expect(isNew)
        }
        if ours == .finished { ends.finHasLeft() }
        if peers == .closeNotify { _ = ends.takeCloseNotify() }
        if peers == .finished { _ = ends.takeFIN() }
        #expect(ends.ours == ours && ends.peers == peers)
        let first = ends.lose(isBroken: isBroken)
        #expect(first == told)
        let second = ends.lose(isBroken: true)
        let mayClose = ends.close()
        #expect(ends.isGone && second == nil && !mayClose)
    }

    @Test func eachEndingIsToldOnceAndNoHalfGoesBack() {
        var ends = HalfClose()
        var told = [ends.takeCloseNotify(), ends.takeCloseNotify(), ends.takeFIN(), ends.takeFIN(), ends.takeCloseNotify()]
        #expect(told == [.closeNotify, nil, .fin, nil, nil] && ends.peerHasSentCloseNotify)
        var sent = [ends.sendCloseNotify(), ends.sendCloseNotify(), ends.isOpenForUs]
        #expect(sent == [true, false, true])
        sent = [ends.askForFIN(), ends.askForFIN(), ends.sendCloseNotify(), ends.isOpenForUs]
        #expect(sent == [true, false, false, false])
        ends.finHasLeft()
        told = [ends.lose(isBroken: false)]
        #expect(ends.ours == .finished && told == [nil])
    }

    @Test func nothingIsToldOfAConnectionThatWeClose() {
        var ends = HalfClose()
        let closed = [ends.close(), ends.close()]
        #expect(closed == [true, false] && ends.isClosing && !ends.isOpenForUs)
        let told = ends.lose(isBroken: true)
        #expect(told == nil && !ends.isGone)
    }
}
