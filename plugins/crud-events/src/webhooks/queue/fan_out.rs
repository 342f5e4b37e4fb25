//! The fan-out: entries of the log become deliveries of the webhooks that see them.

use std::collections::{BTreeMap, HashMap};

use crud_runtime::Result;
use crud_runtime::prelude::*;
use sha2::{Digest, Sha256};

use super::add::{Added, Moved, UNFINISHED, add};
use super::content::RESET;
use crate::entry::{Entry, EntryKind};
use crate::event::types_of_changes;
use crate::log::EntryPage;
use crate::view::{Rendered, Told};
use crate::webhooks::pattern::matches;
use crate::webhooks::sender::Sender;
use crate::webhooks::table::progress::Progress;
use crate::webhooks::table::webhook::Webhook;

/// Number of entries that are read at once.
const PAGE: u64 = 500;

/// Number of webhooks that are read at once.
const WEBHOOKS: u64 = 500;

/// Number of entries after which a webhook's position is stored, even without a delivery.
const STORED_EVERY: i64 = 1_000;

/// Longest key, in bytes, that a delivery stores as it is.
const LONGEST_KEY: usize = 250;

/// Creates deliveries of events that webhooks are still to be sent. Reads a page of the log for each position at which
/// some webhook is. Returns whether there are more events.
///
/// # Errors
/// The last error, when the database fails. The other webhooks have their deliveries then.
pub(crate) async fn fan_out(sender: &Sender, app: &App) -> Result<bool> {
    let mut places: BTreeMap<i64, Vec<FollowedWebhook>> = BTreeMap::new();
    let followed = places_of(app).await?;
    // The log may lose events that others are still to be sent.
    sender.keep_scanned(&followed.iter().map(|place| place.webhook.id).collect());
    for place in followed {
        let from = sender.scanned(place.webhook.id, place.progress.position);
        places.entry(from).or_default().push(place);
    }
    let (mut has_more, mut failed) = (false, Ok(()));
    for (from, places) in places {
        if !is_kept(sender, from, &places).await? {
            failed = reset(sender, app, &places).await.and(failed);
            continue;
        }
        let page = sender.core().log.page(from, PAGE).await?;
        has_more |= page.upto > from && page.upto < sender.mark();
        if page.upto > from {
            failed = deliveries_of(sender, app, page, places).await.and(failed);
        }
    }
    failed.map(|()| has_more)
}

/// Stores the positions up to which this process has read the log: a later process reads on from there, while the log
/// still has what follows.
///
/// # Errors
/// When the database fails.
pub(super) async fn store_positions(sender: &Sender, app: &App) -> Result<()> {
    for FollowedWebhook { webhook, progress } in places_of(app).await? {
        let scanned = sender.scanned(webhook.id, progress.position);
        if scanned > progress.position {
            add(app, &webhook, &[], Moved::On(scanned)).await?;
        }
    }
    Ok(())
}

/// A webhook and its position in the log.
struct FollowedWebhook {
    webhook: Webhook,
    progress: Progress,
}

/// The active webhooks with fewer than `UNFINISHED` unfinished deliveries.
async fn places_of(app: &App) -> Result<Vec<FollowedWebhook>> {
    let (mut places, mut last) = (Vec::new(), 0);
    loop {
        let (fields, own) = (Webhook::FIELDS, Progress::FIELDS);
        let active = fields.active.eq(true).and(fields.id.gt(last));
        let webhooks = app.store::<Webhook>().list(active.order_by(fields.id.asc()).limit(WEBHOOKS)).await?;
        let ids = webhooks.iter().map(|webhook| webhook.id);
        let progresses = app.store::<Progress>().list(own.id.is_in(ids)).await?;
        let mut progresses: HashMap<i64, Progress> = progresses.into_iter().map(|it| (it.id, it)).collect();
        let count = webhooks.len() as u64;
        last = webhooks.last().map_or(last, |webhook| webhook.id);
        let found = webhooks.into_iter().filter_map(|webhook| {
            let progress = progresses.remove(&webhook.id).filter(|progress| progress.unfinished < UNFINISHED)?;
            Some(FollowedWebhook { webhook, progress })
        });
        places.extend(found);
        if count < WEBHOOKS {
            return Ok(places);
        }
    }
}

/// Whether the log has every event after a position. The log is asked only if the position is far behind, or this
/// process has not read the log for these webhooks.
async fn is_kept(sender: &Sender, from: i64, places: &[FollowedWebhook]) -> Result<bool> {
    let is_far = sender.mark() - from > i64::try_from(PAGE).unwrap_or(i64::MAX);
    let is_followed = places.iter().all(|place| sender.has_scanned(place.webhook.id));
    Ok((is_followed && !is_far) || sender.core().log.has_all_after(from).await?)
}

