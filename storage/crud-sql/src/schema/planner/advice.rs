//! Advice on the tables of other programs: statements in comments, each with what it locks.
//!
//! Their owners decide. Nothing is proposed that takes something away: no type, no collation, no `NOT NULL`, no action of a
//! foreign key.

use super::duplicates;
use super::{by_name, foreign_keys};
use crate::identifier::table_identifier;
use crate::schema::change::Change;
use crate::schema::change::planned::{Planned, comment};
use crate::schema::change::render::lines;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::table_diff::missing_unique;
use crate::schema::ddl::{self, IndexDefinition};
use crate::schema::migration_driver::{MigrationDriver, is_online};
use crate::storage::migrations::{Step, StepKind};
use crate::storage::schema::{Difference, DifferenceKind, Verdict};

/// The step with the advice on a table, if there is any.
pub(super) fn step<D: MigrationDriver>(compared: &Compared) -> Option<Step> {
    let blocks: Vec<String> =
        compared.differences.iter().filter_map(|difference| block::<D>(compared, difference)).collect();
    let table = compared.resource.table;
    let head = format!("-- The table {} is another program's: this is for its owner.", table_identifier::<D>(table));
    let up = std::iter::once(head).chain(blocks).collect::<Vec<_>>();
    (up.len() > 1).then(|| Step { table, up: up.join("\n"), down: String::new(), kind: StepKind::Proposal })
}

/// A difference, and the statements that would mend it.
fn block<D: MigrationDriver>(compared: &Compared, difference: &Difference) -> Option<String> {
    let (resource, what) = (compared.resource, &difference.what);
    let statements = match what {
        DifferenceKind::IndexMissing { index, .. } => {
            let wanted = compared.wanted_index::<D>(index)?;
            with_locks::<D>(compared, ddl::definition_of_index::<D>(resource, wanted))
        }
        DifferenceKind::UniqueMissing { .. } => {
            let unique = missing_unique(resource, what)?;
            let create = ddl::definition_without_column::<D>(resource, &unique)?;
            format!("{}\n{}", duplicates::comment::<D>(compared, &unique), with_locks::<D>(compared, create))
        }
        DifferenceKind::ForeignKeyMissing { column, .. } if D::ALTERS => {
            let ups = ups::<D>(compared, foreign_keys::added::<D>(compared, by_name(resource, column)));
            format!(
                "-- Locks: both tables for a moment, and until all records are read where that is not apart.\n{ups}"
            )
        }
        _ if difference.verdict() == Verdict::Refuses => "-- A service does not start with it.".to_owned(),
        _ => return None,
    };
    Some(format!("-- {difference}.\n{}", commented(&statements)))
}

/// The statement that makes an index, and what it locks.
fn with_locks<D: MigrationDriver>(compared: &Compared, index: IndexDefinition) -> String {
    let locks = if is_online::<D>(compared) {
        "-- Locks: no reader or writer. It waits for open transactions, and runs in none."
    } else if D::INDEXES_BELONG_TO_TABLES {
        "-- Locks: no reader or writer of InnoDB but for a moment."
    } else {
        "-- Locks: writers, until all records are read."
    };
    format!("{locks}\n{}", ups::<D>(compared, Planned::apply(vec![Change::add_index(index)])))
}

/// The statements of planned changes.
fn ups<D: MigrationDriver>(compared: &Compared, planned: Planned) -> String {
    lines(planned.steps::<D>(compared, 0).into_iter().map(|step| step.up))
}

/// Statements as comments; comments stay.
fn commented(statements: &str) -> String {
    let lines = statements.lines().map(|line| if line.starts_with("--") { line.to_owned() } else { comment(line) });
    lines.collect::<Vec<_>>().join("\n")
}
