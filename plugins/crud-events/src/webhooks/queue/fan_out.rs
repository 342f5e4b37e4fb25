//! The fan-out: entries of the log become deliveries of the webhooks that see them.

use std::collections::{BTreeMap, HashMap};

use crud_runtime::Result;
use crud_runtime::prelude::*;

use super::add::{Added, UNFINISHED, add};
use crate::entry::Entry;
use crate::event::Event;
use crate::webhooks::pattern::matches;
use crate::webhooks::sender::Sender;
use crate::webhooks::table::progress::Progress;
use crate::webhooks::table::webhook::Webhook;

/// The number of entries that are looked at together.
const PAGE: u64 = 500;

/// The number of webhooks that are read together.
const WEBHOOKS: u64 = 500;

/// The number of entries after which a webhook's place is stored, where it is sent none of them.
const STORED_EVERY: i64 = 1_000;

/// Makes deliveries of the events of the log that webhooks are still to be sent, a page for each place in the log; whether there
/// are more.
///
/// # Errors
/// When the database fails.
pub(crate) async fn fan_out(sender: &Sender, app: &App) -> Result<bool> {
    let mut places: BTreeMap<i64, Vec<Place>> = BTreeMap::new();
    for place in places_of(app).await? {
        let from = sender.scanned(place.webhook.id, place.progress.position);
        places.entry(from).or_default().push(place);
    }
    let mut has_more = false;
    for (from, places) in places {
        let entries = sender.core().log.after(from, PAGE).await?;
        has_more |= entries.len() as u64 == PAGE;
        if let Some(last) = entries.last() {
            page(sender, app, &entries, places, last.seq).await?;
        }
    }
    Ok(has_more)
}

/// A webhook and its place in the log.
struct Place {
    webhook: Webhook,
    progress: Progress,
}

/// The active webhooks that have not too many deliveries already.
async fn places_of(app: &App) -> Result<Vec<Place>> {
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
            Some(Place { webhook, progress })
        });
        places.extend(found);
        if count < WEBHOOKS {
            return Ok(places);
        }
    }
}

/// Makes deliveries of a page of entries for webhooks that are at one place of the log.
async fn page(sender: &Sender, app: &App, entries: &[Entry], places: Vec<Place>, last: i64) -> Result<()> {
    // Webhooks that see the same share the reads.
    let mut rendered: HashMap<String, Vec<Event>> = HashMap::new();
    for Place { webhook, progress } in places {
        let rights = rights(&webhook);
        if !rendered.contains_key(&rights) {
            let events = sender.core().views.render(webhook.principal().as_ref(), entries).await?;
            rendered.insert(rights.clone(), events);
        }
        let events = rendered.get(&rights).map_or(&[][..], Vec::as_slice);
        let wanted = events.iter().filter(|event| matches(&webhook.types, &event.kind));
        let added: Vec<_> = wanted.filter_map(|event| added(event, entries)).collect();
        if !added.is_empty() || last - progress.position >= STORED_EVERY {
            add(app, &webhook, &added, last).await?;
        }
        sender.set_scanned(webhook.id, last);
    }
    Ok(())
}

/// What a webhook sees, as a text: equal ones see the same.
fn rights(webhook: &Webhook) -> String {
    let mut roles = webhook.roles.clone();
    roles.sort_unstable();
    let tenant = webhook.tenant_claim.as_ref().filter(|_| !roles.is_empty());
    serde_json::json!([roles, tenant]).to_string()
}

/// The delivery of an event.
fn added(event: &Event, entries: &[Entry]) -> Option<Added> {
    let seq = event.id.parse().ok()?;
    let entry = entries.iter().find(|entry| entry.seq == seq)?;
    let subject = format!("{}/{}", entry.resource.table, entry.key);
    Some(Added { event_id: event.id.clone(), kind: event.kind.clone(), seq, subject })
}
