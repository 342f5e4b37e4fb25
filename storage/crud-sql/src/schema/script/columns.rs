//! The statements of a migration that add, alter and drop columns.

use super::folded_script;
use super::retyped_index::{Retyped, parts};
use super::{by_name, comment, missing_columns};
use crate::catalogue::table::Column;
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::alteration::Shape;
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::{self, column_line};
use crate::schema::driver::SchemaDriver;
use crate::storage::migrations::{Step, StepKind};
use crate::storage::schema::What;

/// The statements that give a column the field's default, and take it away.
pub(super) fn set_default<D: SchemaDriver>(
    resource: &Descriptor,
    table: &str,
    column: &ColumnDescriptor,
) -> Option<(String, String)> {
    let value = (D::TABLES.default_value)(ddl::default::<D>(column)?);
    let alter = |what: &str| format!("ALTER TABLE {table} ALTER COLUMN {} {what};", identifier::<D>(column.column));
    let wanted = Shape::wanted::<D>(resource, column);
    // MySQL takes a default of long text in the definition of the column alone.
    let is_long = D::ALTERATION.repeats_column && wanted.declared.name.to_ascii_lowercase().ends_with("text");
    let set = if is_long {
        (D::ALTERATION.reshape)(table, &wanted, &wanted, "")
    } else {
        alter(&format!("SET DEFAULT {value}"))
    };
    Some((set, alter("DROP DEFAULT")))
}

/// Adds a column. Where the field has no default, the reader decides what the existing records get.
pub(super) fn add_column<D: SchemaDriver>(resource: &Descriptor, table: &str, column: &ColumnDescriptor) -> String {
    let name = identifier::<D>(column.column);
    let add = |column: &ColumnDescriptor, not_null| {
        if D::ALTERATION.online {
            let line = ddl::column_definition::<D>(resource, column, false, not_null, None);
            return format!("ALTER TABLE {table} ADD COLUMN {line};");
        }
        let (line, _) = column_line::<D>(resource, column, [false, not_null], None, &[]);
        // A foreign key as a table constraint follows once there is an index for it.
        let check = ddl::check_constraint::<D>(resource, column).filter(|_| !D::TABLES.constraints_in_columns);
        let check = check.map_or_else(String::new, |check| format!(", ADD {check}"));
        format!("ALTER TABLE {table} ADD COLUMN {line}{check};")
    };
    let former = column.renamed_from.map(identifier::<D>);
    let note = former.map(|from| format!("-- There is no column {from} to rename.\n")).unwrap_or_default();
    if column.nullable || ddl::column_default::<D>(column).is_some() {
        // A default that is the field's own may be another value than that of the records that are there.
        let fill = ddl::backfill::<D>(column).filter(|_| ddl::default::<D>(column).is_some());
        let Some(value) = fill else { return format!("{note}{}", add(column, !column.nullable)) };
        let set_default = set_default::<D>(resource, table, column).filter(|_| D::ALTERATION.alters);
        return match set_default {
            // They have the default with which the column is added, without being written.
            Some((set_default, _)) => {
                let mut filled = *column;
                filled.default = column.backfill;
                format!("{note}{}\n{set_default}", add(&filled, !column.nullable))
            }
            None => format!("{note}{}\nUPDATE {table} SET {name} = {value};", add(column, !column.nullable)),
        };
    }
    if D::ALTERATION.online {
        return note + &add(column, false);
    }
    if !D::ALTERATION.alters {
        return format!(
            "{note}-- Every record needs a value in {name}, and the field has no constant default: this fails where there\n\
             -- are records, unless you add `DEFAULT …` with what they get.\n{}",
            add(column, true)
        );
    }
    let wanted = Shape::wanted::<D>(resource, column);
    let set = (D::ALTERATION.reshape)(table, &Shape { not_null: false, ..wanted.clone() }, &wanted, "");
    format!(
        "{note}-- Every record needs a value in {name}, and the field has no constant default: this fails where there are\n\
         -- records, unless you say what they get.\n{}\n-- UPDATE {table} SET {name} = …;\n{set}",
        add(column, false)
    )
}

