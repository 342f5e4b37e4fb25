//! [`GroupSizes`]: counts of the changes in group commits.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::storage::status::{GroupCount, StorageStatus};

/// The sizes of group commits, counted by powers of two up to 512.
#[derive(Debug, Default)]
pub(crate) struct GroupSizes {
    commits: [AtomicU64; 10],
    changes: AtomicU64,
}

impl GroupSizes {
    /// Counts a group commit.
    pub(crate) fn count(&self, changes: usize) {
        let class = changes.max(1).next_power_of_two().trailing_zeros() as usize;
        self.commits[class.min(self.commits.len() - 1)].fetch_add(1, Ordering::Relaxed);
        self.changes.fetch_add(changes as u64, Ordering::Relaxed);
    }

    /// Adds the counts to a status.
    pub(crate) fn add_to(&self, mut status: StorageStatus) -> StorageStatus {
        let counts = self.commits.iter().enumerate();
        let groups = counts.map(|(class, commits)| GroupCount::new(1 << class, commits.load(Ordering::Relaxed)));
        status.groups = groups.collect();
        status.grouped_changes = self.changes.load(Ordering::Relaxed);
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_commits_are_counted_by_powers_of_two() {
        let sizes = GroupSizes::default();
        for changes in [1, 2, 3, 4, 5, 256, 10_000] {
            sizes.count(changes);
        }
        let status = sizes.add_to(StorageStatus::new(1, 2, 3));
        let counted = status.groups.iter().filter(|group| group.commits > 0).map(|group| (group.most, group.commits));
        assert_eq!(counted.collect::<Vec<_>>(), [(1, 1), (2, 1), (4, 2), (8, 1), (256, 1), (512, 1)]);
        assert_eq!((status.grouped_changes, status.busy, status.connections, status.waiting), (10_271, 1, 2, 3));
    }
}
