import Dissection

/// The statistics of a run.
package struct StatisticsResult: Sendable {
    package struct Row: Sendable {
        /// Of the conversation; 0 for a host.
        package var number: UInt64
        package var host: String
        package var path: String
        package var statistics: TalkStatistics

        /// Bytes of both sides.
        var bytes: UInt64 { statistics.bytes.client.clampedSum(statistics.bytes.server) }
    }

    package internal(set) var conversations: [Row] = []
    package internal(set) var hosts: [Row] = []
    /// Sums of the rows that the memory had no room for.
    package internal(set) var otherConversations = TalkStatistics()
    package internal(set) var otherHosts = TalkStatistics()
    package internal(set) var total = TalkStatistics()
    /// Findings about the inputs themselves.
    package internal(set) var input = TalkStatistics()

    /// What rows are of.
    package enum Scope: String, Sendable, CaseIterable { case conversation, host, total }
}
