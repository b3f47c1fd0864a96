#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// posix_spawn(3) has structures on Linux, and pointers on macOS.

#if canImport(Darwin)
public typealias SpawnActions = posix_spawn_file_actions_t?
public typealias SpawnAttributes = posix_spawnattr_t?
#else
public typealias SpawnActions = posix_spawn_file_actions_t
public typealias SpawnAttributes = posix_spawnattr_t
#endif

/// What `posix_spawn_file_actions_init` and `posix_spawnattr_init` are called for.
public func blankSpawnSettings() -> (actions: SpawnActions, attributes: SpawnAttributes) {
    #if canImport(Darwin)
    (nil, nil)
    #else
    (SpawnActions(), SpawnAttributes())
    #endif
}
