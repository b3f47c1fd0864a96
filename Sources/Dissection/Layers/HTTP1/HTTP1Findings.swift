/// All rows of the HTTP/1 layer; the rows themselves stand in the files beside this one, by what they are about.
extension FindingRow {
    package static let http1Rows: [FindingRow] = http1LineRows + http1FieldRows + http1FramingRows + http1ExchangeRows
}
