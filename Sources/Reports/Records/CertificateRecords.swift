import Dissection

// The certificates in a `tls` record.
extension OutputBuffer {
    mutating func appendCertificates(_ field: Field, _ list: RawSpan, latin1: inout Bool) {
        var certificates = CertificateList(list)
        var isFirst = true
        while let certificate = certificates.next() {
            if isFirst { append(field) }
            append(isFirst ? "[{" : ",{")
            isFirst = false
            append(first: .sha256)
            append(0x22)
            for index in 0..<certificate.sha256.byteCount { append(hex: UInt64(certificate.sha256[index]), width: 2) }
            append(0x22)
            append(.subject, certificate.subject, latin1: &latin1)
            append(.issuer, certificate.issuer, latin1: &latin1)
            var names = certificate.names
            var isFirstName = true
            while let name = names.next() {
                if isFirstName { append(.names) }
                append(isFirstName ? "[" : ",")
                isFirstName = false
                appendString(name, latin1: &latin1)
            }
            if !isFirstName { append(0x5d) }
            append(.notBefore, time: certificate.notBefore)
            append(.notAfter, time: certificate.notAfter)
            append(0x7d)
        }
        if !isFirst { append(0x5d) }
    }

    private mutating func append(_ field: Field, time seconds: Int64?) {
        guard let seconds else { return }
        append(field)
        append(0x22)
        append(CivilTime(seconds: seconds), between: UInt8(ascii: "T"))
        append("Z\"")
    }
}
