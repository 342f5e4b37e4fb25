//! Changes that rename columns, with what has its name from them.

use super::folded;
use crate::catalogue::table::Check;
use crate::dialect::Dialect;
use crate::identifier::identifier;
use crate::model::descriptor::ColumnDescriptor;
use crate::schema::change::Change;
use crate::schema::change::planned::Planned;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::renamed_columns::{self, Renamed};
use crate::schema::ddl::{self, check_name};
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::schema::DifferenceKind;

/// Renames a table's columns, and the indexes and constraints named after them that are there. Each gets its name once that is
/// free.
pub(super) fn renamed<D: MigrationDriver>(compared: &Compared) -> Planned {
    let around = folded::around_rename::<D>(compared);
    let mut changes = around.before;
    for renamed in &compared.renamed {
        let (from, to) = (renamed.from.to_owned(), renamed.column.column.to_owned());
        changes.push(Change::RenameColumn { from, to, check: renamed_check::<D>(compared, renamed) });
        let [from, to] =
            [renamed.from, renamed.column.column].map(|column| ddl::foreign_key_name::<D>(compared.resource, column));
        if D::RENAMES_FOREIGN_KEYS && compared.had(&from) {
            changes.push(Change::RenameConstraint { from, to, check: None });
        }
    }
    let pairs = compared.renamed_indexes.iter().filter(|(from, _)| !around.indexes.contains(from));
    changes.extend(pairs.map(|(from, to)| Change::RenameIndex { from: from.clone(), to: to.clone() }));
    changes.extend(around.after);
    Planned::apply(changes)
}

/// The CHECK constraint of a renamed column, before and after, if it is there.
fn renamed_check<D: MigrationDriver>(compared: &Compared, renamed: &Renamed) -> Option<[Check; 2]> {
    let name = check_name::<D>(compared.resource, renamed.from);
    let present = compared.table.as_ref()?.check(&name)?;
    let differs = compared.whats().find_map(|what| match what {
        DifferenceKind::Check { column, is, .. } if *column == renamed.column.column => Some(is.clone()),
        _ => None,
    });
    let condition = differs.unwrap_or_else(|| ddl::check::<D>(renamed.column))?;
    let after = Check { name: check_name::<D>(compared.resource, renamed.column.column), condition };
    Some([Check { name, condition: present.to_owned() }, after])
}

/// The condition of a column's CHECK constraint, by the column's name, also where the column has its former name still.
pub(crate) fn present_check<D: Dialect>(compared: &Compared, column: &ColumnDescriptor) -> Option<String> {
    let table = compared.table.as_ref()?;
    let Some(renamed) = compared.renamed.iter().find(|renamed| renamed.column.column == column.column) else {
        return table.check(&check_name::<D>(compared.resource, column.column)).map(str::to_owned);
    };
    // The constraint by the new name is that of the column that gives it up.
    let condition = table.check(&check_name::<D>(compared.resource, renamed.from))?;
    Some(renamed_columns::text(condition, &[(renamed.from, column.column)], identifier::<D>))
}
