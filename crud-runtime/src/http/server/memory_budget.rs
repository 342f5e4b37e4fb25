//! [`MemoryBudget`]: the bytes of bodies and responses that requests hold together, bounded. When memory is short,
//! bodies that wait for their clients are evicted: first those of the address that holds most, and among these the one
//! that has stalled longest.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::auth::network::network;
use crate::model::problem::{Code, Problem};

/// The size up to which a body or a response is not counted: the limit of requests in flight bounds these.
pub(crate) const UNCOUNTED: usize = 16 * 1024;

/// The size of a response after which the rest is streamed.
pub(crate) const CHUNK: usize = 256 * 1024;

/// Minimum stall of a body that may be evicted: longer than the retransmission of a lost packet.
pub(crate) const MIN_STALL: Duration = Duration::from_millis(250);

/// Timeout for the release of an evicted body's bytes.
const RELEASE: Duration = Duration::from_secs(1);

/// The bytes that requests hold together.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    limit: usize,
    held: AtomicUsize,
    bodies: Mutex<Bodies>,
}

/// The bodies that hold bytes.
#[derive(Debug, Default)]
struct Bodies {
    next: u64,
    /// Bodies that wait for their clients, by number.
    waiting: HashMap<u64, WaitingBody>,
    /// The bytes that the bodies of an address hold.
    of_addresses: HashMap<IpAddr, usize>,
}

/// A body that waits for its client.
#[derive(Debug)]
struct WaitingBody {
    address: Option<IpAddr>,
    stalled_since: Instant,
    evict: oneshot::Sender<Released>,
}

impl Bodies {
    /// The bytes that an address holds; 0 where the address is not known.
    fn held_by(&self, address: Option<IpAddr>) -> usize {
        address.and_then(|address| self.of_addresses.get(&address)).copied().unwrap_or(0)
    }
}

/// Signal that is dropped with the bytes of an evicted body.
type Released = oneshot::Sender<()>;

/// The memory of requests, for the requests of one address.
#[derive(Debug, Clone)]
pub(crate) struct ClientBudget {
    memory: Arc<MemoryBudget>,
    address: Option<IpAddr>,
}

impl ClientBudget {
    /// Limit of bytes that all requests hold together.
    pub(crate) fn limit(&self) -> usize {
        self.memory.limit
    }

    /// An empty reservation.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation { memory: self.memory.clone(), address: self.address, bytes: 0, released: None }
    }

    /// Counts a response until it is written; a response of unknown size holds `unsized_holds` until its first frame.
    /// `may_be_refused`: the request changed nothing.
    ///
    /// # Errors
    /// `unavailable` where requests hold too much, if the response may be refused.
    pub(crate) async fn count(
        &self,
        response: Response,
        unsized_holds: usize,
        may_be_refused: bool,
    ) -> Result<Response, Problem> {
        let size = match response.body().size_hint().exact() {
            Some(size) if size <= UNCOUNTED as u64 => return Ok(response),
            Some(size) => usize::try_from(size).unwrap_or(usize::MAX),
            None => unsized_holds,
        };
        let mut reservation = self.reservation();
        if may_be_refused {
            reservation.grow_to(size).await?;
        } else {
            reservation.set(size);
        }
        let share = self.clone();
        Ok(response.map(|body| Body::new(CountedBody { body, share, first: Some(reservation) })))
    }
}

/// Bytes that one request holds, until this is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    memory: Arc<MemoryBudget>,
    /// The address of its client, if it is known.
    address: Option<IpAddr>,
    bytes: usize,
    /// Signal of an evicted body that its bytes are released.
    released: Option<Released>,
}

impl MemoryBudget {
    /// A budget of this many bytes.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, held: AtomicUsize::new(0), bodies: Mutex::default() })
    }

    /// The memory for the bodies of a client's address.
    pub(crate) fn share(self: &Arc<Self>, address: Option<IpAddr>) -> ClientBudget {
        ClientBudget { memory: self.clone(), address: address.map(network) }
    }

    /// Adds bytes, if there is room for them.
    fn add(&self, bytes: usize) -> bool {
        let fits = |held: usize| held.checked_add(bytes).filter(|held| *held <= self.limit);
        self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Evicts a body for a request that needs more bytes. A body may be evicted if its address holds more than the
    /// request's address would. It may also be evicted if it has stalled for [`MIN_STALL`], unless its address holds
    /// less than the other requests of the request's address. Among these bodies, it is one of the address that holds
    /// most, and of that address the one that has stalled longest. The returned channel closes when its bytes are
    /// released.
    fn evict_one(&self, request: &Reservation, more: usize) -> Option<oneshot::Receiver<()>> {
        let mut bodies = self.bodies();
        let address = request.address;
        let held = bodies.held_by(address);
        let (with_more, others) = (held.saturating_add(more), held.saturating_sub(request.bytes));
        let may_go = |body: &WaitingBody| {
            let is_other = address.is_some() && body.address != address;
            let held = bodies.held_by(body.address);
            let has_stalled = body.stalled_since.elapsed() >= MIN_STALL;
            is_other && held > with_more || has_stalled && (!is_other || held >= others)
        };
        let candidates = bodies.waiting.iter().filter(|(_, body)| may_go(body));
        let first = candidates.max_by_key(|(_, body)| (bodies.held_by(body.address), Reverse(body.stalled_since)));
        let number = first.map(|(number, _)| *number)?;
        let body = bodies.waiting.remove(&number)?;
        let (released, is_released) = oneshot::channel();
        // A body that no longer waits is not evicted.
        drop(body.evict.send(released));
        Some(is_released)
    }

    fn bodies(&self) -> MutexGuard<'_, Bodies> {
        self.bodies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reservation of a body that waits for its client: it may be evicted until this is dropped.
#[derive(Debug)]
pub(crate) struct Wait<'a> {
    reservation: &'a mut Reservation,
    /// Number in the list, and the signal; `None` for a body that holds nothing.
    listed: Option<(u64, oneshot::Receiver<Released>)>,
}

