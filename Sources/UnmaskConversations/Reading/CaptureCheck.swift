/// The findings of a capture.
public struct CaptureCheck: Sendable {
    /// In the order in which they were found.
    public let findings: [ConversationFinding]
    /// Findings that were more than the caller wanted.
    public let omitted: Int
    /// Damaged places of the capture, the first 100.
    public let damage: [CaptureError]
    /// What the capture amounted to; nil where it could not be read to its end.
    public let totals: ConversationEvent.Totals?
}

extension CaptureReading {
    /// Reads the capture for its findings alone.
    ///
    /// ```swift
    /// for finding in try await CaptureReading(path: path).check(from: .violation).findings { print(finding) }
    /// ```
    ///
    /// - Parameters:
    ///   - severity: findings below it are left out.
    ///   - most: findings that are kept; the others are counted in ``CaptureCheck/omitted``.
    /// - Throws: ``CaptureError`` where the capture cannot be read to its end, or `CancellationError`.
    public func check(from severity: ConversationFinding.Severity = .note, most: Int = 10_000) async throws -> CaptureCheck {
        var (findings, omitted, damage) = ([ConversationFinding](), 0, [CaptureError]())
        var totals: ConversationEvent.Totals?
        for try await event in withoutPayloads {
            switch event.content {
            case .finding(let finding) where finding.severity >= severity:
                if findings.count < most { findings.append(finding) } else { omitted += 1 }
            case .damage(let error): if damage.count < 100 { damage.append(error) }
            case .ended(let sum): totals = sum
            case _: continue
            }
        }
        return CaptureCheck(findings: findings, omitted: omitted, damage: damage, totals: totals)
    }
}
