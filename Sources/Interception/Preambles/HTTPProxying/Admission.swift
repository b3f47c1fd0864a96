extension HTTPProxyRequests {
    /// What is to be done about bytes of the server.
    package struct Admission: Hashable, Sendable {
        /// What the server sent beyond what it was asked for.
        package enum Surplus: Hashable, Sendable {
            /// A 101 for a request that had offered no upgrade. It is passed on, and the connections end.
            case upgrade
            /// Something after the response to the last request. The connection with the server ends.
            case response
            /// A response of which nobody can tell where it ends. Nothing more of it is passed on, and the connections end.
            case faulty(String)
        }

        /// So many of the bytes go to the client.
        package var passed: Int
        /// A client that had to wait may go on: call `take` again with what it sent.
        package var isSettled = false
        package var surplus: Surplus?
        /// The client's connection ends too, after what is passed.
        package var endsClient = false
        /// The client has had a part of the response that is not passed on.
        package var isCut = false
    }
}