impl Wait<'_> {
    /// Resolves when the body is evicted; other requests wait until its bytes are dropped.
    pub(crate) async fn evicted(&mut self) {
        if let Some((_, evicted)) = &mut self.listed
            && let Ok(released) = evicted.await
        {
            self.reservation.released = Some(released);
        } else {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if let Some((number, _)) = &self.listed {
            self.reservation.memory.bodies().waiting.remove(number);
        }
    }
}

impl Reservation {
    /// Marks the body as waiting for its client, which has stalled since this time.
    pub(crate) fn wait(&mut self, stalled_since: Instant) -> Wait<'_> {
        let listed = (self.bytes > 0).then(|| {
            let (evict, evicted) = oneshot::channel();
            let mut bodies = self.memory.bodies();
            bodies.next += 1;
            let number = bodies.next;
            bodies.waiting.insert(number, WaitingBody { address: self.address, stalled_since, evict });
            (number, evicted)
        });
        Wait { reservation: self, listed }
    }

    /// Grows to this many bytes, or keeps its size on an error.
    ///
    /// # Errors
    /// `unavailable` where requests hold too much.
    pub(crate) async fn grow_to(&mut self, bytes: usize) -> Result<(), Problem> {
        let more = bytes.saturating_sub(self.bytes);
        while !self.memory.add(more) {
            let evicted = if more > self.memory.limit { None } else { self.memory.evict_one(self, more) };
            let Some(is_released) = evicted else {
                return Err(Problem::new(Code::Unavailable, "requests hold too much memory; try again later"));
            };
            // The task of the evicted body drops the bytes as soon as it runs.
            drop(timeout(RELEASE, is_released).await);
        }
        self.count(self.bytes + more);
        Ok(())
    }

    /// Holds this many bytes, whatever the limit: they are in memory already.
    pub(crate) fn set(&mut self, bytes: usize) {
        if bytes >= self.bytes {
            self.memory.held.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            self.memory.held.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.count(bytes);
    }

    /// Counts this many bytes for the client's address.
    fn count(&mut self, bytes: usize) {
        if let Some(address) = self.address.filter(|_| bytes != self.bytes) {
            let mut bodies = self.memory.bodies();
            let held = bodies.of_addresses.entry(address).or_default();
            *held = *held + bytes - self.bytes;
            if *held == 0 {
                bodies.of_addresses.remove(&address);
            }
        }
        self.bytes = bytes;
    }

    /// Counts the bytes until they are dropped, and returns them.
    pub(crate) fn keep(mut self, bytes: Bytes) -> Bytes {
        self.set(bytes.len());
        Bytes::from_owner(HeldBytes { bytes, _reservation: self })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.set(0);
    }
}

