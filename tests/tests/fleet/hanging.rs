//! A primary that hangs, as under SIGSTOP, while more requests are in flight than there are connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crud_tests::{Client, Cluster};
use tokio::time::sleep;

use crate::support::three::{Seen, Three, wait_for_writes, with};
use crate::support::with_postgres;

/// The time of a request.
const REQUEST: Duration = Duration::from_secs(4);

/// Clients that write without a pause: several for each of a service's ten connections.
const WRITERS: usize = 40;

/// How long the primary hangs.
const HANGS: Duration = Duration::from_secs(9);

/// What a busy machine may add to a limit.
const MARGIN: Duration = Duration::from_secs(2);

/// Asks for records, for `/health` and for `/ready` until the flag is set; the number of reads that were answered by 200.
async fn read(client: Client, stop: Arc<AtomicBool>) -> usize {
    let mut answered = 0;
    while !stop.load(Ordering::Relaxed) {
        let begin = Instant::now();
        client.get("/health").await.ok();
        assert!(begin.elapsed() < MARGIN, "/health waits for the database: {:?}", begin.elapsed());
        for path in ["/ready", "/tags?limit=1"] {
            let begin = Instant::now();
            let status = client.get(path).await.status();
            assert!(matches!(status, 200 | 503 | 504), "{path}: {status}");
            assert!(begin.elapsed() < REQUEST + MARGIN, "{path}: {:?}", begin.elapsed());
            answered += usize::from(status == 200);
        }
        sleep(Duration::from_millis(50)).await;
    }
    answered
}

/// Writes and reads while the primary hangs, and `end` ends that; what the writers saw.
async fn hang(three: &Three, end: impl AsyncFnOnce()) -> Seen {
    let stop = Arc::new(AtomicBool::new(false));
    let writers = three.writers(WRITERS, &stop);
    let reader = tokio::spawn(read(Client::clone(&three.api), stop.clone()));
    sleep(Duration::from_secs(1)).await;
    end().await;
    wait_for_writes_or_their_time(&three.api).await;
    sleep(Duration::from_secs(2)).await;
    stop.store(true, Ordering::Relaxed);
    assert!(reader.await.expect("the reader") > 0, "no read was answered");
    let seen = three.reconcile(writers).await;
    assert!(seen.statuses.keys().all(|status| matches!(status, 201 | 503 | 504)), "{:?}", seen.statuses);
    assert!(seen.slowest < REQUEST + MARGIN, "a change waits for {:?}", seen.slowest);
    assert!(seen.statuses.len() > 1, "no change met the server that hangs: {:?}", seen.statuses);
    seen
}

/// Until the server that hangs is known, a change may take its whole time.
async fn wait_for_writes_or_their_time(client: &Client) {
    let begin = Instant::now();
    let limit = REQUEST + MARGIN;
    while client.post("/tags", &serde_json::json!({ "slug": format!("{}", fastrand::u64(..)) })).await.status() != 201 {
        assert!(begin.elapsed() < limit, "no change is possible");
    }
    wait_for_writes(client, limit).await;
}

#[test]
fn more_changes_than_connections_follow_a_promotion_away_from_a_primary_that_hangs() {
    with_postgres(async {
        let three = Three::start(REQUEST).await;
        let mut frozen = None;
        let seen = hang(&three, async || {
            frozen = Some(three.first.freeze());
            sleep(Duration::from_secs(1)).await;
            with(&three.second, Cluster::promote).await;
        })
        .await;
        // A second until the promotion, the time of the requests on connections to the server that hangs, and no more.
        assert!(seen.gap < Duration::from_secs(1) + REQUEST + MARGIN, "no change for {:?}", seen.gap);
        drop(frozen);
        three.end().await;
    });
}

#[test]
fn more_changes_than_connections_wait_for_a_primary_that_hangs_and_goes_on() {
    with_postgres(async {
        let three = Three::start(REQUEST).await;
        let seen = hang(&three, async || {
            let frozen = three.first.freeze();
            sleep(HANGS).await;
            drop(frozen);
        })
        .await;
        assert!(seen.gap < HANGS + REQUEST + MARGIN, "no change for {:?}", seen.gap);
        three.end().await;
    });
}
