//! [`HashQueue`]: the bounded queue of password hashes, with the memory of those that run.
//!
//! An Argon2 hash fills 19 MiB. If the blocking thread of each hash allocated it, that memory would stay in the
//! thread's malloc arena: a burst of logins would leave a block in every arena. So blocks are kept and reused. Their
//! number is that of hashes that ever ran at once, at most one for each processor.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use argon2::Block;
use tokio::sync::Semaphore;

use crate::model::problem::{Code, Problem};

/// Number of hashes that wait for each processor: a hash takes some 30 ms, so the last one waits about two seconds.
const WAITING_PER_PROCESSOR: usize = 64;

/// Idle time before the memory is freed.
const IDLE: Duration = Duration::from_mins(1);

/// The capacity of new memory, in blocks of 1 KiB. From 32 MiB on, glibc maps an allocation separately and unmaps it when
/// it is freed; a smaller one can stay in an arena. The pages behind the length are never touched, and cost nothing.
const MAPPED_BLOCKS: usize = 33 * 1024;

/// Runs hashes on blocking threads, at most one for each processor at once. Cheap to clone.
#[derive(Debug, Clone)]
pub(in crate::auth) struct HashQueue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    waiting: Semaphore,
    running: Arc<Semaphore>,
    /// Permits of `running` while no hash runs.
    processors: usize,
    kept: Mutex<Kept>,
    idle: Duration,
}

/// The memory that no hash uses.
#[derive(Debug, Default)]
struct Kept {
    memory: Vec<HashMemory>,
    /// Number of hashes that have run: unchanged while the queue is idle.
    hashes: u64,
    /// Whether a task waits to free the memory. The task ends only while no hash runs, so that no memory stays
    /// unwatched.
    is_watched: bool,
}

/// The memory of one hash, kept from one to the next.
#[derive(Default)]
pub(in crate::auth) struct HashMemory(Vec<Block>);

impl HashQueue {
    /// A queue for the processors of this machine.
    pub(in crate::auth) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with_limits(processors, WAITING_PER_PROCESSOR * processors, IDLE)
    }

    fn with_limits(processors: usize, waiting: usize, idle: Duration) -> Self {
        let (waiting, running) = (Semaphore::new(waiting), Arc::new(Semaphore::new(processors)));
        Self(Arc::new(Shared { waiting, running, processors, kept: Mutex::default(), idle }))
    }

    /// Runs a hash when its turn comes. Work that is still waiting when this future is dropped never runs.
    ///
    /// # Errors
    /// `unavailable`, at once, when the queue is full.
    pub(in crate::auth) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut HashMemory) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = {
            let busy = |_| Problem::new(Code::Unavailable, "too many passwords are being checked; try again later");
            let _waiting = self.0.waiting.try_acquire().map_err(busy)?;
            self.0.running.clone().acquire_owned().await.map_err(Problem::internal)?
        };
        self.free_when_idle();
        let shared = self.0.clone();
        let work = tokio::task::spawn_blocking(move || {
            // The work goes on after a cancelled request, so it holds the permit.
            let _permit = permit;
            let mut memory = shared.kept().memory.pop().unwrap_or_default();
            let result = work(&mut memory);
            let mut kept = shared.kept();
            kept.memory.push(memory);
            kept.hashes += 1;
            result
        });
        work.await.map_err(Problem::internal)
    }

    /// Starts the task that frees the memory, unless it runs already.
    fn free_when_idle(&self) {
        if std::mem::replace(&mut self.0.kept().is_watched, true) {
            return;
        }
        let (shared, idle) = (Arc::downgrade(&self.0), self.0.idle);
        tokio::spawn(async move {
            let mut hashes = 0;
            loop {
                tokio::time::sleep(idle).await;
                let Some(shared) = shared.upgrade() else { return };
                let mut kept = shared.kept();
                let is_idle = shared.running.available_permits() == shared.processors;
                if is_idle && kept.hashes == hashes {
                    *kept = Kept::default();
                    return;
                }
                hashes = kept.hashes;
            }
        });
    }
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HashMemory {
    /// The first `count` blocks, with the contents of the last hash.
    pub(in crate::auth) fn blocks(&mut self, count: usize) -> &mut [Block] {
        if self.0.len() < count {
            self.0.reserve_exact(count.max(MAPPED_BLOCKS).saturating_sub(self.0.len()));
            self.0.resize(count, Block::new());
        }
        &mut self.0[..count]
    }
}