struct HeldBytes {
    bytes: Bytes,
    _reservation: Reservation,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body whose frames are counted until hyper has written them.
struct CountedBody {
    body: Body,
    share: ClientBudget,
    /// Memory that the first frame holds.
    first: Option<Reservation>,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let reservation = self.first.take();
        let share = &self.share;
        Poll::Ready(frame.map(|frame| {
            frame.map(|frame| {
                frame.map_data(|bytes| match reservation {
                    None if bytes.len() <= UNCOUNTED => bytes,
                    reservation => reservation.unwrap_or_else(|| share.reservation()).keep(bytes),
                })
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    impl MemoryBudget {
        /// An empty reservation without an address.
        fn reservation(self: &Arc<Self>) -> Reservation {
            self.share(None).reservation()
        }
    }

    fn held(memory: &MemoryBudget) -> usize {
        memory.held.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn hold_beyond_the_limit_is_refused_and_keeps_what_it_held() {
        let memory = MemoryBudget::new(100);
        let (mut first, mut second) = (memory.reservation(), memory.reservation());
        first.grow_to(60).await.unwrap();
        second.grow_to(40).await.unwrap();
        assert_eq!(second.grow_to(41).await.unwrap_err().code(), Code::Unavailable);
        drop(first);
        second.grow_to(100).await.unwrap();
        assert_eq!(held(&memory), 100);
        drop(second);
        assert_eq!(held(&memory), 0);
    }

    /// A body of 30 bytes that has stalled for this long; the task ends when it is evicted.
    async fn stalled(memory: &Arc<MemoryBudget>, time: Duration) -> tokio::task::JoinHandle<()> {
        stalled_of(memory, memory.reservation(), time).await
    }

    async fn stalled_of(
        memory: &MemoryBudget,
        mut reservation: Reservation,
        time: Duration,
    ) -> tokio::task::JoinHandle<()> {
        reservation.grow_to(30).await.unwrap();
        let since = Instant::now().checked_sub(time).unwrap();
        let listed = memory.bodies().next + 1;
        let task = tokio::spawn(async move { reservation.wait(since).evicted().await });
        while memory.bodies().next < listed {
            tokio::task::yield_now().await;
        }
        task
    }

    #[tokio::test]
    async fn body_of_the_address_that_holds_most_is_evicted_first() {
        let memory = MemoryBudget::new(100);
        let of = |last: u8| memory.share(Some(IpAddr::from([10, 0, 0, last])));
        let slow = stalled_of(&memory, of(1).reservation(), Duration::from_hours(1)).await;
        let greedy = stalled_of(&memory, of(2).reservation(), Duration::ZERO).await;
        let greediest = stalled_of(&memory, of(2).reservation(), Duration::from_millis(100)).await;
        // It may not take more than the others hold, except from stalled bodies.
        of(3).reservation().grow_to(30).await.unwrap();
        greediest.await.unwrap();
        assert!(!slow.is_finished() && !greedy.is_finished());
        let mut new = of(3).reservation();
        new.grow_to(40).await.unwrap();
        assert_eq!(memory.bodies().held_by(new.address), 40);
        new.grow_to(70).await.unwrap();
        slow.await.unwrap();
        assert!(!greedy.is_finished());
        assert_eq!(
            new.grow_to(71).await.unwrap_err().code(),
            Code::Unavailable,
            "what it holds is no more than others"
        );
        drop(new);
        assert_eq!(memory.bodies().of_addresses.len(), 1);
        // An address does not evict its own bodies before they have stalled, nor does an unknown address.
        let mut own = of(2).reservation();
        own.grow_to(70).await.unwrap();
        assert_eq!(of(2).reservation().grow_to(1).await.unwrap_err().code(), Code::Unavailable);
        assert_eq!(memory.reservation().grow_to(1).await.unwrap_err().code(), Code::Unavailable);
        assert!(!greedy.is_finished());
    }

    #[tokio::test]
    async fn body_that_has_stalled_longest_is_evicted_first() {
        let memory = MemoryBudget::new(100);
        let short = stalled(&memory, Duration::ZERO).await;
        let long = stalled(&memory, Duration::from_hours(1)).await;
        let longest = stalled(&memory, Duration::from_hours(2)).await;
        let mut new = memory.reservation();
        new.grow_to(30).await.unwrap();
        longest.await.unwrap();
        assert!(!long.is_finished());
        assert_eq!(held(&memory), 90, "its bytes are released before others are held");
        new.grow_to(70).await.unwrap();
        long.await.unwrap();
        assert_eq!(held(&memory), 100);
        assert!(!short.is_finished());
    }

    #[tokio::test]
    async fn body_whose_bytes_arrive_meanwhile_is_not_evicted() {
        let memory = MemoryBudget::new(100);
        let (mut body, mut new) = (memory.reservation(), memory.reservation());
        body.grow_to(60).await.unwrap();
        drop(body.wait(Instant::now().checked_sub(MIN_STALL).unwrap()));
        assert_eq!(new.grow_to(60).await.unwrap_err().code(), Code::Unavailable);
        assert_eq!(held(&memory), 60);
    }

    #[tokio::test]
    async fn request_for_more_than_all_memory_evicts_none() {
        let memory = MemoryBudget::new(100);
        let body = stalled(&memory, Duration::from_hours(1)).await;
        assert_eq!(memory.reservation().grow_to(101).await.unwrap_err().code(), Code::Unavailable);
        assert!(!body.is_finished());
    }

    #[tokio::test]
    async fn response_is_counted_until_its_bytes_are_dropped() {
        let memory = MemoryBudget::new(100_000);
        let response = || Response::new(Body::from(vec![0; 60_000]));
        let share = memory.share(None);
        let first = share.count(response(), CHUNK, true).await.unwrap();
        assert_eq!(share.count(response(), CHUNK, true).await.unwrap_err().code(), Code::Unavailable);
        let change = share.count(response(), CHUNK, false).await.unwrap();
        assert_eq!(held(&memory), 120_000);
        drop(change);
        let mut body = first.into_body();
        assert_eq!(body.size_hint().exact(), Some(60_000));
        let bytes = body.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(body);
        assert_eq!(held(&memory), 60_000);
        drop(bytes);
        assert_eq!(held(&memory), 0);
        share.count(Response::new(Body::from(vec![0; UNCOUNTED])), CHUNK, true).await.unwrap();
        assert_eq!(held(&memory), 0);
    }
}
