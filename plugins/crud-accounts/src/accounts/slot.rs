//! [`Slot`]: limits that the servers of a database share.

use std::collections::HashMap;

use crud_runtime::Result;
use crud_runtime::prelude::*;

use super::token;

/// The time for which a slot is taken.
const HOUR: TimeDelta = TimeDelta::hours(1);

/// A slot of a limit, in the table `accounts_slot`: what is limited to three an hour has three slots, each of which is taken
/// for an hour. A slot is taken by one compare-and-set, so that no race exceeds the limit.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_slot", internal)]
pub(crate) struct Slot {
    /// The hash of what is limited, such as an address, with the slot's number.
    #[crud(length(max = 80))]
    id: String,
    #[crud(index)]
    taken_at: DateTime<Utc>,
}

impl Slot {
    /// Takes one of the `count` slots of the limit `of`; `false` if all are taken.
    pub(crate) async fn take(app: &App, of: &str, count: u32) -> Result<bool> {
        let (slots, fields, of) = (app.store::<Self>(), Self::FIELDS, token::hash(of));
        let (now, id) = (app.now(), |number: u32| format!("{of}/{number}"));
        let ids: Vec<String> = (0..count).map(id).collect();
        let known = slots.list(fields.id.is_in(ids.clone())).await?;
        let known: HashMap<String, DateTime<Utc>> = known.into_iter().map(|slot| (slot.id, slot.taken_at)).collect();
        let free_before = now - HOUR;
        for id in ids {
            if known.get(&id).is_some_and(|taken_at| *taken_at > free_before) {
                continue;
            }
            // A slot that was there may have been removed meanwhile, or freed.
            let is_free = fields.id.eq(id.as_str()).and(fields.taken_at.lte(free_before));
            if slots.create_if_absent(NewSlot { id, taken_at: now }).await?.is_some()
                || slots.update_where(is_free, SlotPatch::default().taken_at(now)).await? > 0
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Frees all slots of the limit `of`.
    pub(crate) async fn free(app: &App, of: &str, count: u32) -> Result<()> {
        let ids: Vec<String> = (0..count).map(|number| format!("{}/{number}", token::hash(of))).collect();
        app.store::<Self>().delete_where(Self::FIELDS.id.is_in(ids)).await.map(drop)
    }

    /// Removes slots that were taken more than an hour ago.
    pub(crate) async fn sweep(app: &App) -> Result<u64> {
        app.store::<Self>().delete_where(Self::FIELDS.taken_at.lt(app.now() - HOUR)).await
    }
}
