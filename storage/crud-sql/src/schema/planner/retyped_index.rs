//! The indexes of a column that gets another type. Where the database spells a column of that type in another way in an index,
//! the statement that alters the column creates them anew:
//!
//! ```sql
//! ALTER TABLE `parts` MODIFY COLUMN `code` LONGTEXT, DROP INDEX `ix_parts__code`, ADD INDEX `ix_parts__code` (`code`(255));
//! ```

use crate::catalogue::table::{Index, IndexedColumn};
use crate::identifier::identifier;
use crate::schema::change::RespelledIndex;
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::ACTIVE;
use crate::schema::folded::name_of;
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
    let is_it = |name: &str| (D::TABLES.is_same_name)(name, retyped.column);
    let has_it = |index: &&Index| {
        let is_of_it = |column: &IndexedColumn| {
            let name = column.name.as_deref().filter(|name| is_it(name));
            name.is_some_and(|name| is_generated::<D>(compared, column, name) == generated)
        };
        index.columns.iter().any(is_of_it)
    };
    let keys = |index: &Index, declared: &str| {
        let declared = |name: &str| if is_it(name) { Some(declared.to_owned()) } else { (retyped.others)(name) };
        keys::<D>(compared, index, declared, str::to_owned)
    };
    // Any other kind of index, such as one of words, has other keys.
    let indexes = compared.present_indexes().filter(|index| index.plain || index.unique).filter(has_it);
    let respelled = indexes.filter_map(|index| {
        let (from, to) = (keys(index, retyped.from)?, keys(index, retyped.to)?);
        (from != to).then(|| RespelledIndex { name: index.name.clone(), unique: index.unique, from, to })
    });
    respelled.collect()
}

/// The keys of an index as its definition has them; `None` where one is an expression. `declared`: the type of a column, `name`
/// the name that it has there.
pub(super) fn keys<D: MigrationDriver>(
    compared: &Compared,
    index: &Index,
    declared: impl Fn(&str) -> Option<String>,
    name: impl Fn(&str) -> String,
) -> Option<String> {
    let key = |column: &IndexedColumn| {
        let own = column.name.as_deref()?;
        let suffix = D::index_suffix(index, &declared(own)?);
        let named = name(own);
        let named = if is_generated::<D>(compared, column, own) { name_of::<D>(&named) } else { named };
        Some(identifier::<D>(&named) + suffix)
    };
    let mut keys: Vec<String> = index.columns.iter().map(key).collect::<Option<_>>()?;
    keys.extend(index.partial.as_ref().map(|_| identifier::<D>(ACTIVE)));
    Some(keys.join(", "))
}

/// Whether a key of an index is the generated column of this column.
fn is_generated<D: MigrationDriver>(compared: &Compared, key: &IndexedColumn, column: &str) -> bool {
    key.ignores_case && compared.column::<D>(&name_of::<D>(column)).is_some()
}
