import Dissection
import Reports

// Whether an expression holds for an event, step by step.

extension FilterRun {
    /// Takes the steps of an expression for an event.
    @inline(__always)
    func run(_ code: FilterCode, _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
        var place = code.start
        var made: UInt64 = 0
        while place >= 0 {
            let step = code.steps[place]
            var holds = false
            if step.kinds.contains(event.kind) {
                made &+= 1
                holds = passes(step.test, of: code, event, decoded)
            }
            place = holds ? step.onSuccess : step.onFailure
        }
        testsMade &+= made
        return place == FilterCode.accept
    }

    @inline(__always)
    private func passes(
        _ test: FilterCode.Test, of code: FilterCode, _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?
    ) -> Bool {
        switch test {
        case .kind: return true
        case .number(let source, let relation, let value):
            guard let number = source.number(of: event) else { return false }
            return relation.holds(number, value)
        case .numberIn(let source, let index):
            guard let number = source.number(of: event) else { return false }
            for range in code.ranges[index] { if range.contains(number) { return true } }
            return false
        case .contains(let source, let index): return contains(source, code.searches[index], event)
        case .matches(let source, let pattern): return matches(source, pattern, event)
        case .mentioning(let search, let field):
            return mentions(code.searches[search], event) && holds(code.fields[field], event, decoded, nil)
        case .field(let index):
            let field = code.fields[index]
            return holds(field, event, decoded, field.isAboutConversation ? known.find(event.conversation) : nil)
        case .known(let index, let slot):
            // Answers are kept of connections whose requests follow each other.
            if event.channel.stream != 0 { return holds(code.fields[index], event, nil, known.find(event.conversation)) }
            let asker = KnownAnswers.Asker(event.from, isAnswered: KnownConversation.isAnswered(event))
            if let answer = known.answer(about: event.conversation, asker, slot) { return answer }
            return ask(code.fields[index], slot, asker, event)
        case .pair(let index):
            let pair = code.pairs[index]
            return compare(pair.left, pair.comparison, pair.right, event, decoded, known.find(event.conversation))
        case .exclusive(let left, let right): return isExclusive(code.codes[left], code.codes[right], event, decoded)
        }
    }

    /// Whether a test of a conversation holds for an event, which is asked again only when something new is known.
    private func ask(_ field: FieldTest, _ slot: Int, _ asker: KnownAnswers.Asker, _ event: borrowing ConversationEvent) -> Bool {
        // Looked up first: what is asked may not change the table.
        guard let talk = known.find(event.conversation) else { return false }
        if talk.answers.answer(asker, slot) == nil { talk.answers.keep(holds(field, event, nil, talk), asker, slot) }
        known.remember(talk.answers, about: event.conversation)
        return talk.answers.answer(asker, slot) ?? false
    }

    private func isExclusive(
        _ left: FilterCode, _ right: FilterCode, _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?
    ) -> Bool {
        run(left, event, decoded) != run(right, event, decoded)
    }

    private func contains(_ source: ContentSource, _ search: ByteSearch, _ event: borrowing ConversationEvent) -> Bool {
        guard let bytes = source.bytes(of: event), let place = search.first(in: bytes) else { return false }
        guard let count = source.count(of: bytes, event) else { return false }
        return place + search.needle.count <= count
    }

    private func matches(_ source: ContentSource, _ pattern: Int, _ event: borrowing ConversationEvent) -> Bool {
        guard let bytes = source.bytes(of: event) else { return false }
        if !source.isText { return find(pattern, in: bytes) }
        // Most bytes are text, and are wholly: what is not found in them needs no look at what they are.
        guard mayFind(pattern, in: bytes), let count = source.count(of: bytes, event) else { return false }
        return find(pattern, in: bytes.extracting(0..<count))
    }

    /// Whether a payload has what a search looks for, or something that may be written in another way.
    private func mentions(_ search: ByteSearch, _ event: borrowing ConversationEvent) -> Bool {
        guard case .body(let body) = event.fact else {
            return search.first(in: event.content) != nil || FilterRun.escape.first(in: event.content) != nil
        }
        let bytes = event.part(body.payload)
        return search.first(in: bytes) != nil || FilterRun.escape.first(in: bytes) != nil
    }
}
