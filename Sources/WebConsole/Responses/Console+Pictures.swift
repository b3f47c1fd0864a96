import Reports
import Sessions
import Synchronization

extension Console {
    /// Buckets of a timeline at most.
    static let mostBuckets: Int64 = 2_000

    /// What each side sent, by time.
    func timeline(of view: ConsoleView, buckets: Int64) throws -> ConsoleResponse {
        let (picture, isComplete) = try picture(of: view)
        let (first, last, _, list) = picture.bins.buckets(most: Int(max(1, min(buckets, Self.mostBuckets))))
        return .object { object in
            object.member("first", moment: first)
            object.member("last", moment: last)
            addCounts(list, to: &object)
            object.array("client_bytes") { array in for bucket in list { array.value(bucket.bytes.client) } }
            object.array("server_bytes") { array in for bucket in list { array.value(bucket.bytes.server) } }
            object.array("trips") { array in
                for trip in picture.trips {
                    array.object { object in
                        object.member("id", trip.record)
                        object.member("time", moment: trip.end)
                        object.member("took", moment: trip.took)
                        object.member("ping", trip.isPing)
                    }
                }
            }
            object.member("complete", isComplete)
            object.array("findings") { array in
                for finding in picture.findings where finding.time != nil {
                    array.object { object in
                        object.member("time", moment: finding.time)
                        object.member("severity", finding.severity)
                        object.member("id", finding.record)
                    }
                }
            }
        }
    }

    /// Rates, sizes, latencies, hosts and kinds.
    func statistics(of view: ConsoleView) throws -> ConsoleResponse {
        let (picture, _) = try picture(of: view)
        let (first, _, width, list) = picture.bins.buckets(most: 120)
        let hosts = try store.slow.hosts(most: 50)
        let (types, isWhole) = try types(of: view)
        return .object { object in
            object.object("seconds") { object in
                object.member("first", moment: first)
                object.member("width", moment: width)
                addCounts(list, to: &object)
            }
            object.array("sizes") { array in
                for bar in Self.used(picture.sizes.map { $0.client + $0.server }) {
                    array.object { object in
                        object.member("to", Int64(1) << Int64(min(bar, 52)))
                        object.member("client", picture.sizes[bar].client)
                        object.member("server", picture.sizes[bar].server)
                    }
                }
            }
            object.array("latencies") { array in
                for bar in Self.used(picture.latencies) {
                    array.object { object in
                        object.member("to", moment: ViewPicture.bound(bar))
                        object.member("count", picture.latencies[bar])
                    }
                }
            }
            object.array("hosts") { array in for host in hosts { array.host(host) } }
            object.member("typed", isWhole)
            object.array("messages") { array in
                for (name, type) in types {
                    array.object { object in
                        object.member("name", name)
                        object.member("count", type.count)
                        object.member("bytes", type.bytes)
                    }
                }
            }
            object.array("types") { array in
                for (name, kind) in picture.kinds.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
                    array.object { object in
                        object.member("name", name.visible)
                        object.member("count", kind.count)
                        object.member("bytes", kind.bytes)
                    }
                }
            }
        }
    }

    /// The picture of a view, brought up to what there is, with the calls that have been found by now, and whether these are all of them.
    private func picture(of view: ConsoleView) throws -> (ViewPicture, isComplete: Bool) {
        calls.advance()
        var picture = try view.picture.withLock { picture in
            try picture.advance(view, store)
            return picture
        }
        // Asked before: what is found between the two is in the list.
        let isComplete = calls.isComplete
        picture.add(calls.list(of: view))
        return (picture, isComplete)
    }

    private func addCounts(_ list: [TimeBins.Bin], to object: inout JSONComposer) {
        object.array("client") { array in for bucket in list { array.value(bucket.counts.client) } }
        object.array("server") { array in for bucket in list { array.value(bucket.counts.server) } }
    }

    /// The bars from the first one to the last one that have something.
    private static func used(_ counts: [Int64]) -> Range<Int> {
        guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 }) else { return 0..<0 }
        return first..<last + 1
    }
}

extension JSONComposer {
    fileprivate mutating func host(_ host: StoredHost) {
        object { object in
            object.member("name", host.name.visible)
            object.member("conversations", host.conversations)
            object.pair("messages", host.messages)
            object.pair("bytes", host.bytes)
            object.member("findings", host.findings)
        }
    }
}
