import Testing

@testable import Reports

/// The table of what a run can write to a file.
@Suite struct OutputRowTests {
    @Test("names and endings are there once, and what a file is made into is known by either")
    func names() throws {
        let rows = OutputRow.all
        #expect(Set(rows.map(\.name)).count == rows.count && Set(rows.map(\.ending)).count == rows.count)
        for row in rows {
            #expect(OutputRow.named(row.name)?.ending == row.ending)
            #expect(OutputRow.ofFile("talk" + row.ending).name == row.name)
        }
        #expect(OutputRow.named("hal") == nil)
        #expect(OutputRow.ofFile("talk.log").name == "ndjson" && OutputRow.ofFile("har").name == "ndjson")
    }

    @Test("what a file holds is counted in its own units, without the lines around them")
    func units() {
        #expect(OutputRow.records.counted(lines: 1) == "1 record" && OutputRow.records.counted(lines: 0) == "0 records")
        #expect(OutputRow.recordArray.counted(lines: 5) == "3 records" && OutputRow.recordArray.counted(lines: 1) == "0 records")
        #expect(OutputRow.archive.counted(lines: 3) == "1 entry" && OutputRow.table.counted(lines: 3) == "2 rows")
        #expect(OutputRow.text.counted(lines: 2) == "2 lines" && OutputRow.text.counted(lines: nil) == "the log")
    }

    @Test("a row takes of what the user asks what is about its output")
    func wishes() throws {
        var wish = OutputWish()
        (wish.showsFrames, wish.decodes, wish.payload) = (true, true, .none)
        let lines = try #require(OutputRow.records.make(wish) as? RecordSettings)
        #expect(lines.layout == .lines && lines.showsFrames && lines.payload == .none && !lines.payloads.rows.isEmpty)
        wish.decodes = false
        let array = try #require(OutputRow.recordArray.make(wish) as? RecordSettings)
        #expect(array.layout == .array && array.payloads.rows.isEmpty)
        wish.totalsAlone = true
        #expect(OutputRow.text.make(wish) is TotalsForm)
    }
}
