import Dissection

/// Follows the packets of one side of MQTT field by field (MQTT 3.1.1 and 5.0, sections 2 and 3), however they are cut into messages: of what came before
/// only the state is kept.
struct MQTTWalk {
    enum Role { case plain, text, secret, name, named }

    /// Some bytes of a field.
    struct Segment {
        let range: Range<Int>
        let role: Role
        let begins: Bool
        let ends: Bool
    }

    private enum Step { case skip(Int), version, flags, field(Role), properties, property, varint, filters(hasOptions: Bool), rest(Role) }
    private enum State { case type, length, body }

    /// The protocol level of the CONNECT; 0 where it was not seen.
    var level: UInt8
    private(set) var isLost = false
    /// What was missing when it was lost may have had the beginning of a password.
    private var lostSecret = false
    private var state = State.type
    private var first: UInt8 = 0
    /// A number that is being read, and how many bytes came of it.
    private var (number, digits) = (0, 0)
    /// Bytes of the packet that are still to come, and how many will be when its properties end.
    private var (left, leftAfterProperties) = (0, 0)
    /// What comes, the next last.
    private var steps: [Step] = []
    /// The field that has begun.
    private var field: (role: Role, left: Int, isFresh: Bool)?
    /// Of a user property.
    private var name: [UInt8] = []

    var heldBytes: Int { steps.capacity * MemoryLayout<Step>.stride + name.capacity }
    /// A packet ends where the next would begin.
    private var isBetween: Bool {
        guard !isLost, case .type = state else { return false }
        return true
    }

    init(level: UInt8) { self.level = level }

    /// Bytes are missing: the fields are found again with a message that is whole packets.
    mutating func lose() {
        lostSecret = lostSecret || field?.role == .secret || awaitsSecret
        isLost = true
    }

    /// A password is still to come, or may be.
    private var awaitsSecret: Bool {
        steps.contains {
            switch $0 {
            case .field(.secret), .version, .flags: true
            case _: false
            }
        }
    }

    /// So many bytes are not shown.
    mutating func skip(_ count: UInt64) {
        guard count > 0, !isLost else { return }
        guard var field, count <= UInt64(field.left) else { return lose() }
        field.left -= Int(count)
        left -= Int(count)
        self.field = field.left > 0 ? field : nil
        if left == 0 { end() }
    }

    /// The fields of the next bytes.
    mutating func take(_ bytes: [UInt8]) -> [Segment] {
        if isLost {
            var other = MQTTWalk(level: level)
            let segments = other.take(bytes)
            guard other.isBetween, !bytes.isEmpty else {
                return [Segment(range: 0..<bytes.count, role: lostSecret ? .secret : .text, begins: true, ends: true)]
            }
            self = other
            return segments
        }
        var segments: [Segment] = []
        var index = 0
        while index < bytes.count {
            guard !isLost else {
                segments.append(Segment(range: index..<bytes.count, role: lostSecret ? .secret : .text, begins: true, ends: true))
                break
            }
            if let field {
                let range = index..<index + min(field.left, bytes.count - index)
                segments.append(Segment(range: range, role: field.role, begins: field.isFresh, ends: range.count == field.left))
                if field.role == .name { name += bytes[range].prefix(SecretNames.longest + 1 - name.count) }
                pass(range.count, of: field)
                index = range.upperBound
            } else {
                take(bytes[index])
                index += 1
            }
        }
        return segments
    }

    private mutating func pass(_ count: Int, of field: (role: Role, left: Int, isFresh: Bool)) {
        self.field = nil
        if field.left > count { self.field = (role: field.role, left: field.left - count, isFresh: false) }
        left -= count
        settleOrEnd()
    }

    private mutating func settleOrEnd() { if left > 0 { settle() } else { end() } }

