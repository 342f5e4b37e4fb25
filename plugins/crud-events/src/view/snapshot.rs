//! [`Snapshot`]: entries of the log with the current records, read once for all views.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crud_runtime::StoredRecord;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::Problem;
use tokio::sync::OnceCell;

use super::paths::Paths;
use crate::entry::Entry;
use crate::log::Log;

/// Entries of the log, in the order of their numbers, and their records. Records are read when a view first needs them.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The entries by the address of their resource.
    resources: HashMap<usize, OfResource>,
    /// The number up to which the snapshot has every entry.
    pub(crate) upto: i64,
}

/// The entries of a resource.
#[derive(Debug)]
struct OfResource {
    /// The entries by the key of their record.
    entries: BTreeMap<String, Vec<Entry>>,
    /// Current records by their keys. Deleted ones are missing.
    records: OnceCell<BTreeMap<String, StoredRecord>>,
    /// Later entries, which are read after the records. An entry that is newer than the record as read does no harm: it
    /// gives a value that the record has anyway.
    /// `None` if they are more than are read.
    later: OnceCell<Option<HashMap<String, Vec<Entry>>>>,
}

/// A changed record of a snapshot, with its entries.
#[derive(Debug)]
pub(crate) struct Changed<'s> {
    pub(crate) key: &'s str,
    /// The entries in the order of their numbers; at least one.
    pub(crate) entries: &'s [Entry],
    /// The current record, if it exists.
    pub(crate) now: Option<&'s StoredRecord>,
}

pub(crate) fn address(resource: &'static Descriptor) -> usize {
    std::ptr::from_ref(resource).addr()
}

impl Snapshot {
    pub(crate) fn new(entries: Vec<Entry>, upto: i64) -> Self {
        let mut resources: HashMap<usize, OfResource> = HashMap::new();
        for entry in entries {
            let of = resources.entry(address(entry.resource)).or_insert_with(|| OfResource {
                entries: BTreeMap::new(),
                records: OnceCell::new(),
                later: OnceCell::new(),
            });
            of.entries.entry(entry.key.clone()).or_default().push(entry);
        }
        Self { resources, upto }
    }

    /// Whether an entry is of a resource.
    pub(crate) fn has(&self, resource: &'static Descriptor) -> bool {
        self.resources.contains_key(&address(resource))
    }

    /// The changed records of a resource.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn changed(
        &self,
        (log, paths): (&Log, &Paths),
        resource: &'static Descriptor,
    ) -> Result<Vec<Changed<'_>>, Problem> {
        let Some(of) = self.resources.get(&address(resource)) else { return Ok(Vec::new()) };
        let read = async || {
            let records = log.app()?.stored_records(paths.of(resource)?)?;
            records.records(of.entries.keys()).await
        };
        let records = of.records.get_or_try_init(read).await?;
        let changed = of.entries.iter().map(|(key, entries)| Changed { key, entries, now: records.get(key) });
        Ok(changed.collect())
    }

    /// The entries of a changed record and all later ones, the newest change first; `None` if the later ones are more
    /// than are read.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn chain(&self, log: &Log, changed: &Changed<'_>) -> Result<Option<Vec<Arc<Entry>>>, Problem> {
        let resource = changed.entries[0].resource;
        let Some(of) = self.resources.get(&address(resource)) else { return Ok(Some(Vec::new())) };
        let read = async || {
            let keys: Vec<String> = of.entries.keys().cloned().collect();
            let first = of.entries.values().flatten().map(|entry| entry.log_id).min().unwrap_or(i64::MAX);
            let Some(entries) = log.between(resource, &keys, (first, i64::MAX)).await? else { return Ok(None) };
            let mut later: HashMap<String, Vec<Entry>> = HashMap::new();
            for entry in entries {
                later.entry(entry.key.clone()).or_default().push(entry);
            }
            Ok::<_, Problem>(Some(later))
        };
        let Some(later) = of.later.get_or_try_init(read).await? else { return Ok(None) };
        Ok(Some(chain_of(changed.entries, later.get(changed.key).map_or(&[], Vec::as_slice))))
    }
}

/// Entries of one record and the later ones, each once, the newest change first.
pub(crate) fn chain_of(entries: &[Entry], later: &[Entry]) -> Vec<Arc<Entry>> {
    let own: BTreeSet<i64> = entries.iter().map(|entry| entry.log_id).collect();
    let first = own.first().copied().unwrap_or(i64::MAX);
    let since = later.iter().filter(|entry| entry.log_id > first && !own.contains(&entry.log_id));
    let mut chain: Vec<Arc<Entry>> = entries.iter().chain(since).cloned().map(Arc::new).collect();
    chain.sort_by_key(|entry| std::cmp::Reverse(entry.log_id));
    chain
}
