/// Bodies by length, until close and in chunks.
extension HTTP1Layer {
    /// Takes bytes of a body; returns how many belong to it.
    mutating func readBody<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        guard self[side].phase != .untilCloseBody else {
            self[side].body.take(bytes, at: arrival, isLast: false, context: &context, sink: &sink)
            return bytes.byteCount
        }
        let count = Int(min(UInt64(bytes.byteCount), self[side].remaining))
        self[side].remaining -= UInt64(count)
        let isWhole = self[side].remaining == 0
        let isLast = isWhole && self[side].phase == .lengthBody
        if self[side].phase == .lengthBody { countCharacters(bytes.extracting(0..<count), of: side) }
        self[side].body.take(bytes.extracting(0..<count), at: arrival, isLast: isLast, context: &context, sink: &sink)
        if isLast {
            self[side].characters?.end = arrival.offset &+ UInt64(count)
            endBody(at: arrival.advanced(by: count))
        } else if isWhole {
            self[side].chunk.dataEnded()
            self[side].phase = .chunkFraming
        }
        return count
    }

    /// Reads the lines between chunks; returns where reading goes on in the run.
    mutating func readChunkFraming<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from start: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        self[side].body.touch(arrival)
        var position = start
        var chunk = self[side].chunk
        if !chunk.isBetweenLines { self[side].place.extend(by: arrival.place) }
        while position < bytes.byteCount {
            let before = chunk.oddities
            // Where the line begins, for when it is not completed.
            if chunk.isBetweenLines { self[side].begin(at: arrival.advanced(by: position)) }
            let meaning = chunk.take(bytes[position])
            if chunk.oddities != before {
                let new = chunk.oddities.subtracting(before)
                tell(new, at: arrival.advanced(by: position), context: &context, sink: &sink)
            }
            position += 1
            switch meaning {
            case .goesOn: continue
            case .sizeLine:
                self[side].chunk = chunk
                self[side].remaining = chunk.size
                self[side].phase = chunk.size == 0 ? .trailers : .chunkData
                return position
            case .badSize:
                self[side].chunk = chunk
                breakChunks(.httpChunkSizeInvalid, at: arrival.advanced(by: position - 1), context: &context, sink: &sink)
                return position - 1
            case .noTerminator:
                self[side].chunk = chunk
                breakChunks(.httpChunkTerminatorMissing, at: arrival.advanced(by: position - 1), context: &context, sink: &sink)
                return position - 1
            }
        }
        self[side].chunk = chunk
        return position
    }

    private mutating func breakChunks<Sink: ConversationSink & ~Copyable>(
        _ row: FindingRow, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let line = brokenLine(arrival)
        self[arrival.side].body.interrupt(at: line, context: &context, sink: &sink)
        self[arrival.side].body.release()
        tellBrokenLine(from: line, to: arrival, context: &context, sink: &sink)
        // An answer to HEAD has no chunks, whatever it announces.
        if isCertain(arrival.side) { context.emit(row, at: arrival, sink: &sink) }
        loseAlignment(at: arrival)
    }

    /// Where the chunk line that is not completed began; `arrival` itself where none did. The body ends before it.
    func brokenLine(_ arrival: Arrival) -> Arrival {
        let direction = self[arrival.side]
        guard direction.phase == .chunkFraming, !direction.chunk.isBetweenLines, direction.start < arrival.offset else { return arrival }
        return Arrival(side: arrival.side, offset: direction.start, place: direction.place)
    }

    /// Tells what came of a chunk line that is not completed.
    func tellBrokenLine<Sink: ConversationSink & ~Copyable>(
        from line: Arrival, to arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard line.offset < arrival.offset else { return }
        context.emit(.gap(Gap(length: arrival.offset &- line.offset, cause: .undecodable)), at: line, sink: &sink)
    }

    /// Tells the trailer section so far as it is, because its end will not come. Returns where it began.
    mutating func takeBuffer(at arrival: Arrival) -> (start: Arrival, bytes: [UInt8]) {
        let side = arrival.side
        guard !self[side].buffer.isEmpty else { return (arrival, []) }
        let bytes = self[side].buffer
        self[side].clearBuffer()
        return (Arrival(side: side, offset: self[side].start, place: self[side].place), bytes)
    }

    private func tell<Sink: ConversationSink & ~Copyable>(
        _ new: ChunkFraming.Oddities, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if new.contains(.bareLineFeed) { context.emit(.httpBareLF, at: arrival, sink: &sink) }
        if new.contains(.space) { context.emit(.httpChunkSizeSpace, at: arrival, sink: &sink) }
        if new.contains(.hasExtension) { context.emit(.httpChunkExtension, at: arrival, sink: &sink) }
        if new.contains(.badExtension) { context.emit(.httpChunkExtensionInvalid, at: arrival, sink: &sink) }
        if new.contains(.longExtension) {
            context.emit(.httpChunkExtensionLong, a: UInt64(ChunkFraming.longestExtension), at: arrival, sink: &sink)
        }
    }

    /// Reads the trailer section and the empty line that ends a chunked body.
    mutating func readTrailers<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from start: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        self[side].body.touch(arrival)
        if self[side].buffer.isEmpty {
            // Almost always there are none.
            if case .ends(let end) = HeadScan.emptyLine(in: bytes, at: start, to: bytes.byteCount) {
                if end - start == 1 { context.emit(.httpBareLF, at: arrival.advanced(by: start), sink: &sink) }
                self[side].body.finish(at: arrival.advanced(by: end), context: &context, sink: &sink)
                endMessage(side, at: arrival.place.time)
                return end
            }
            self[side].begin(at: arrival.advanced(by: start))
        }
        let limit = max(2, context.limits.headBytes)
        var buffer: [UInt8] = []
        swap(&buffer, &self[side].buffer)
        let before = buffer.count
        let added = min(bytes.byteCount - start, limit - before)
        buffer.append(copying: bytes.extracting(start..<start + added))
        self[side].scannedBytes &+= UInt64(buffer.count - self[side].searched)
        var result = HeadScan.scan(
            buffer.rawBytes, from: 0, searched: self[side].searched, isLineChecked: true, limit: limit, side: side)
        if case .ends(let end) = HeadScan.emptyLine(in: buffer.rawBytes, at: 0, to: buffer.count) { result = .whole(end) }
        let trailerStart = Arrival(side: side, offset: self[side].start, place: arrival.place)
        switch result {
        case .whole(let end):
            let section = buffer.rawBytes.extracting(0..<end)
            var fields = HTTP1Layer.fields(of: section, behind: -1, isCut: false)
            if end <= 2 { fields = ByteRange() }
            self[side].body.finish(
                at: trailerStart.advanced(by: end), trailers: section.extracting(fields.start..<fields.end), context: &context,
                sink: &sink)
            var judge = HeaderValidator(.trailers, at: trailerStart)
            judge.judge(section, fields: fields, context: &context, sink: &sink)
            self[side].clearBuffer()
            endMessage(side, at: arrival.place.time)
            return start + end - before
        case .tooLong:
            self[side].body.interrupt(at: trailerStart, context: &context, sink: &sink)
            self[side].body.release()
            context.emit(.gap(Gap(length: UInt64(limit), cause: .limit)), at: trailerStart, sink: &sink)
            context.emit(.httpHeadLimit, a: UInt64(limit), at: trailerStart, sink: &sink)
            self[side].clearBuffer()
            loseAlignment(at: trailerStart.advanced(by: limit))
            return start + added
        case .partial(let searched, _):
            swap(&buffer, &self[side].buffer)
            self[side].searched = searched
            return start + added
        case .simple, .invalid:
            // Only first lines are judged, and none is here.
            return start + added
        }
    }
}
