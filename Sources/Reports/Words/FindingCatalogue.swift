import Dissection

/// Every row that can be found: by the dissector, layer by layer from the input upwards, and by the proxy.
public enum FindingCatalogue {
    public static let rows: [FindingRow] =
        FindingRow.inputRows + FindingRow.logRows + FindingRow.limitRows + FindingRow.connectionRows + FindingRow.tcpRows
        + FindingRow.tlsRows + FindingRow.http1Rows + FindingRow.http2FrameRows + FindingRow.http2FieldRows + FindingRow.http2StreamRows
        + FindingRow.framingRows + FindingRow.mqttRows + FindingRow.amqpRows
        + FindingRow.webSocketRows + FindingRow.proxyRows
}
