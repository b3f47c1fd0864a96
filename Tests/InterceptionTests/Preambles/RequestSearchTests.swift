import Dissection
import Support
import Testing

@testable import Interception

/// The beginning of a request is found wherever it stands, however the bytes are cut.
@Suite("Request search")
struct RequestSearchTests {
    @Test(
        "found",
        arguments: [
            "GET http://b/ HTTP/1.1", "\r\nget http://b/", "GET  http://b/", "abcGET\thttps://b/", "POST POST http://b/",
            "xyz\r\nCONNECT b:443 HTTP/1.1",
            "connect [::1]:80 HTTP/1.1", "GET ftp+x.y://b/", "connectx CONNECT b:1 ",
            "GET\u{B}http://b/", "CONNECT\tb:1\r\n", "frameCONNECT b:1 ", "conneconnect b:1 ",
        ])
    func found(text: String) {
        for cut in 1...text.utf8.count {
            var search = RequestSearch()
            var isFound = false
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty, !isFound {
                let run = Array(rest.prefix(cut))
                rest = rest.dropFirst(cut)
                isFound = search.find(in: run.rawBytes) != nil
            }
            #expect(isFound, "\(text) cut at \(cut)")
        }
    }

    @Test(
        "not found",
        arguments: [
            "", "hello", "GET / HTTP/1.1\r\nHost: b\r\n", "http://b/", "see: http://b/", "{\"url\":\"http://b/\"}", "CONNECT b HTTP/1.1",
            "connect to: us", "GET http:/b/",
        ])
    func notFound(text: String) {
        var search = RequestSearch()
        #expect(search.find(in: Array(text.utf8).rawBytes) == nil, "\(text)")
    }
}
