import Testing

@testable import WebConsole

/// What the console takes from the target of a request.
@Suite struct RequestTargetTests {
    @Test func `a path is taken apart, and what is encoded is decoded`() throws {
        let target = try #require(RequestTarget("/api/views/v7/rows?from=3&count=5&match=a%20b+c%26&empty"))
        #expect(target.path == ["api", "views", "v7", "rows"])
        #expect(target.number("from", standard: 0) == 3 && target.number("missing", standard: 9) == 9)
        #expect(target["match"] == "a b c&" && target["empty"] == "")
        #expect(RequestTarget("/")?.path == [""] && RequestTarget("//x")?.path == ["", "x"])
        #expect(RequestTarget("/%2e%2e/%2Fx")?.path == ["..", "/x"])
    }

    @Test(arguments: ["", "*", "http://x/", "api", "/%", "/%2", "/%zz", "/%ff", "/a?b=%", "/a?%c0%af=1"])
    func `what is not a path, or not encoded well, is refused`(text: String) { #expect(RequestTarget(text) == nil) }

    @Test(arguments: ["-1", "x", "1.5", "99999999999999999999", "9007199254740993", "0x1", " 1", ""])
    func `a number is digits, and no more than a browser can count`(text: String) throws {
        let target = try #require(RequestTarget("/api/payloads/1?from=\(text.replacing(" ", with: "%20"))"))
        #expect(target.number("from", standard: 0) == nil)
    }

    @Test(arguments: [
        ("GET", "/api/records/0"), ("GET", "/api/records/-1"), ("GET", "/api/records/x"), ("GET", "/api/records/"), ("GET", "/api"),
        ("GET", "/api/records/1/2/3"), ("GET", "/index.html/"), ("GET", "/Assets.swift"), ("GET", "/..%2fmain.js"), ("GET", "//main.js"),
    ])
    func `there is nothing of other names`(method: String, target: String) throws {
        let target = try #require(RequestTarget(target))
        #expect(throws: Route.Problem.unknown) { try Route(method, target) }
    }

    @Test(arguments: ["PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "PATCH", "get"])
    func `each path has one method`(method: String) throws {
        for (path, allowed) in [("/api/state", "GET"), ("/api/views", "POST"), ("/api/records/1", "GET"), ("/api/views/v1/close", "POST")] {
            let target = try #require(RequestTarget(path))
            #expect(throws: Route.Problem.method(allowed)) { try Route(method, target) }
        }
    }
}
