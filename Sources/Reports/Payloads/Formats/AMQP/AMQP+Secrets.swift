import Dissection

extension AMQP {
    /// A secret that is known by the bytes from an index on.
    static func secret(in bytes: [UInt8], at index: Int) -> Range<Int>? { saslResponse(bytes, index) ?? newSecret(bytes, index) }

    /// What stands after the name of the mechanism in connection.start-ok (AMQP 0-9-1, section 1.4.2.3).
    private static func saslResponse(_ bytes: [UInt8], _ index: Int) -> Range<Int>? {
        for mechanism in ["PLAIN", "AMQPLAIN"] as [StaticString] where Int(bytes[index]) == mechanism.utf8CodeUnitCount {
            let name = bytes.range(index + 1, mechanism.utf8CodeUnitCount)
            guard let name, bytes[name].elementsEqual(mechanism.bytes.copy) else { continue }
            return bytes.range(name.upperBound + 4, bytes.number(name.upperBound, 4))
        }
        return nil
    }

    /// What follows the numbers of connection.update-secret in a method frame of channel 0 (RabbitMQ).
    private static func newSecret(_ bytes: [UInt8], _ index: Int) -> Range<Int>? {
        guard bytes[index] == 1, bytes.number(index + 1, 2) == 0, bytes.number(index + 7, 4) == 0x000a_0046 else { return nil }
        return bytes.range(index + 15, bytes.number(index + 11, 4))
    }
}