impl std::fmt::Debug for HashMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The blocks are left out: passwords can be guessed from them.
        write!(f, "HashMemory({} KiB)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use futures_util::FutureExt as _;
    use futures_util::future::join_all;

    use super::*;

    const LONG: Duration = Duration::from_mins(10);

    #[tokio::test]
    async fn a_full_queue_refuses_at_once() {
        let queue = HashQueue::with_limits(1, 2, LONG);
        let (release, released) = mpsc::channel::<()>();
        let mut running = Box::pin(queue.run(move |_| released.recv().is_ok()));
        let mut waiting = [(); 2].map(|()| Box::pin(queue.run(|_| true)));
        assert!((&mut running).now_or_never().is_none());
        for waiting in &mut waiting {
            assert!(waiting.now_or_never().is_none());
        }
        let refusal = queue.run(|_| true).await.unwrap_err();
        assert_eq!(refusal.code(), Code::Unavailable);
        release.send(()).unwrap();
        assert!(running.await.unwrap());
        for waiting in waiting {
            assert!(waiting.await.unwrap());
        }
        assert!(queue.run(|_| true).await.unwrap());
    }

    #[tokio::test]
    async fn dropped_work_that_waits_never_runs() {
        let queue = HashQueue::with_limits(1, 1, LONG);
        let (release, released) = mpsc::channel::<()>();
        let mut running = Box::pin(queue.run(move |_| released.recv().is_ok()));
        assert!((&mut running).now_or_never().is_none());
        let runs = Arc::new(AtomicUsize::new(0));
        let count = runs.clone();
        let mut dropped = Box::pin(queue.run(move |_| count.fetch_add(1, Ordering::Relaxed)));
        assert!((&mut dropped).now_or_never().is_none());
        drop(dropped);
        release.send(()).unwrap();
        running.await.unwrap();
        // The place in the queue is free again, and the work before this one did not run.
        queue.run(|_| ()).await.unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn memory_is_reused() {
        let queue = HashQueue::with_limits(2, 100, LONG);
        join_all((0..100).map(|_| queue.run(|memory| memory.blocks(8).len()))).await;
        assert!(queue.0.kept().memory.len() <= 2);
    }

    #[tokio::test]
    async fn idle_memory_is_freed() {
        let queue = HashQueue::with_limits(1, 1, Duration::from_millis(5));
        for _ in 0..2 {
            queue.run(|memory| memory.blocks(8).len()).await.unwrap();
            until_freed(&queue).await;
        }
    }

    #[tokio::test]
    async fn memory_of_a_hash_that_runs_longer_than_idle_memory_is_kept_is_freed() {
        let queue = HashQueue::with_limits(1, 1, Duration::from_millis(5));
        let (release, released) = mpsc::channel::<()>();
        let mut running = Box::pin(queue.run(move |memory| {
            memory.blocks(8);
            released.recv().is_ok()
        }));
        assert!((&mut running).now_or_never().is_none());
        // The task that frees the memory checks several times meanwhile.
        tokio::time::sleep(Duration::from_millis(50)).await;
        release.send(()).unwrap();
        assert!(running.await.unwrap());
        until_freed(&queue).await;
    }

    async fn until_freed(queue: &HashQueue) {
        let freed = async {
            while !queue.0.kept().memory.is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), freed).await.expect("the memory is never freed");
    }
}
