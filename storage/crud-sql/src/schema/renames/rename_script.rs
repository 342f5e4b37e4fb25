//! The step of a migration that renames columns, with what has its name from them.

use super::rename::{self, Renamed};
use crate::dialect::Dialect;
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::ColumnDescriptor;
use crate::schema::alteration::RenamedCheck;
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::{self, check_name};
use crate::schema::driver::SchemaDriver;
use crate::schema::script::folded_script;
use crate::storage::migrations::{Step, StepKind};
use crate::storage::schema::What;

/// The statements that rename a table's columns, and the indexes and constraints named after them that are there. Each gets its name once that is free, and the way back is the opposite order.
pub(crate) fn step<D: SchemaDriver>(compared: &Compared) -> Step {
    let resource = compared.resource;
    let table = table_identifier::<D>(resource.table);
    let (mut up, mut down) = (Vec::new(), Vec::new());
    let has = |name: &str| compared.had(name);
    for renamed in &compared.renamed {
        let (new, old) = (renamed.column, former(renamed));
        let (old_check, new_check) = (check_name::<D>(resource, &old), check_name::<D>(resource, new));
        let condition = present_condition::<D>(compared, new).filter(|_| has(&old_check));
        let check = |from: &str, to: &str, condition: Option<String>| {
            Some(RenamedCheck { from: identifier::<D>(from), to: identifier::<D>(to), condition: condition? })
        };
        let rename = D::ALTERATION.rename_column;
        up.extend(rename(&table, renamed.from, new.column, check(&old_check, &new_check, condition.clone())));
        let condition = condition.map(|condition| rename::text(&condition, &[(new.column, renamed.from)]));
        let mut back = rename(&table, new.column, renamed.from, check(&new_check, &old_check, condition));
        let [from, to] = [renamed.from, new.column].map(|column| ddl::foreign_key_name::<D>(resource, column));
        if has(&from) {
            up.extend((D::ALTERATION.rename_foreign_key)(&table, &from, &to));
            back.extend((D::ALTERATION.rename_foreign_key)(&table, &to, &from));
        }
        down.splice(0..0, back);
    }
    let around = folded_script::around_rename::<D>(compared);
    let is_renamed = |(from, _): &&(String, String)| has(from) && !around.indexes.contains(from);
    let pairs: Vec<&(String, String)> = compared.renamed_indexes.iter().filter(is_renamed).collect();
    up.extend(pairs.iter().map(|(from, to)| (D::ALTERATION.rename_index)(&table, from, to)));
    down.extend(pairs.iter().rev().map(|(from, to)| (D::ALTERATION.rename_index)(&table, to, from)));
    let up = [around.before, up, around.after].concat().join("\n");
    let down = [around.before_back, down, around.after_back].concat().join("\n");
    Step { table: resource.table, up, down, kind: StepKind::Alter }
}

/// The condition of the CHECK constraint that a renamed column has, by its new name.
fn present_condition<D: SchemaDriver>(compared: &Compared, column: &ColumnDescriptor) -> Option<String> {
    let differs = compared.differences.iter().find_map(|difference| match &difference.what {
        What::Check { column: of, is, .. } if *of == column.column => Some(is.clone()),
        _ => None,
    });
    differs.unwrap_or_else(|| ddl::check::<D>(column))
}

/// The column as it was called.
fn former(renamed: &Renamed) -> ColumnDescriptor {
    let mut column = *renamed.column;
    column.column = renamed.from;
    column
}

/// The condition of a column's CHECK constraint, by the column's name, also where the column has its former name still.
pub(crate) fn present_check<D: Dialect>(compared: &Compared, column: &ColumnDescriptor) -> Option<String> {
    let table = compared.table.as_ref()?;
    let Some(renamed) = compared.renamed.iter().find(|renamed| renamed.column.column == column.column) else {
        return table.check(&check_name::<D>(compared.resource, column)).map(str::to_owned);
    };
    // The constraint by the new name is that of the column that gives it up.
    let condition = table.check(&check_name::<D>(compared.resource, &former(renamed)))?;
    Some(rename::quoted_text::<D>(condition, &[(renamed.from, column.column)]))
}
