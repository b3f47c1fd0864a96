/// Every row that the dissector can find, by layer from the input upwards.
public enum FindingCatalogue {
    public static let rows: [FindingRow] =
        FindingRow.inputRows + FindingRow.limitRows + FindingRow.tcpRows + FindingRow.tlsRows + FindingRow.http1Rows
        + FindingRow.webSocketRows + FindingRow.proxyRows
}