/// Alters a column to the shape that the field wants, and back. A change that could lose values is a proposal.
pub(super) fn reshape<D: SchemaDriver>(
    compared: &Compared,
    column: &ColumnDescriptor,
    present: &Column,
    what: &What,
) -> (String, String) {
    let resource = compared.resource;
    let (table, name) = (&table_identifier::<D>(resource.table), identifier::<D>(column.column));
    let (from, to) = (Shape::present(present), Shape::wanted::<D>(resource, column).keeping(present));
    let widens = (D::ALTERATION.widens)(resource, column, &present.declared);
    // A statement may repeat the whole column, with what the one before it has changed.
    let mut before =
        compared.differences.iter().map(|other| &other.what).take_while(|other| !std::ptr::eq(*other, what));
    if let What::Null { must_allow, .. } = what {
        let is_widened = before.any(|other| matches!(other, What::Type { column: of, .. } if *of == column.column));
        let declared = if is_widened && widens { to.declared.clone() } else { from.declared.clone() };
        let (from, to) = (Shape { declared: declared.clone(), ..from }, Shape { declared, ..to });
        let reshape = |from: &Shape, to: &Shape| (D::ALTERATION.reshape)(table, from, to, "");
        let (up, down) = (reshape(&from, &to), reshape(&to, &from));
        let note = match ddl::backfill::<D>(column).filter(|_| !must_allow) {
            Some(value) => format!("UPDATE {table} SET {name} = {value} WHERE {name} IS NULL;\n"),
            None => format!(
                "-- Fails where a record has no value in {name}, unless you say what it gets.\n\
                 -- UPDATE {table} SET {name} = … WHERE {name} IS NULL;\n"
            ),
        };
        return if *must_allow { (up, note + &down) } else { (note + &up, down) };
    }
    let is_altered = before.any(|other| matches!(other, What::Null { column: of, .. } if *of == column.column));
    let not_null = if is_altered { to.not_null } else { from.not_null };
    let (from, to) = (Shape { not_null, ..from }, Shape { not_null, ..to });
    let others = |name: &str| declared_meanwhile::<D>(compared, name, what);
    let steps = |from: &Shape, to: &Shape| {
        let retyped =
            Retyped { column: column.column, from: &from.declared.name, to: &to.declared.name, others: &others };
        let indexes = parts::<D>(compared, &retyped, false);
        (D::ALTERATION.reshape)(table, from, to, &indexes) + &folded_script::retype::<D>(compared, column, &retyped)
    };
    let (up, down) = (steps(&from, &to), steps(&to, &from));
    let loses_nothing = matches!(what, What::Collation { .. }) || widens;
    if loses_nothing {
        let is_narrowed = up.contains("ADD UNIQUE INDEX");
        let note = if is_narrowed {
            "-- Of long text, MySQL keeps the first characters unique, and MariaDB the whole.\n"
        } else {
            ""
        };
        return (note.to_owned() + &up, down);
    }
    let up = format!(
        "-- {name} {what}. This could lose what does not convert, so that it is left to you:\n{}",
        comment(&up)
    );
    (up, format!("-- If the type of {name} was changed:\n{}", comment(&down)))
}

/// The type that a column has before the statements that mend a difference: those of earlier ones may have changed it.
fn declared_meanwhile<D: SchemaDriver>(compared: &Compared, name: &str, what: &What) -> Option<String> {
    let present = compared.column::<D>(name)?;
    let before = compared.differences.iter().map(|other| &other.what).take_while(|other| !std::ptr::eq(*other, what));
    let mut retyped = before.filter_map(|other| match other {
        What::Type { column, .. } if (D::TABLES.is_same_name)(column, name) => Some(by_name(compared.resource, column)),
        _ => None,
    });
    let widened = retyped.find(|column| (D::ALTERATION.widens)(compared.resource, column, &present.declared));
    Some(match widened {
        Some(column) => (D::TABLES.column_type)(compared.resource, column).into_owned(),
        None => present.declared.clone(),
    })
}

