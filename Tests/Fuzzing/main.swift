import ConsoleFuzzing
import Foundation
import Support

// unmask-fuzz NAME [libFuzzer's options]: runs one fuzzer. Built by `make fuzz` only.

enum Inputs {
    /// With UNMASK_FUZZ_FIRST=N only inputs whose first byte is N are tried: of payloads that is one format of them.
    static let firstByte = ProcessInfo.processInfo.environment["UNMASK_FUZZ_FIRST"].flatMap { UInt8($0) }
}

/// libFuzzer's own main program, with the function it is to call.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ take: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

func tell(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

/// Tries an input and stops the process where something does not hold, which libFuzzer takes for a crash. -1 keeps the input out of the
/// corpus.
func take(_ fuzzer: Fuzzer, _ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    take(fuzzer.rawValue, start, count) { fuzzer.complaints(about: $0) }
}

func take(_ name: String, _ start: UnsafePointer<UInt8>?, _ count: Int, _ complaints: ([UInt8]) -> [String]) -> Int32 {
    if let first = Inputs.firstByte, count == 0 || start?.pointee != first { return -1 }
    let complaints = complaints([UInt8](UnsafeBufferPointer(start: start, count: count)))
    guard complaints.isEmpty else {
        for complaint in complaints { tell("\(name): \(complaint)") }
        abort()
    }
    return 0
}

let name = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ""
let (fuzzer, ofConsole) = (Fuzzer(rawValue: name), ConsoleFuzzing(rawValue: name))
guard fuzzer != nil || ofConsole != nil else {
    let names = Fuzzer.allCases.map(\.rawValue) + ConsoleFuzzing.allCases.map(\.rawValue)
    tell("usage: unmask-fuzz \(names.joined(separator: "|")) [libFuzzer's options]")
    exit(2)
}

// A function pointer carries no context, so each fuzzer has its own.
let callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 =
    switch fuzzer {
    case .captureFile: { take(.captureFile, $0, $1) }
    case .packets: { take(.packets, $0, $1) }
    case .http1: { take(.http1, $0, $1) }
    case .webSocket: { take(.webSocket, $0, $1) }
    case .http2: { take(.http2, $0, $1) }
    case .hpack: { take(.hpack, $0, $1) }
    case .tls: { take(.tls, $0, $1) }
    case .payloads: { take(.payloads, $0, $1) }
    case nil where ofConsole == .requests: { take("console-requests", $0, $1) { ConsoleFuzzing.requests.complaints(about: $0) } }
    case nil: { take("console", $0, $1) { ConsoleFuzzing.connection.complaints(about: $0) } }
    }
// The fuzzer's name is left out: libFuzzer would take it for a folder of inputs.
var arguments = ([CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)).map { strdup($0) } + [nil]
var count = Int32(arguments.count - 1)
let status = arguments.withUnsafeMutableBufferPointer { buffer -> Int32 in
    guard var base = buffer.baseAddress else { return 2 }
    return runDriver(&count, &base, callback)
}
exit(status)
