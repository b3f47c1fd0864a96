// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "conversations",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "unmask", path: "../../..")],
    targets: [
        .executableTarget(name: "conversations", dependencies: [.product(name: "UnmaskConversations", package: "unmask")]),
        .testTarget(
            name: "RecordedChatTests",
            dependencies: [
                .product(name: "UnmaskConversations", package: "unmask"), .product(name: "UnmaskDecryption", package: "unmask"),
            ]),
    ]
)
