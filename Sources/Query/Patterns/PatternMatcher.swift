import CPCRE2
import Dissection

/// Looks for a regular expression in bytes: PCRE2 with its JIT, within a bound of steps, so that no expression and no payload takes time without end.
///
/// Bytes that are UTF-8 are looked at as characters; those that are not match nothing, and what stands around them does (PCRE2_MATCH_INVALID_UTF).
/// One matcher is used by one thread.
@safe package final class PatternMatcher {
    /// What came of a search.
    package enum Outcome: Hashable, Sendable {
        /// The first place where it matches, in bytes.
        case found(Range<Int>)
        case nowhere
        /// It was given up: the expression takes too many steps for these bytes.
        case tooCostly
    }

    /// Steps of one search, as PCRE2 counts them (PCRE2_INFO_MATCHLIMIT): a fraction of a second.
    private static let mostSteps: UInt32 = 1_000_000
    /// Stack that the compiled code may take in one search, in bytes.
    private static let jitStack = (least: 32 << 10, most: 1 << 20)
    /// Memory that the search without JIT may take, in KiB.
    private static let mostHeap: UInt32 = 4_096

    private let code: OpaquePointer
    private let data: OpaquePointer
    private let context: OpaquePointer
    private let stack: OpaquePointer?
    /// What does not have it is not searched.
    private let required: ByteSearch?

    /// - Throws: what is wrong with the expression.
    convenience init(compiling pattern: PatternText) throws(PatternText.Problem) {
        var error: Int32 = 0
        var offset = 0
        var options = UInt32(PCRE2_UTF) | UInt32(PCRE2_MATCH_INVALID_UTF) | UInt32(PCRE2_NEVER_BACKSLASH_C)
        if pattern.ignoresCase { options |= UInt32(PCRE2_CASELESS) }
        let bytes = Array(pattern.text.utf8)
        let code = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: UInt8.self) { text in
                // An empty array has no address, which PCRE2 takes amiss.
                unsafe text.baseAddress.map { unsafe unmask_pcre2_compile($0, text.count, options, &error, &offset) }
                    ?? unmask_pcre2_compile([0], 0, options, &error, &offset)
            }
        }
        guard let code = unsafe code else { throw PatternText.Problem(reason: PatternMatcher.words(for: error), offset: offset) }
        let literal = RequiredLiteral.find(in: pattern.text, ignoresCase: pattern.ignoresCase)
        try unsafe self.init(code, requiring: literal.map { ByteSearch($0, ignoringCase: pattern.ignoresCase) })
    }

    /// Makes a matcher of an expression that is known to be one; nil where memory is not to be had.
    package convenience init?(_ pattern: PatternText) {
        do throws(PatternText.Problem) { try self.init(compiling: pattern) } catch { return nil }
    }

    private init(_ code: OpaquePointer, requiring required: ByteSearch?) throws(PatternText.Problem) {
        self.required = required
        guard let data = unsafe pcre2_match_data_create_8(1, nil), let context = unsafe pcre2_match_context_create_8(nil) else {
            unsafe pcre2_code_free_8(code)
            throw PatternText.Problem(reason: "no memory for it", offset: 0)
        }
        unsafe self.code = code
        unsafe self.data = data
        unsafe self.context = context
        unsafe pcre2_set_match_limit_8(context, PatternMatcher.mostSteps)
        unsafe pcre2_set_heap_limit_8(context, PatternMatcher.mostHeap)
        // Without JIT (another processor) the same is found, more slowly.
        unsafe pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE))
        unsafe stack = pcre2_jit_stack_create_8(PatternMatcher.jitStack.least, PatternMatcher.jitStack.most, nil)
        if let stack = unsafe stack { unsafe pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(stack)) }
    }

    deinit {
        unsafe pcre2_jit_stack_free_8(stack)
        unsafe pcre2_match_context_free_8(context)
        unsafe pcre2_match_data_free_8(data)
        unsafe pcre2_code_free_8(code)
    }

    /// Looks for the first match that begins at `start` or later.
    package func search(_ bytes: RawSpan, from start: Int = 0) -> Outcome {
        // What PCRE2 has compiled, and the places that it reports, go with this object.
        defer { extendLifetime(self) }
        guard start >= 0, start <= bytes.byteCount, start > 0 || mayMatch(bytes) else { return .nowhere }
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe buffer.withMemoryRebound(to: UInt8.self) { text in
                // An empty buffer may have no address.
                var nothing: UInt8 = 0
                return unsafe withUnsafePointer(to: &nothing) { empty in
                    unsafe pcre2_match_8(code, text.baseAddress ?? empty, text.count, start, 0, data, context)
                }
            }
        }
        if result == PCRE2_ERROR_NOMATCH { return .nowhere }
        guard result >= 0 else { return .tooCostly }
        guard let places = unsafe pcre2_get_ovector_pointer_8(data) else { return .nowhere }
        let (first, end) = unsafe (places[0], places[1])
        // `\K` in a lookahead can put the end before the beginning.
        return .found(first..<max(first, end))
    }

    /// Whether bytes have the text that every match has, as far as one is known.
    @inline(__always)
    package func mayMatch(_ bytes: RawSpan) -> Bool {
        guard let required else { return true }
        return required.first(in: bytes) != nil
    }

    private static func words(for error: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe buffer.withUnsafeMutableBufferPointer { unsafe pcre2_get_error_message_8(error, $0.baseAddress, $0.count) }
        guard count > 0 else { return "not a regular expression" }
        return String(decoding: buffer.prefix(Int(count)), as: UTF8.self)
    }
}
