//! The monitor: tasks that check the positions of the primary and its replicas.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::primary_positions::PrimaryPositions;
use super::replica::{CHECK_TIMEOUT, Replica};
use crate::storage::adapter::Adapter;

/// The longest interval between two checks of a server; a short lag shortens it.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// The interval between two checks of a replica while a read waits for it to catch up.
const CATCH_UP_INTERVAL: Duration = Duration::from_millis(5);

/// Checks the servers until the returned set is dropped; notifies `checked` after each check of a replica.
pub(super) fn start(
    primary: &Arc<dyn Adapter>,
    replicas: &[Arc<Replica>],
    checked: &Arc<watch::Sender<()>>,
    max_lag: Duration,
) -> JoinSet<()> {
    let interval = CHECK_INTERVAL.min(max_lag / 4).max(CATCH_UP_INTERVAL);
    let positions = Arc::new(PrimaryPositions::new(max_lag));
    let mut tasks = JoinSet::new();
    tasks.spawn(monitor_primary(primary.clone(), positions.clone(), interval));
    for replica in replicas {
        tasks.spawn(monitor_replica(replica.clone(), positions.clone(), checked.clone(), interval));
    }
    tasks
}

async fn monitor_primary(primary: Arc<dyn Adapter>, positions: Arc<PrimaryPositions>, interval: Duration) {
    loop {
        let asked = Instant::now();
        if let Ok(Ok(Some(position))) = timeout(CHECK_TIMEOUT, primary.position()).await {
            positions.add(asked, position);
        }
        sleep(interval).await;
    }
}

async fn monitor_replica(
    replica: Arc<Replica>,
    positions: Arc<PrimaryPositions>,
    checked: Arc<watch::Sender<()>>,
    interval: Duration,
) {
    loop {
        replica.check(&positions).await;
        checked.send_replace(());
        let is_reachable = replica.is_reachable();
        let is_awaited = checked.receiver_count() > 0;
        let pause = if is_reachable && is_awaited { CATCH_UP_INTERVAL } else { interval };
        tokio::select! {
            () = sleep(pause) => {}
            // Requests do not hurry the checks of a replica that is unreachable.
            () = replica.check_requested(), if is_reachable => {}
        }
    }
}
