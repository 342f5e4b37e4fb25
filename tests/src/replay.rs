//! [`Replay`]: the audit log of one resource, replayed and compared with the stored records.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::audit_log::{self, States};
use crate::client::Client;
use crate::fixtures::records;
use crate::writer::{WriteTarget, Writer};

/// The replayed audit log of one resource.
#[derive(Debug, Default)]
pub struct Replay {
    entries: usize,
    /// The state of each record after the replay.
    pub(crate) states: States,
    /// The number of changes of each record.
    pub(crate) changes: BTreeMap<String, usize>,
}

impl Replay {
    /// Replays the new entries and compares the result with the stored records: no change without its entry, no entry
    /// without its change.
    ///
    /// # Panics
    /// When they differ.
    pub async fn advance(&mut self, client: &Client, target: &WriteTarget) {
        let entries = audit_log::entries_after(client, target.entity, self.entries).await;
        audit_log::replay_onto(&mut self.states, &entries).unwrap_or_else(|fault| panic!("{fault}"));
        for entry in &entries {
            *self.changes.entry(entry["entity_id"].to_string()).or_default() += 1;
        }
        self.entries += entries.len();
        let replayed: BTreeMap<_, _> =
            self.states.iter().filter_map(|(id, state)| Some((id.clone(), state.clone()?))).collect();
        assert_eq!(stored(client, target).await, replayed, "{} as stored and as replayed from the log", target.entity);
    }

    /// Compares the replay with what the resource's writers know.
    ///
    /// # Panics
    /// When an acknowledged change is missing or different, or a record was not created by a writer.
    pub fn reconcile<'a>(&self, writers: impl Iterator<Item = &'a mut Writer>) {
        let known: usize = writers.map(|writer| writer.reconcile(self)).sum();
        assert_eq!(known, self.states.len(), "every record was created by a writer");
    }
}

/// Every stored record of a resource, by its id.
async fn stored(client: &Client, target: &WriteTarget) -> BTreeMap<String, Value> {
    let mut stored = BTreeMap::new();
    loop {
        let list = client
            .get(format!("{}?{}limit=100&skip={}", target.prefix, target.include_deleted(), stored.len()))
            .await
            .ok();
        let read = records(&list);
        stored.extend(read.iter().map(|record| (record["id"].to_string(), record.clone())));
        if list["total"] == stored.len() {
            return stored;
        }
        assert!(!read.is_empty(), "the pages add up to the total");
    }
}
