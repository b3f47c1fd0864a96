import Dissection

/// The statistics of a run.
package struct StatisticsResult: Sendable {
    package struct Row: Sendable {
        /// Of the conversation; 0 for a host.
        package var number: UInt64
        package var host: String
        package var path: String
        package var statistics: ConversationStatistics

        /// Bytes of both sides.
        var bytes: UInt64 { statistics.bytes.client.clampedSum(statistics.bytes.server) }
    }

    package internal(set) var conversations: [Row] = []
    package internal(set) var hosts: [Row] = []
    /// Sums of the rows that the memory had no room for.
    package internal(set) var otherConversations = ConversationStatistics()
    package internal(set) var otherHosts = ConversationStatistics()
    package internal(set) var total = ConversationStatistics()
    /// Findings about the inputs themselves.
    package internal(set) var input = ConversationStatistics()

    /// What rows are of.
    package enum Scope: String, Sendable, CaseIterable { case conversation, host, total }
}
