// swift-tools-version: 6.2
import PackageDescription

/// What every module of ours is compiled with.
let house: [SwiftSetting] = [
    .enableExperimentalFeature("Lifetimes"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// What the modules that see bytes of strangers are compiled with on top: each unsafe construct has to be marked.
let strict: [SwiftSetting] =
    house + [
        .strictMemorySafety(),
        .treatWarning("StrictMemorySafety", as: .error),
    ]

/// What the modules are compiled with that other packages see: nothing of the modules below may stand in what they declare as public.
let facade: [SwiftSetting] = strict + [.enableUpcomingFeature("InternalImportsByDefault")]

/// `make fuzz` builds with libFuzzer and what it watches the code by. The flags are unsafe in SwiftPM's sense, so that a package with them
/// could not be depended on; nobody else gets to see them.
let isFuzzed = Context.environment["UNMASK_FUZZ"] != nil
let coverage: [SwiftSetting] =
    isFuzzed
    ? [.unsafeFlags(["-sanitize=fuzzer", "-sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp"])] : []

let package = Package(
    name: "unmask",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "UnmaskConversations", targets: ["UnmaskConversations"]),
        .library(name: "UnmaskDecryption", targets: ["UnmaskDecryption"]),
        .executable(name: "unmask", targets: ["unmask"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CNamespaces"),
        .target(name: "Libc", swiftSettings: house),
        .systemLibrary(name: "CWideBase64"),
        .systemLibrary(name: "CWideJSON"),
        .systemLibrary(name: "CPrefetch"),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLibpcap", pkgConfig: "libpcap", providers: [.apt(["libpcap-dev"])]),
        .target(
            name: "Dissection", dependencies: ["CZlib", "CZstd", "CBrotli", "CWideBase64", "CPrefetch"], swiftSettings: strict + coverage),
        .target(name: "CaptureFiles", dependencies: ["Dissection", "Libc", "CZlib", "CZstd"], swiftSettings: strict + coverage),
        .target(name: "LiveCapture", dependencies: ["Dissection", "CaptureFiles", "Libc", "CLibpcap"], swiftSettings: house),
        .target(name: "Reports", dependencies: ["Dissection", "CaptureFiles", "Libc", "CWideJSON"], swiftSettings: strict + coverage),
        .target(name: "Decryption", dependencies: ["Dissection", "CaptureFiles", "Libc", "CLibcrypto"], swiftSettings: strict + coverage),
        .target(name: "UnmaskConversations", dependencies: ["Dissection", "CaptureFiles", "Reports"], swiftSettings: facade),
        .target(
            name: "UnmaskDecryption", dependencies: ["UnmaskConversations", "CaptureFiles", "Decryption"], swiftSettings: facade),
        .target(name: "Query", dependencies: ["Dissection", "Reports", "CPCRE2"], swiftSettings: strict + coverage),
        .target(
            name: "Sessions", dependencies: ["Dissection", "CaptureFiles", "Reports", "Libc", "CSQLite"], swiftSettings: house + coverage),
        .target(
            name: "Runs",
            dependencies: ["Dissection", "CaptureFiles", "LiveCapture", "Reports", "Decryption", "Sessions", "Libc"], swiftSettings: house),
        .target(name: "CertificateAuthority", dependencies: ["Dissection", "Libc", "CLibcrypto"], swiftSettings: house),
        .target(
            name: "Interception",
            dependencies: [
                "Dissection", "CaptureFiles", "Reports", "CertificateAuthority", "Libc", "CMalloc",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            exclude: ["TLS/README.md"],
            swiftSettings: house),
        .target(
            name: "WebConsole",
            dependencies: [
                "Dissection", "CaptureFiles", "Reports", "Query", "Sessions", "Libc",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            exclude: ["Page"],
            swiftSettings: house + coverage),
        .target(
            name: "Demonstration",
            dependencies: [
                "CertificateAuthority", "Libc",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "unmask",
            dependencies: [
                "Dissection", "CaptureFiles", "LiveCapture", "Reports", "Decryption", "Query", "Sessions", "Runs", "CertificateAuthority",
                "Interception", "WebConsole",
                "Demonstration", "Libc", "CNamespaces", "CYaml",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),
        .target(
            name: "Support", dependencies: ["Dissection", "Decryption", "CaptureFiles", "Reports", "Libc"], path: "Tests/Support",
            swiftSettings: house),
        // What fuzzes the server of the console, apart from Support: that one is part of a build without the console.
        .target(
            name: "ConsoleFuzzing",
            dependencies: [
                "WebConsole", "Sessions", "Reports", "CaptureFiles", "Dissection", "Libc",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            path: "Tests/ConsoleFuzzing", swiftSettings: house),
        .testTarget(
            name: "DissectionTests", dependencies: ["Dissection", "Reports", "Support"], exclude: ["Crashers/Inputs"], swiftSettings: house),
        .testTarget(name: "CaptureFilesTests", dependencies: ["CaptureFiles", "LiveCapture", "Support"], swiftSettings: house),
        .testTarget(name: "ReportsTests", dependencies: ["Reports", "Libc", "Support"], swiftSettings: house),
        .testTarget(
            name: "DecryptionTests", dependencies: ["Decryption", "Dissection"], exclude: ["Recordings"], swiftSettings: house),
        .testTarget(name: "QueryTests", dependencies: ["Query", "Dissection", "Reports", "Support"], swiftSettings: house),
        .testTarget(
            name: "SessionsTests",
            dependencies: ["Sessions", "Dissection", "Reports", "Libc", "Support"],
            swiftSettings: house),
        .testTarget(
            name: "CertificateAuthorityTests", dependencies: ["CertificateAuthority", "Dissection", "Support"], swiftSettings: house),
        .testTarget(
            name: "InterceptionTests",
            dependencies: [
                "Interception", "CertificateAuthority", "Support", "CaptureFiles", "Dissection", "Reports", "Libc",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "WebConsoleTests",
            dependencies: [
                "WebConsole", "ConsoleFuzzing", "Sessions", "Reports", "Support",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Crashers"],
            swiftSettings: house),
        .testTarget(
            name: "DemonstrationTests",
            dependencies: [
                "Demonstration", "CertificateAuthority",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "UnmaskConversationsTests", dependencies: ["UnmaskConversations", "UnmaskDecryption"], swiftSettings: house),
        .testTarget(
            name: "EndToEndTests", dependencies: ["Support", "CaptureFiles", "Libc", "unmask"], exclude: ["Forged"], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)

if Context.environment["UNMASK_OPENING"] != nil {
    package.targets.append(
        .executableTarget(
            name: "unmask-opening", dependencies: ["Decryption", "Dissection", "Libc"], path: "Tests/Opening", swiftSettings: house))
}

if isFuzzed {
    package.targets.append(
        .executableTarget(
            name: "unmask-fuzz", dependencies: ["Support", "ConsoleFuzzing"], path: "Tests/Fuzzing", swiftSettings: house,
            // The archives of libFuzzer are beyond the gold linker.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}

// What reads, and its tests, without the proxy, the command line and what they stand on: `make quick`.
if Context.environment["UNMASK_QUICK"] != nil {
    let left: Set = [
        "CertificateAuthority", "Interception", "Demonstration", "WebConsole", "ConsoleFuzzing", "unmask", "SessionsTests",
        "CertificateAuthorityTests", "InterceptionTests",
        "DemonstrationTests", "WebConsoleTests", "EndToEndTests",
    ]
    package.dependencies = []
    // A product without its target would stop the build before it began.
    package.products.removeAll { $0.name == "unmask" }
    package.targets.removeAll { left.contains($0.name) }
}
