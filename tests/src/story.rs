//! [`Story`]: what the audit log of one kind of record tells, held against what is stored.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::client::Client;
use crate::fixtures::records;
use crate::trail::{self, States};
use crate::writer::{Kind, Writer};

/// What the audit log of one kind tells.
#[derive(Debug, Default)]
pub struct Story {
    entries: usize,
    /// What became of each record.
    pub(crate) states: States,
    /// How often each changed.
    pub(crate) changes: BTreeMap<String, usize>,
}

impl Story {
    /// Reads on, and holds what is stored against it: no change without its entry, no entry without its change.
    ///
    /// # Panics
    /// When they differ.
    pub async fn read_on(&mut self, client: &Client, kind: &Kind) {
        let entries = trail::of_kind_after(client, kind.entity, self.entries).await;
        trail::follow(&mut self.states, &entries).unwrap_or_else(|fault| panic!("{fault}"));
        for entry in &entries {
            *self.changes.entry(entry["entity_id"].to_string()).or_default() += 1;
        }
        self.entries += entries.len();
        let told: BTreeMap<_, _> =
            self.states.iter().filter_map(|(id, state)| Some((id.clone(), state.clone()?))).collect();
        assert_eq!(stored(client, kind).await, told, "{} as it is stored and as the log tells", kind.entity);
    }

    /// Holds what writers of the kind were told against it.
    ///
    /// # Panics
    /// When a writer was told something else, or nobody wrote something.
    pub fn settle<'a>(&self, writers: impl Iterator<Item = &'a mut Writer>) {
        let known: usize = writers.map(|writer| writer.settle(self)).sum();
        assert_eq!(known, self.states.len(), "every record is one that a writer knows");
    }
}

/// Every stored record of a kind, by its id.
async fn stored(client: &Client, kind: &Kind) -> BTreeMap<String, Value> {
    let mut stored = BTreeMap::new();
    loop {
        let list = client.get(format!("{}?{}limit=100&skip={}", kind.prefix, kind.all(), stored.len())).await.ok();
        let read = records(&list);
        stored.extend(read.iter().map(|record| (record["id"].to_string(), record.clone())));
        if list["total"] == stored.len() {
            return stored;
        }
        assert!(!read.is_empty(), "the pages have what the total says");
    }
}
