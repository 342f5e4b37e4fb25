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
    /// Comment above those that revert them.
    back: String,
    form: Form,
}

/// Form of planned changes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Statements, of a step of this kind.
    Applied(StepKind),
    /// Comments that the reader has to turn into statements.
    Left,
    /// Comments, for the reader to choose.
    Proposed,
}

impl Planned {
    /// Changes that are applied.
    pub(crate) fn apply(changes: Vec<Change>) -> Self {
        Self::apply_as(StepKind::Alter, changes)
    }

    /// Changes that are applied by a step of a kind.
    pub(crate) const fn apply_as(kind: StepKind, changes: Vec<Change>) -> Self {
        Self { note: String::new(), changes, back: String::new(), form: Form::Applied(kind) }
    }

    /// Changes that are left to the reader. `back`: the comment on the way back.
    pub(crate) const fn leave(note: String, changes: Vec<Change>, back: String) -> Self {
        Self { note, changes, back, form: Form::Left }
    }

    /// A comment alone.
    pub(crate) const fn remark(note: String) -> Self {
        Self::leave(note, Vec::new(), String::new())
    }

    /// Changes that are proposed. `back`: the comment on the way back; without one, there is none.
    pub(crate) const fn propose(note: String, changes: Vec<Change>, back: String) -> Self {
        Self { note, changes, back, form: Form::Proposed }
    }

    /// With a comment above the statements.
    pub(crate) fn noted(self, note: &str) -> Self {
        Self { note: note.to_owned(), ..self }
    }

    /// The changes that are applied.
    pub(crate) fn applied(&self) -> &[Change] {
        if matches!(self.form, Form::Applied(_)) { &self.changes } else { &[] }
    }

    /// The steps of a migration. `records`: the number of the table's, where that matters.
    pub(crate) fn steps<D: MigrationDriver>(&self, compared: &Compared, records: i64) -> Vec<Step> {
        let table = compared.resource.table;
        let step = |up, down, kind| Step { table, up, down, kind };
        if let Form::Applied(kind) = self.form {
            let mut steps = Online::<D>::of(compared, records).steps(&self.changes, kind);
            if let Some(first) = steps.first_mut() {
                first.up = lines([self.note.clone(), std::mem::take(&mut first.up)]);
                first.down = lines([self.back.clone(), std::mem::take(&mut first.down)]);
            }
            return steps;
        }
        let commented = |changes: &[Change]| comment(&statements::<D>(table, changes));
        let up = lines([self.note.clone(), commented(&self.changes)]);
        let down = if self.back.is_empty() {
            String::new()
        } else {
            lines([self.back.clone(), commented(&inverse(&self.changes))])
        };
        vec![step(up, down, if self.form == Form::Left { StepKind::Alter } else { StepKind::Proposal })]
    }
}

/// Statements as comments.
pub(crate) fn comment(text: &str) -> String {
    lines(text.lines().map(|line| format!("-- {line}")))
}
