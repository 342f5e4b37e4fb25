//! The time that a thread has waited for a CPU core.

use std::fs;
use std::time::Duration;

/// Total time for which this thread has been ready to run but had no core. `None` where the system does not report it:
/// Linux does, see `proc_pid_schedstat(5)`.
pub(in crate::sqlite::embedded) fn core_wait() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::Barrier;
    use std::thread;
    use std::time::Instant;

    use super::*;

    #[test]
    fn threads_that_share_cores_wait_for_them() {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let barrier = Barrier::new(4 * cores);
        let work = || {
            barrier.wait();
            let (start, before) = (Instant::now(), core_wait());
            while start.elapsed() < Duration::from_millis(100) {}
            // A kernel may be built without these figures.
            before.zip(core_wait()).map_or(Duration::MAX, |(before, after)| after.saturating_sub(before))
        };
        let waited = thread::scope(|scope| {
            let threads: Vec<_> = (0..4 * cores).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).max()
        });
        assert!(waited.unwrap() >= Duration::from_millis(25), "{waited:?}");
    }
}