/// Proposes what may have become of a column that no field has. It is kept, and nullable from here on. `rebuilt`: whether
/// the table is rebuilt above, which has made it nullable.
pub(super) fn unused<D: SchemaDriver>(compared: &Compared, column: &str, required: bool, rebuilt: bool) -> Vec<Step> {
    let (resource, table, name) =
        (compared.resource, table_identifier::<D>(compared.resource.table), identifier::<D>(column));
    let mut steps = Vec::new();
    let present = compared.table.iter().flat_map(|table| &table.columns).find(|other| other.name == column);
    if let Some(present) = present.filter(|_| required) {
        let from = Shape::present(present);
        let to = Shape { not_null: false, ..from.clone() };
        let reshape = |from: &Shape, to: &Shape| (D::ALTERATION.reshape)(&table, from, to, "");
        let (up, down) = (reshape(&from, &to), reshape(&to, &from));
        let up = format!("-- {name} is in no field: it is kept, and new records have nothing in it.\n{up}");
        let down = format!(
            "-- Fails where a record has no value in {name}, unless you say what it gets.\n\
             -- UPDATE {table} SET {name} = … WHERE {name} IS NULL;\n{down}"
        );
        steps.push(Step { table: resource.table, up, down, kind: StepKind::Alter });
    }
    let fits =
        |wanted: &&ColumnDescriptor| present.is_some_and(|present| (D::TABLES.can_store)(wanted, &present.declared));
    let fitting = missing_columns(compared).filter(fits);
    let fitting: Vec<String> = fitting.map(|wanted| identifier::<D>(wanted.column)).collect();
    if !fitting.is_empty() {
        let lines = |each: &dyn Fn(&String) -> String| fitting.iter().map(each).collect::<Vec<_>>().join("\n");
        let (up, down) = if rebuilt {
            let select = |new: &String| format!("-- - {name} AS {new}");
            let note = format!("-- If {name} has another name now, select that above in place of the two:\n");
            let back = |new: &String| format!("-- - {new} AS {name}");
            (note + &lines(&select), format!("-- If {name} was renamed, select that below:\n{}", lines(&back)))
        } else {
            let rename = |from: &str, to: &str| format!("-- ALTER TABLE {table} RENAME COLUMN {from} TO {to};");
            let note =
                format!("-- If {name} was renamed, write this instead of the statements on both columns above:\n");
            let back =
                format!("-- If {name} was renamed, write this instead of the statements on both columns below:\n");
            (note + &lines(&|new| rename(&name, new)), back + &lines(&|new| rename(new, &name)))
        };
        steps.push(Step { table: resource.table, up, down, kind: StepKind::Proposal });
    }
    let is_former = |from: &str| (D::TABLES.is_same_name)(from, column);
    let successor = resource.columns.iter().find(|other| other.renamed_from.is_some_and(is_former));
    if let Some(new) = successor.map(|successor| identifier::<D>(successor.column)) {
        let up = format!(
            "-- {name} and {new} are both there, so that nothing is renamed. This would take the values of {name} over:\n\
             -- UPDATE {table} SET {new} = {name};"
        );
        steps.push(Step { table: resource.table, up, down: String::new(), kind: StepKind::Proposal });
    }
    let up = match (D::ALTERATION.drop_unused)(compared, column) {
        Some(statements) => {
            let drops = [folded_script::removal::<D>(compared, column), statements].concat();
            let drops = comment(&drops.join("\n"));
            format!("-- The struct no longer has {name}. This drops the column and its values:\n{drops}")
        }
        None => format!(
            "-- The struct no longer has {name}. A constraint of the table has it: to drop the column and its values, write\n\
             -- the table anew."
        ),
    };
    steps.push(Step { table: resource.table, up, down: String::new(), kind: StepKind::Proposal });
    steps
}
