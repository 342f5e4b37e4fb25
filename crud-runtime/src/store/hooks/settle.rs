//! The records of changes at the end of their write, where hooks may have changed them.

use super::changed::ChangedData;
use super::changeset::ChangeKind;
use super::pipeline::{Applied, HookedChanges};
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::store::writer::write_error::WriteError;

impl HookedChanges<'_> {
    /// Whether hooks run that can change a record.
    pub(super) const fn watches(&self) -> bool {
        self.hooks.before.is_some() || self.hooks.after.is_some()
    }

    /// Ends changes whose hooks have run: where one may have written, their records are read again.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn settle(
        &self,
        applied: &mut [Result<Applied, WriteError>],
        have_hooks_written: bool,
    ) -> Result<(), Problem> {
        if !self.watches() {
            return Ok(());
        }
        let mut changes = Vec::with_capacity(applied.len());
        for change in applied.iter_mut().flatten() {
            let id = Key::of_row(self.resource(), &change.record).map_err(|error| self.problem(error))?;
            changes.push((id, change));
        }
        let is_left = |change: &Applied| !change.done.as_ref().is_some_and(ChangedData::is_removal);
        let left = changes.iter().filter(|(_, change)| have_hooks_written && is_left(change));
        let left: Vec<Key> = left.map(|(id, _)| id.clone()).collect();
        let mut stored = self.watch.read(&left).await?;
        for (id, change) in changes {
            if let Some(stored) = stored.remove(&id.lookup()) {
                let unrecorded = self.watch.record(&stored).await?;
                // `committed` gets what this change's hooks have changed by SQL; changes by stores have their own call.
                if let Some(done) = &mut change.done {
                    for column in unrecorded {
                        done.new.set(column, stored.get(column).clone());
                    }
                }
                change.record = stored;
            }
            self.watch.end(&change.record)?;
        }
        Ok(())
    }
}

impl ChangedData {
    /// Whether the record is gone.
    const fn is_removal(&self) -> bool {
        matches!(self.kind, ChangeKind::Delete | ChangeKind::Purge)
    }
}
