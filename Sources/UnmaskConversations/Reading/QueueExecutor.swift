import Dispatch

/// Runs an actor on a queue of its own.
///
/// The references to executors that Swift hands around are not counted. Each is used while the executor is there: the actor holds it as long as
/// it lives, and what is queued holds it until the job has run.
final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "unmask.capture")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}
