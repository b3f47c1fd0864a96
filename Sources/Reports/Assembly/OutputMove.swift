/// A log that goes on in another file, since its own was moved away (logrotate).
package struct OutputMove: Sendable {
    /// Which output of the plan.
    package var index: Int
    package var outlet: Outlet
    /// Called when nothing more is written to the old one, on the thread that writes.
    package var retire: @Sendable () -> Void

    package init(index: Int, to outlet: Outlet, retire: @escaping @Sendable () -> Void) {
        self.index = index
        self.outlet = outlet
        self.retire = retire
    }
}
