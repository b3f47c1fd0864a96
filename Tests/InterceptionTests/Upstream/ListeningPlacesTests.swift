import Foundation
import NIOCore
import Testing

@testable import Interception

@Suite("The places at which a proxy listens")
struct ListeningPlacesTests {
    private func places(_ address: String) throws -> ListeningPlaces {
        let places = ListeningPlaces()
        places.add(try SocketAddress(ipAddress: address, port: 8_080))
        return places
    }

    @Test(
        "dialling it by any of its addresses would come back",
        arguments: [
            ("127.0.0.1", ["127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1", "::ffff:0.0.0.0"]),
            ("::1", ["::1", "::"]),
            ("0.0.0.0", ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::ffff:127.0.0.1"]),
            ("::", ["::1", "::", "127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1"]),
            ("::ffff:127.0.0.1", ["127.0.0.1", "0.0.0.0"]),
        ])
    func same(listening: String, dialled: [String]) throws {
        let places = try places(listening)
        for address in dialled {
            #expect(places.contain(try SocketAddress(ipAddress: address, port: 8_080)), "\(address)")
            #expect(!places.contain(try SocketAddress(ipAddress: address, port: 8_081)), "\(address)")
        }
    }

    @Test("other places are other places", arguments: [("127.0.0.1", ["127.0.0.2", "::1", "::", "192.0.2.1"]), ("::1", ["127.0.0.1"])])
    func other(listening: String, dialled: [String]) throws {
        let places = try places(listening)
        for address in dialled { #expect(!places.contain(try SocketAddress(ipAddress: address, port: 8_080)), "\(address)") }
    }

    @Test(
        "a zone makes another place of link-local addresses alone",
        arguments: [("::1", true), ("::ffff:127.0.0.1", true), ("fe80::1", false)])
    func zones(address: String, isSame: Bool) throws {
        let places = try places(address)
        guard case .v6(let plain) = try SocketAddress(ipAddress: address, port: 8_080) else { return }
        var zoned = plain.address
        zoned.sin6_scope_id = 1
        #expect(places.contain(SocketAddress(zoned)) == isSame)
        #expect(places.contain(port: 8_080) && !places.contain(port: 8_081))
    }

    @Test("a Unix socket is the same one by a path with detours")
    func unixSocket() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("socket").path
        try Data().write(to: URL(fileURLWithPath: path))
        let places = ListeningPlaces()
        places.add(try SocketAddress(unixDomainSocketPath: path))
        #expect(places.contain(try SocketAddress(unixDomainSocketPath: folder.path + "/../\(folder.lastPathComponent)/socket")))
        #expect(!places.contain(try SocketAddress(unixDomainSocketPath: folder.path + "/other")))
    }
}
