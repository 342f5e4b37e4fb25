//! The indexes of a column that gets another type. Where the database spells a column of that type in another way in an index,
//! the statement that alters the column creates them anew:
//!
//! ```sql
//! ALTER TABLE `parts` MODIFY COLUMN `code` LONGTEXT, DROP INDEX `ix_parts__code`, ADD INDEX `ix_parts__code` (`code`(255));
//! ```

use super::present_index::{is_generated, keys};
use crate::catalogue::table::{Index, IndexedColumn};
use crate::schema::change::RespelledIndex;
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::IndexDefinition;
use crate::schema::migration_driver::MigrationDriver;

/// A column that gets another type.
pub(super) struct Retyped<'a> {
    pub(super) column: &'a str,
    /// Its type before.
    pub(super) from: &'a str,
    /// Its type afterwards.
    pub(super) to: &'a str,
    /// The types that the other columns have meanwhile.
    pub(super) others: &'a dyn Fn(&str) -> Option<String>,
}

/// The indexes of the column that are spelled in another way afterwards. `generated`: whether those of the column's text in lower
/// case.
pub(super) fn respelled<D: MigrationDriver>(
    compared: &Compared,
    retyped: &Retyped<'_>,
    generated: bool,
) -> Vec<RespelledIndex> {
    let Some(table) = &compared.table else { return Vec::new() };
    let is_it = |name: &str| (D::TABLES.is_same_name)(name, retyped.column);
    let has_it = |index: &&Index| {
        let is_of_it = |column: &IndexedColumn| {
            let name = column.name.as_deref().filter(|name| is_it(name));
            name.is_some_and(|name| is_generated::<D>(table, column, name) == generated)
        };
        index.columns.iter().any(is_of_it)
    };
    let definition = |index: &Index, declared: &str| {
        let declared = |name: &str| if is_it(name) { Some(declared.to_owned()) } else { (retyped.others)(name) };
        let columns = keys::<D>(table, index, declared, str::to_owned)?;
        Some(IndexDefinition { name: index.name.clone(), unique: index.unique, columns, condition: None })
    };
    // Any other kind of index, such as one of words, has other keys.
    let indexes = table.indexes.iter().filter(|index| index.plain || index.unique).filter(has_it);
    let respelled = indexes.filter_map(|index| {
        let (from, to) = (definition(index, retyped.from)?, definition(index, retyped.to)?);
        (from.columns != to.columns).then_some([from, to])
    });
    respelled.collect()
}
