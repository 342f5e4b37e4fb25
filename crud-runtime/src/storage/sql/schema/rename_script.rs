//! The step of a migration that renames columns, with what has its name from them.

use super::alteration::RenamedCheck;
use super::compared::Compared;
use super::ddl::{self, check_name, identifier};
use super::folded_script;
use super::rename::{self, Renamed};
use crate::model::descriptor::ColumnDescriptor;
use crate::storage::indexes::{NO_CASE, SOME, indexes, uniques};
use crate::storage::migrations::{Step, StepKind};
use crate::storage::sql::dialect::Dialect;
use crate::storage::sql::driver::Driver;

/// The statements that rename a table's columns, and the indexes and constraints named after them, as far as they are
/// among these names.
pub(crate) fn step<D: Driver>(compared: &Compared, names: &[String]) -> Step {
    let resource = compared.resource;
    let table = identifier::<D>(resource.table);
    let (mut up, mut down) = (Vec::new(), Vec::new());
    for renamed in &compared.renamed {
        let (new, old) = (renamed.column, former(renamed));
        let (old_check, new_check) = (check_name::<D>(resource, &old), check_name::<D>(resource, new));
        let is_there = names.contains(&old_check);
        let check = |from: &str, to: &str, column: &ColumnDescriptor| {
            let condition = ddl::check::<D>(column).filter(|_| is_there)?;
            Some(RenamedCheck { from: identifier::<D>(from), to: identifier::<D>(to), condition })
        };
        let rename = D::ALTERATION.rename_column;
        up.extend(rename(&table, renamed.from, new.column, check(&old_check, &new_check, new)));
        let back = rename(&table, new.column, renamed.from, check(&new_check, &old_check, &old));
        down.splice(0..0, back);
        let key = |column: &str| (D::TABLES.shorten)(format!("{}_{column}_fkey", resource.table));
        let (from, to) = (key(renamed.from), key(new.column));
        if names.contains(&from) {
            up.extend((D::ALTERATION.rename_foreign_key)(&table, &from, &to));
            down.extend((D::ALTERATION.rename_foreign_key)(&table, &to, &from));
        }
    }
    let pairs = index_names::<D>(compared);
    let around = folded_script::around_rename::<D>(compared, &pairs, names);
    for (from, to) in pairs.iter().filter(|(from, _)| names.contains(from) && !around.indexes.contains(from)) {
        up.push((D::ALTERATION.rename_index)(&table, from, to));
        down.push((D::ALTERATION.rename_index)(&table, to, from));
    }
    let up = [around.before, up, around.after].concat().join("\n");
    let down = [around.before_back, down, around.after_back].concat().join("\n");
    Step { table: resource.table, up, down, kind: StepKind::Alter }
}

/// The column as it was called.
fn former(renamed: &Renamed) -> ColumnDescriptor {
    let mut column = *renamed.column;
    column.column = renamed.from;
    column
}

/// The former and the new names of the indexes that the resource wants, where they differ.
pub(crate) fn index_names<D: Dialect>(compared: &Compared) -> Vec<(String, String)> {
    let resource = compared.resource;
    let key_implied = (D::TABLES.key_implied)(resource, compared.table.as_ref());
    let wanted = indexes(resource, key_implied, D::TABLES.active_by, &[]);
    let names = uniques(resource).into_iter().map(|unique| unique.name(resource));
    let names = names.chain(wanted.into_iter().map(|index| index.name(resource)));
    let mut pairs: Vec<(String, String)> = Vec::new();
    for name in names {
        let (table, columns) = name.split_once("__").unwrap_or((&name, ""));
        let old = columns.split("__").map(|part| {
            let word = [SOME, NO_CASE].into_iter().find_map(|word| Some((word, part.strip_prefix(word)?)));
            let (word, column) = word.unwrap_or(("", part));
            let renamed = compared.renamed.iter().find(|renamed| renamed.column.column == column);
            format!("{word}{}", renamed.map_or(column, |renamed| renamed.from))
        });
        let old = format!("{table}__{}", old.collect::<Vec<_>>().join("__"));
        let pair = ((D::TABLES.shorten)(old), (D::TABLES.shorten)(name));
        if pair.0 != pair.1 && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// The condition of a column's CHECK constraint, which may still have the column's former name. `find` reads the condition
/// of a constraint by its name.
pub(crate) fn present_check<D: Dialect>(
    compared: &Compared,
    column: &ColumnDescriptor,
    find: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let renamed = compared.renamed.iter().find(|renamed| renamed.column.column == column.column);
    find(&check_name::<D>(compared.resource, column)).or_else(|| {
        let renamed = renamed?;
        let condition = find(&check_name::<D>(compared.resource, &former(renamed)))?;
        Some(rename::text(&condition, &[(renamed.from, column.column)]))
    })
}
