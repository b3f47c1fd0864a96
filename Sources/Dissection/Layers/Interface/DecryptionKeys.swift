/// What opens what is encrypted. The layer that it is for knows its own kind of it; the table of layers carries it to where that layer is made
/// (`LayerTable.opening(with:)`).
package protocol DecryptionKeys: AnyObject, Sendable {}
