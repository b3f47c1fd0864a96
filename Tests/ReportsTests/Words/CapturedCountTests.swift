import Reports
import Testing

/// The line after a live capture.
@Suite("How a capture went")
struct CapturedCountTests {
    @Test("one packet is no packets")
    func words() {
        func line(_ packets: UInt64, _ kernel: UInt64 = 0, _ interface: UInt64 = 0) -> String {
            "\(CapturedCount(packets: packets, droppedByKernel: kernel, droppedByInterface: interface))"
        }
        #expect(line(0) == "0 packets captured, 0 dropped by the kernel")
        #expect(line(1) == "1 packet captured, 0 dropped by the kernel")
        #expect(line(2, 0, 1) == "2 packets captured, 0 dropped by the kernel, 1 dropped by the interface")
        #expect(line(1, 3).hasPrefix("1 packet captured, 3 dropped by the kernel; narrow the capture with -f"))
    }
}
