#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The name of what `readdir` has given, without its final zero.
///
/// A record is as long as its name, so that the last one of a buffer ends before `d_name` does as C declares it: 256 bytes are not there. The name is
/// read where it lies, and no further than its zero.
public func entryName(_ entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    guard let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else { return [] }
    let name = UnsafeRawPointer(entry) + offset
    return Array(UnsafeRawBufferPointer(start: name, count: strlen(name.assumingMemoryBound(to: CChar.self))))
}
