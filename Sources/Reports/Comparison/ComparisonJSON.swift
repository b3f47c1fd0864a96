import Dissection

extension RecordingComparison {
    /// The version of the JSON form.
    private static let formVersion: UInt64 = 1

    /// One JSON object: what differs in each conversation of both recordings, and the conversations that only one has.
    package func json(tool: String) -> [UInt8] {
        var json = JSONComposer()
        json.object { json in
            json.member("version", Self.formVersion)
            json.member("tool", tool)
            json.member("differs", differs)
            json.array("conversations") { json in for talk in talks { json.object { $0.append(talk) } } }
            json.append("lost", lost)
            json.append("added", added)
            json.member("sealed", sealed)
            json.member("withoutContent", withoutContent)
            json.member("dropped", dropped)
        }
        return json.finish()
    }
}

extension JSONComposer {
    fileprivate mutating func append(_ key: String, _ talks: [(name: String, elements: UInt64)]) {
        array(key) { json in
            for talk in talks {
                json.object { json in
                    json.member("name", talk.name)
                    json.member("messages", talk.elements)
                }
            }
        }
    }

    fileprivate mutating func append(_ talk: ConversationComparison) {
        member("host", talk.old.host)
        member("path", talk.old.path)
        member("first", talk.old.number)
        member("second", talk.new.number)
        member("differs", talk.differs)
        member("equal", talk.equal)
        member("changed", talk.changed)
        array("changes") { json in
            for change in talk.changes {
                json.object { json in
                    json.append(change.from, change.kind)
                    json.member("path", change.path)
                    json.member("count", change.count)
                    json.append(change.position)
                    if let old = change.first.old { json.member("before", old) }
                    if let new = change.first.new { json.member("after", new) }
                }
            }
        }
        append("lost", talk.lost)
        append("added", talk.added)
        array("reordered") { json in
            for move in talk.moved {
                json.object { json in
                    json.append(move.from, move.kind)
                    json.append(move.position)
                    json.member("content", move.words)
                }
            }
        }
        array("slower") { json in
            for slower in talk.slower {
                json.object { json in
                    json.append(slower.from, slower.kind)
                    json.member("count", slower.count)
                    json.append(slower.position)
                    json.member("before", seconds: slower.latency.old)
                    json.member("after", seconds: slower.latency.new)
                }
            }
        }
        if talk.endsDifferently {
            object("ended") { json in
                json.member("before", talk.old.ending)
                json.member("after", talk.new.ending)
            }
        }
        member("byPosition", talk.isByPosition)
    }

    private mutating func append(_ key: String, _ runs: [ConversationComparison.Run]) {
        array(key) { json in
            for run in runs {
                json.object { json in
                    json.append(run.from, run.kind)
                    json.member("first", UInt64(run.positions.lowerBound))
                    json.member("last", UInt64(run.positions.upperBound))
                    json.member("content", run.words)
                }
            }
        }
    }

    private mutating func append(_ from: Side, _ kind: RecordedElement.Kind) {
        member("from", "\(from)")
        member("kind", kind.rawValue)
    }

    /// The places of the first that is meant, in what the side said.
    private mutating func append(_ position: (old: Int, new: Int)) {
        member("first", UInt64(position.old))
        member("second", UInt64(position.new))
    }
}
