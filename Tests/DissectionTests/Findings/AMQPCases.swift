import Dissection
import Support

/// What is found where a server of AMQP says no.
extension FindingCase {
    static let amqp: [FindingCase] = FindingCase.table {
        headerAlone(
            "that of AMQP 0-9-1: it does not take what the client began with, 00 00 00 1c 00 11 00 01",
            [0, 0, 0, 0x1C, 0, 0x11, 0, 1] + [UInt8](repeating: 0x61, count: 24), says: [0, 0, 9, 1],
            // The server goes on: it has taken it.
            nearly: closed([.client([0, 0, 0, 0x1C, 0, 0x11, 0, 1]), .server(header([0, 0, 9, 1]) + [0, 0, 0, 8])]))
        headerAlone(
            "that of AMQP 0-9-1: it does not take what the client began with, the header of AMQP 1.0", header([0, 1, 0, 0]),
            says: [0, 0, 9, 1],
            // Both speak the same, as AMQP 1.0 begins.
            nearly: closed([.client(header([0, 1, 0, 0])), .server(header([0, 1, 0, 0]))]))
        headerAlone(
            "that of AMQP 1.0 with SASL: it does not take what the client began with, the header of AMQP 1.0", header([0, 1, 0, 0]),
            says: [3, 1, 0, 0],
            // The capture ends here.
            nearly: Talk([.client(header([0, 1, 0, 0])), .server(header([3, 1, 0, 0]))]))
    }

    private static func header(_ version: [UInt8]) -> [UInt8] { Array("AMQP".utf8) + version }

    private static func closed(_ steps: [Talk.Step]) -> Talk { Talk(steps + [.finish(.server), .finish(.client)]) }

    private static func headerAlone(_ words: String, _ asked: [UInt8], says version: [UInt8], nearly: Talk) -> FindingCase {
        FindingCase(
            "amqp.header-alone", ["amqp.header-alone: the server closed the connection after its protocol header, " + words],
            fires: closed([.client(asked), .server(header(version))]), nearly: nearly)
    }
}
