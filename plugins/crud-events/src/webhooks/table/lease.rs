//! [`Lease`]: the right of one server to create deliveries of events.

use crud_runtime::Result;
use crud_runtime::prelude::*;

use crate::lease::latest_end;

/// The time after which another server may take the lease.
const LENGTH: TimeDelta = TimeDelta::seconds(10);

/// The key of the row.
const ONE: &str = "deliveries";

/// The lease on making deliveries of events, in the table `events_lease`, which has one row. It spares work: two servers that
/// both believe to have it make no delivery twice.
#[derive(Debug, Clone, Resource)]
#[crud(table = "events_lease", internal)]
pub(crate) struct Lease {
    #[crud(length(max = 20))]
    pub(crate) id: String,
    #[crud(length(max = 36))]
    pub(crate) holder: String,
    pub(crate) until: DateTime<Utc>,
}

impl Lease {
    /// Takes or renews the lease; `false` if another server has it.
    pub(crate) async fn take(app: &App, holder: &str) -> Result<bool> {
        let (store, fields, now) = (app.store::<Self>(), Self::FIELDS, app.now());
        let Some(lease) = store.find(ONE).await? else {
            let new = NewLease { id: ONE.to_owned(), holder: holder.to_owned(), until: now + LENGTH };
            return Ok(store.create_if_absent(new).await?.is_some());
        };
        if lease.holder == holder && lease.until - now > LENGTH / 2 {
            return Ok(true);
        }
        let free = fields.until.lte(now).or(fields.until.gt(latest_end(now, LENGTH)));
        let free = fields.holder.eq(holder).or(free);
        let patch = LeasePatch::default().holder(holder.to_owned()).until(now + LENGTH);
        Ok(store.update_if(ONE, free, patch).await?.is_some())
    }
}
