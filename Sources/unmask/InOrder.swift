import ArgumentParser
import Synchronization

/// The value of an option, and its place on the command line: for options of different names that belong together by their order.
struct InOrder<Value: ExpressibleByArgument>: ExpressibleByArgument {
    let value: Value
    /// Grows from option to option, as the parser comes to them.
    let place: Int

    init?(argument: String) {
        guard let value = Value(argument: argument) else { return nil }
        self.value = value
        place = parsedOptions.add(1, ordering: .relaxed).newValue
    }
}

private let parsedOptions = Atomic<Int>(0)
