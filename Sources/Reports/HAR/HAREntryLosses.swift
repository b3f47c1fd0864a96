import Dissection

/// What cannot be told of an entry of an HTTP archive that is read, for the user.
struct HAREntryLosses {
    enum Loss: Int, CaseIterable {
        case messageNoObject, messagesNoList, opcode, closeCode, status, base64, parameters

        func words(_ count: Int) -> String {
            switch self {
            case .messageNoObject: count == 1 ? "1 of its messages is not an object" : "\(count) of its messages are not objects"
            case .messagesNoList: "its \"_webSocketMessages\" is not a list"
            case .opcode: count == 1 ? "1 of its messages has no valid opcode" : "\(count) of its messages have no valid opcode"
            case .closeCode: "its close code is not valid"
            case .status: "its status is not valid"
            case .base64: count == 1 ? "1 of its contents is not valid Base64" : "\(count) of its contents are not valid Base64"
            case .parameters: "what was posted is in \"params\" alone"
            }
        }
    }

    private var counts = [Int](repeating: 0, count: Loss.allCases.count)

    mutating func add(_ loss: Loss) { counts[loss.rawValue] &+= 1 }

    /// Nil where nothing is lost.
    var words: String? {
        let all = Loss.allCases.filter { counts[$0.rawValue] > 0 }.map { $0.words(counts[$0.rawValue]) }
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }
}
