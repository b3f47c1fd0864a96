/// The pages that the proxy serves by itself.
enum CertificatePage {
    static let overview = "<!doctype html><p>unmask</p>"
    static let notFound = "<!doctype html><p>unmask</p>"
    static let howToUse = "<!doctype html><p>unmask</p>"
}