    private mutating func end() { (state, steps, field) = (.type, [], nil) }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .type:
            guard byte >> 4 > 0 else { return lose() }
            (first, state, number, digits) = (byte, .length, 0, 0)
        case .length:
            guard digit(byte) else { return }
            (left, state) = (number, .body)
            (number, digits) = (0, 0)
            steps = plan.reversed()
            settleOrEnd()
        case .body:
            left -= 1
            step(byte)
            settleOrEnd()
        }
    }

    /// Takes a byte of a number of seven bits a byte. Returns whether it was the last.
    private mutating func digit(_ byte: UInt8) -> Bool {
        number |= Int(byte & 0x7f) << (7 * digits)
        digits += 1
        if byte < 0x80 { return true }
        if digits == 4 { lose() }
        return false
    }

    /// What stands in a packet.
    private var plan: [Step] {
        let properties: [Step] = level == 5 ? [.properties] : []
        let steps: [Step] =
            switch first >> 4 {
            case 1: [.field(.plain), .version, .flags]
            case 2: [.skip(2)] + properties
            case 3: [.field(.text)] + (first & 6 > 0 ? [.skip(2)] : []) + properties
            case 4...7: [.skip(3)] + properties
            case 8: [.skip(2)] + properties + [.filters(hasOptions: true)]
            case 9, 11: [.skip(2)] + properties + [.rest(.plain)]
            case 10: [.skip(2)] + properties + [.filters(hasOptions: false)]
            case 14, 15: [.skip(1)] + properties
            case _: []
            }
        return steps + [.rest(.text)]
    }

    /// What follows the flags of a CONNECT.
    private func connect(_ flags: UInt8) -> [Step] {
        let properties: [Step] = level == 5 ? [.properties] : []
        var steps: [Step] = [.skip(2)] + properties + [.field(.text)]
        if flags & 0x04 != 0 { steps += properties + [.field(.text), .field(.text)] }
        if flags & 0x80 != 0 { steps.append(.field(.text)) }
        if flags & 0x40 != 0 { steps.append(.field(.secret)) }
        return steps
    }

    /// Passes what takes no byte, up to a field or what takes one.
    private mutating func settle() {
        while let step = steps.last {
            switch step {
            case .skip(0): steps.removeLast()
            case .property where left <= leftAfterProperties: steps.removeLast()
            case .filters(let hasOptions):
                if hasOptions { steps.append(.skip(1)) }
                steps.append(.field(.text))
            case .rest(let role):
                if field == nil { field = (role: role, left: left, isFresh: true) }
                return
            case _: return
            }
        }
    }

    private mutating func step(_ byte: UInt8) {
        guard let step = steps.popLast() else { return }
        switch step {
        case .skip(let count): steps.append(.skip(count - 1))
        case .version: level = byte
        case .flags: steps += connect(byte).reversed()
        case .field(let role):
            number = number << 8 | Int(byte)
            digits += 1
            guard digits == 2 else { return steps.append(step) }
            begin(role, min(number, left))
            (number, digits) = (0, 0)
        case .properties:
            guard digit(byte) else { return steps.append(step) }
            leftAfterProperties = max(0, left - number)
            (number, digits) = (0, 0)
            steps.append(.property)
        case .varint:
            guard digit(byte) else { return steps.append(step) }
            (number, digits) = (0, 0)
        case .property: steps += [.property] + values(of: byte).reversed()
        case .filters, .rest: break
        }
    }

    private mutating func begin(_ role: Role, _ length: Int) {
        if role == .name { name = [] }
        guard length > 0 else { return }
        let isSecret = role == .named && SecretNames.isSecret(name[...])
        let resolved = role == .named ? isSecret ? Role.secret : .text : role
        field = (role: resolved, left: length, isFresh: true)
    }

    /// What follows the number of a property (MQTT 5.0, section 2.2.2.2).
    private func values(of property: UInt8) -> [Step] {
        switch property {
        case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2a: [.skip(1)]
        case 0x13, 0x21, 0x22, 0x23: [.skip(2)]
        case 0x02, 0x11, 0x18, 0x27: [.skip(4)]
        case 0x0b: [.varint]
        case 0x16: [.field(.secret)]
        case 0x26: [.field(.name), .field(.named)]
        case _: [.field(.text)]
        }
    }
}

/// The packets of one side, and the text in which the last message ended.
struct MQTTPackets {
    var walk: MQTTWalk
    var text = OverwrittenText()

    var heldBytes: Int { walk.heldBytes + text.heldBytes + MemoryLayout<MQTTPackets>.stride }
}
