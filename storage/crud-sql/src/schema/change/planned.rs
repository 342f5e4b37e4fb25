//! [`Planned`]: changes of a table that belong together, and the steps of a migration that apply them.

use super::online::Online;
use super::render::{lines, statements};
use super::{Change, inverse};
use crate::schema::comparison::compared::Compared;
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::migrations::{Step, StepKind};

/// Changes of a table that belong together.
#[derive(Debug)]
pub(crate) struct Planned {
    /// Comment above the statements.
    note: String,
    changes: Vec<Change>,
    /// Kind of their step.
    kind: StepKind,
    /// Comment above those that revert them, where both are comments that the reader has to turn into statements; without one,
    /// there is no way back.
    back: Option<String>,
}

impl Planned {
    /// Changes that are applied.
    pub(crate) fn apply(changes: Vec<Change>) -> Self {
        Self::apply_as(StepKind::Alter, changes)
    }

    /// Changes that are applied by a step of a kind.
    pub(crate) const fn apply_as(kind: StepKind, changes: Vec<Change>) -> Self {
        Self { note: String::new(), changes, kind, back: None }
    }

    /// Changes that are left to the reader. `back`: the comment on the way back.
    pub(crate) const fn leave(note: String, changes: Vec<Change>, back: String) -> Self {
        Self { note, changes, kind: StepKind::Alter, back: Some(back) }
    }

    /// Changes that are proposed. `back`: the comment on the way back.
    pub(crate) const fn propose(note: String, changes: Vec<Change>, back: String) -> Self {
        Self { note, changes, kind: StepKind::Proposal, back: Some(back) }
    }

    /// With a comment above the statements.
    pub(crate) fn noted(self, note: String) -> Self {
        Self { note, ..self }
    }

    /// The changes that are applied.
    pub(crate) fn applied(&self) -> &[Change] {
        if self.back.is_none() { &self.changes } else { &[] }
    }

    /// The steps of a migration. `records`: the number of the table's, where that matters.
    pub(crate) fn steps<D: MigrationDriver>(self, compared: &Compared, records: i64) -> Vec<Step> {
        let Self { note, changes, kind, back } = self;
        let Some(back) = back else {
            let mut steps = Online::<D>::of(compared, records).steps(&changes, kind);
            if let Some(first) = steps.first_mut() {
                first.up = lines([note, std::mem::take(&mut first.up)]);
            }
            return steps;
        };
        let table = compared.resource.table;
        let commented = |changes: &[Change]| comment(&statements::<D>(table, changes));
        let up = lines([note, commented(&changes)]);
        let down = if back.is_empty() { back } else { lines([back, commented(&inverse(&changes))]) };
        vec![Step { table, up, down, kind }]
    }
}

/// Statements as comments.
pub(crate) fn comment(text: &str) -> String {
    lines(text.lines().map(|line| format!("-- {line}")))
}
