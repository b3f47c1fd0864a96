import Dissection

/// Whether the certificates of a chain share a certificate policy, where one of them demands it (RFC 5280 4.2.1.11).
///
/// Stricter than RFC 5280 6.1 where policies are mapped: such a chain is taken for one without a policy. It is looked at here because the
/// library would be asked about a certificate that it does not name, which NIOSSL takes for impossible and ends the process over.
struct PolicyWatch {
    /// The policies that all so far have; nil stands for any.
    private var shared: Set<[UInt8]>?
    /// Certificates until a policy is demanded; nil where none is.
    private var untilDemanded: Int?
    private var isAnyInhibited = false

    /// Takes the next certificate below the root. Whether a policy is demanded and none is left.
    mutating func isUnmet(by facts: CertificateFacts) -> Bool {
        let own = Set((facts.value(of: CertificateFacts.policies)?.nodes ?? []).compactMap { $0.nodes.first?.octets.map(Array.init) })
        if isAnyInhibited || !own.contains(Self.anyPolicy) { shared = shared.map { $0.intersection(own) } ?? own }
        if facts.has(CertificateFacts.policyMappings) { shared = [] }
        if facts.has(CertificateFacts.inhibitAnyPolicy) { isAnyInhibited = true }
        if let left = untilDemanded { untilDemanded = max(left - 1, 0) }
        // requireExplicitPolicy [0] INTEGER; the other field, inhibitPolicyMapping, demands nothing.
        let demand = facts.value(of: CertificateFacts.policyConstraints)?.nodes.first { $0.tag == 0x80 }
        if let count = demand?.number { untilDemanded = min(untilDemanded ?? Int.max, count) }
        return untilDemanded == 0 && shared?.isEmpty == true
    }

    /// 2.5.29.32.0.
    private static let anyPolicy: [UInt8] = [0x55, 0x1D, 0x20, 0]
}
