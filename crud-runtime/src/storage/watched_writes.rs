//! [`WatchedWrites`]: a generation that each write to a watched table changes.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::model::descriptor::Descriptor;

/// The generation of a table, which each write of this process to it changes: what was read of it in another generation may
/// be old. A service without a watched table pays one load for each write.
#[derive(Debug, Default)]
pub(crate) struct WatchedWrites {
    tables: OnceLock<Tables>,
    generation: AtomicU64,
}

#[derive(Debug)]
struct Tables {
    watched: &'static str,
    /// Tables whose removals may remove or change records of the watched one: it refers to them.
    referenced: HashSet<&'static str>,
}

/// Changes the generation when it is dropped: a write whose future is dropped may have happened.
pub(super) struct Changed<'w>(&'w WatchedWrites);

impl Drop for Changed<'_> {
    fn drop(&mut self) {
        self.0.generation.fetch_add(1, Ordering::AcqRel);
    }
}

impl WatchedWrites {
    /// Watches the table of a resource. A second one is ignored.
    pub(crate) fn watch(&self, resource: &'static Descriptor) {
        self.tables.get_or_init(|| {
            let mut referenced = HashSet::new();
            let mut open = vec![resource];
            while let Some(of) = open.pop() {
                let targets = of.columns.iter().filter_map(|column| column.references).map(|to| (to.target)());
                open.extend(targets.filter(|target| referenced.insert(target.table)));
            }
            Tables { watched: resource.table, referenced }
        });
    }

    /// The generation now.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Whether there is a watched table, which a statement of the program's may write to.
    pub(super) fn is_used(&self) -> bool {
        self.tables.get().is_some()
    }

    /// Whether a write to the table of a resource may change the watched one.
    pub(super) fn concern(&self, resource: &Descriptor, removes: bool) -> bool {
        let concerns =
            |tables: &Tables| tables.watched == resource.table || removes && tables.referenced.contains(resource.table);
        self.tables.get().is_some_and(concerns)
    }

    /// Changes the generation at the end of a write that concerns the watched table.
    pub(super) fn guard(&self) -> Changed<'_> {
        Changed(self)
    }
}

#[cfg(test)]
mod tests {
    use super::WatchedWrites;
    use crate::Resource;

    #[derive(Resource)]
    #[allow(dead_code)]
    struct Team {
        id: i64,
    }

    #[derive(Resource)]
    #[allow(dead_code)]
    struct Member {
        id: i64,
        #[crud(references(Team, on_delete(cascade)))]
        team_id: i64,
    }

    #[test]
    fn writes_concern_the_watched_table_and_removals_what_it_refers_to() {
        let writes = WatchedWrites::default();
        assert!(!writes.concern(Member::DESCRIPTOR, true) && !writes.is_used());
        writes.watch(Member::DESCRIPTOR);
        assert!(writes.concern(Member::DESCRIPTOR, false) && writes.is_used());
        assert!(writes.concern(Team::DESCRIPTOR, true) && !writes.concern(Team::DESCRIPTOR, false));
        let before = writes.generation();
        drop(writes.guard());
        assert_ne!(before, writes.generation());
    }
}