/// Sends webhooks a `reset`, as events are missing, and continues with events from now on.
async fn reset(sender: &Sender, app: &App, places: &[FollowedWebhook]) -> Result<()> {
    let now = sender.core().log.refresh().await?;
    for FollowedWebhook { webhook, .. } in places {
        tracing::warn!(webhook = webhook.id, "the log no longer has events that a webhook is still to be sent");
        let (event_id, kind, subject) = (format!("reset-{now}"), RESET.to_owned(), RESET.to_owned());
        let added = Added { event_id, kind, seq: 0, first_seq: None, subject };
        add(app, webhook, &[added], Moved::To(now)).await?;
        sender.set_scanned(webhook.id, now);
    }
    Ok(())
}

/// Creates deliveries of a page of entries, for webhooks at the same position of the log.
async fn deliveries_of(sender: &Sender, app: &App, page: EntryPage, places: Vec<FollowedWebhook>) -> Result<()> {
    let EntryPage { entries, upto, .. } = page;
    let entries: Vec<Entry> = entries.into_iter().filter(|entry| sender.has_events(entry.resource)).collect();
    // Webhooks with equal rights share one rendering.
    let (mut rendered, mut failed): (HashMap<String, Vec<Rendered>>, _) = (HashMap::new(), Ok(()));
    for FollowedWebhook { webhook, progress } in places {
        let rights = rights(&webhook);
        let created = async {
            if !rendered.contains_key(&rights) {
                let told = sender.core().views.render(webhook.principal().as_ref(), &entries).await?;
                rendered.insert(rights.clone(), told);
            }
            let told = rendered.get(&rights).map_or(&[][..], Vec::as_slice);
            let added = added(&webhook, told, &entries);
            if !added.is_empty() || upto - progress.position >= STORED_EVERY {
                add(app, &webhook, &added, Moved::On(upto)).await?;
            }
            sender.set_scanned(webhook.id, upto);
            Ok(())
        };
        failed = created.await.and(failed);
    }
    failed
}

/// The rights of a webhook, as a text. Webhooks with equal texts see the same records.
fn rights(webhook: &Webhook) -> String {
    let mut roles = webhook.roles.clone();
    roles.sort_unstable();
    let tenant = webhook.tenant_claim.as_ref().filter(|_| !roles.is_empty());
    serde_json::json!([roles, tenant]).to_string()
}

/// The deliveries of rendered messages. Several resets become one, after which the receiver reads all of its records
/// again.
fn added(webhook: &Webhook, told: &[Rendered], entries: &[Entry]) -> Vec<Added> {
    let (mut added, mut is_reset) = (Vec::new(), false);
    for Rendered { resource, told } in told {
        match told {
            Told::Event(seq, event) if matches(&webhook.types, &event.kind) => {
                let Some(entry) = entries.iter().find(|entry| entry.seq == *seq) else { continue };
                let (event_id, kind, first_seq) = (event.id.clone(), event.kind.clone(), first_of(entry, entries));
                added.push(Added { event_id, kind, seq: *seq, first_seq, subject: subject(entry) });
            }
            Told::Reset(seq)
                if !is_reset && types_of_changes(resource).iter().any(|kind| matches(&webhook.types, kind)) =>
            {
                is_reset = true;
                let (event_id, kind) = (format!("reset-{seq}"), RESET.to_owned());
                added.push(Added { event_id, kind, seq: *seq, first_seq: None, subject: RESET.to_owned() });
            }
            Told::Event(..) | Told::Reset(_) => {}
        }
    }
    added
}

/// The number of the first of several changes that are one event, whose last change is `last`.
fn first_of(last: &Entry, entries: &[Entry]) -> Option<i64> {
    let is_own = |entry: &Entry| matches!(entry.kind, EntryKind::Own(_));
    let first = entries.iter().find(|entry| !is_own(entry) && entry.is_of_record_of(last))?;
    (!is_own(last) && first.seq < last.seq).then_some(first.seq)
}

/// The record of an entry: by its table and its key, or by a hash of a key that is too long.
fn subject(entry: &Entry) -> String {
    let Entry { resource, key, .. } = entry;
    if key.len() <= LONGEST_KEY {
        return format!("{}/{key}", resource.table);
    }
    let hash = Sha256::digest(key).iter().fold(String::new(), |hash, byte| hash + &format!("{byte:02x}"));
    format!("{}/sha256:{hash}", resource.table)
}
