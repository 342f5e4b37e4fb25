//! Changes of columns: those that are added, get another shape, or are in no field any more.

use super::folded;
use super::meanwhile::Meanwhile;
use super::missing_columns;
use super::retyped_index::{Retyped, respelled};
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::change::planned::Planned;
use crate::schema::change::shape::Shape;
use crate::schema::change::{AlteredColumn, Change, Constraint, NewColumn, NewValues};
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::{self, check_name, column_line};
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::schema::DifferenceKind;

/// The default of a field as a column has it, if it is a constant one.
fn own_default<D: MigrationDriver>(column: &ColumnDescriptor) -> Option<String> {
    ddl::default::<D>(column).map(D::TABLES.default_value)
}

/// Gives a column the field's default, where it has one.
pub(super) fn set_default<D: MigrationDriver>(resource: &Descriptor, column: &ColumnDescriptor) -> Option<Change> {
    let to = Some(own_default::<D>(column)?);
    Some(Change::SetDefault { column: Shape::wanted::<D>(resource, column), from: None, to })
}

/// Adds a column. Where others use the table meanwhile, its constraints follow.
pub(super) fn added<D: MigrationDriver>(compared: &Compared, column: &ColumnDescriptor) -> Vec<Planned> {
    let resource = compared.resource;
    let (check, name) = (ddl::check::<D>(column), check_name::<D>(resource, column.column));
    let records = values::<D>(column);
    let is_required = matches!(records, NewValues::Unknown);
    let mut added = *column;
    if matches!(records, NewValues::ThenDefault(_)) {
        // The records that are there have the default with which the column is added, without being written.
        added.default = column.backfill;
    }
    let line = line::<D>(resource, &added, !(column.nullable || is_required && D::ALTERS));
    let shape = Shape::wanted::<D>(resource, column);
    let records = if is_required && D::ONLINE { NewValues::Default } else { records };
    let drops_check = check.is_some().then(|| name.clone());
    let new = NewColumn { shape: shape.clone(), line, check: drops_check, records };
    let missing = column.renamed_from.map(|from| format!("-- There is no column {} to rename.", identifier::<D>(from)));
    let add = Planned::apply(vec![Change::AddColumn(Box::new(new))]).noted(missing.unwrap_or_default());
    let check = check.map(|check| Change::Constrain { name, from: None, to: Some(Constraint::Check(check)) });
    let require = is_required.then(|| {
        let nullable = Shape { not_null: false, ..shape.clone() };
        Change::AlterColumn(Box::new(AlteredColumn::plain(nullable, shape)))
    });
    let further = check.into_iter().chain(require).filter(|_| D::ONLINE);
    std::iter::once(add).chain(further.map(|change| Planned::apply(vec![change]))).collect()
}

/// The values that the records of a table get in a new column.
fn values<D: MigrationDriver>(column: &ColumnDescriptor) -> NewValues {
    if !column.nullable && ddl::column_default::<D>(column).is_none() {
        return NewValues::Unknown;
    }
    // A default that is the field's own may be another value than that of the records that are there.
    match (ddl::backfill::<D>(column), own_default::<D>(column)) {
        (Some(_), Some(default)) if D::ALTERS => NewValues::ThenDefault(default),
        (Some(value), Some(_)) => NewValues::Value(value),
        _ => NewValues::Default,
    }
}

/// The line of a new column with the constraints that are added with it. A foreign key as a table constraint follows once
/// there is an index for it.
fn line<D: MigrationDriver>(resource: &Descriptor, column: &ColumnDescriptor, not_null: bool) -> String {
    if D::ONLINE {
        return ddl::column_definition::<D>(resource, column, false, not_null, None);
    }
    let (line, _) = column_line::<D>(resource, column, [false, not_null], None, &[]);
    let check = ddl::check_constraint::<D>(resource, column).filter(|_| !D::TABLES.constraints_in_columns);
    line + &check.map_or_else(String::new, |check| format!(", ADD {check}"))
}

/// Makes a column NOT NULL, or lets it be null.
pub(super) fn nullable<D: MigrationDriver>(
    compared: &Compared,
    column: &ColumnDescriptor,
    meanwhile: &mut Meanwhile,
) -> Planned {
    let Some(present) = compared.column::<D>(column.column) else { return Planned::apply(Vec::new()) };
    let from = meanwhile.shape(present);
    let to =
        Shape { declared: from.declared.clone(), ..Shape::wanted::<D>(compared.resource, column).keeping(present) };
    meanwhile.alter(&to, present);
    let fill = ddl::backfill::<D>(column).filter(|_| to.not_null);
    Planned::apply(vec![Change::AlterColumn(Box::new(AlteredColumn { fill, ..AlteredColumn::plain(from, to) }))])
}

/// Gives a column another type or collation. A change that could lose values is left to the reader.
pub(super) fn retyped<D: MigrationDriver>(
    compared: &Compared,
    column: &ColumnDescriptor,
    meanwhile: &mut Meanwhile,
    what: &DifferenceKind,
) -> Planned {
    let Some(present) = compared.column::<D>(column.column) else { return Planned::apply(Vec::new()) };
    let from = meanwhile.shape(present);
    let to = Shape { not_null: from.not_null, ..Shape::wanted::<D>(compared.resource, column).keeping(present) };
    let others = |name: &str| Some(meanwhile.shape(compared.column::<D>(name)?).declared.name);
    let retyped = Retyped { column: column.column, from: &from.declared.name, to: &to.declared.name, others: &others };
    let indexes = respelled::<D>(compared, &retyped, false);
    let folded = folded::altered::<D>(compared, &retyped);
    let is_narrowed = indexes.iter().chain(folded.iter().flat_map(|folded| &folded.indexes)).any(|[_, to]| to.unique);
    let altered = AlteredColumn { from, to, fill: None, indexes, folded };
    if matches!(what, DifferenceKind::Collation { .. }) || D::widens(compared.resource, column, &present.declared) {
        const NARROWED: &str = "-- Of long text, MySQL keeps the first characters unique, and MariaDB the whole.";
        meanwhile.alter(&altered.to, present);
        let planned = Planned::apply(vec![Change::AlterColumn(Box::new(altered))]);
        return if is_narrowed { planned.noted(NARROWED.to_owned()) } else { planned };
    }
    let name = identifier::<D>(column.column);
    let note = format!("-- {name} {what}. This could lose what does not convert, so that it is left to you:");
    let changes = vec![Change::AlterColumn(Box::new(altered))];
    Planned::leave(note, changes, format!("-- If the type of {name} was changed:"))
}

/// Proposes what may have become of a column that no field has. It is kept, and nullable from here on. `rebuilt`: whether
/// the table is rebuilt above, which has made it nullable.
pub(super) fn unused<D: MigrationDriver>(
    compared: &Compared,
    column: &str,
    required: bool,
    rebuilt: bool,
) -> Vec<Planned> {
    let (resource, name) = (compared.resource, identifier::<D>(column));
    let mut planned = Vec::new();
    let present = compared.column::<D>(column);
    if let Some(present) = present.filter(|_| required && !rebuilt) {
        let from = Shape::present(present);
        let to = Shape { not_null: false, ..from.clone() };
        let note = format!("-- {name} is in no field: it is kept, and new records have nothing in it.");
        let altered = Change::AlterColumn(Box::new(AlteredColumn::plain(from, to)));
        planned.push(Planned::apply(vec![altered]).noted(note));
    }
    let fits =
        |wanted: &&ColumnDescriptor| present.is_some_and(|present| (D::TABLES.can_store)(wanted, &present.declared));
    let fitting: Vec<&str> = missing_columns(compared).filter(fits).map(|wanted| wanted.column).collect();
    planned.extend((!fitting.is_empty()).then(|| renamed::<D>(column, &fitting, rebuilt)));
    let is_former = |from: &str| (D::TABLES.is_same_name)(from, column);
    let successor = resource.columns.iter().find(|other| other.renamed_from.is_some_and(is_former));
    if let Some(new) = successor.map(|successor| identifier::<D>(successor.column)) {
        let table = table_identifier::<D>(resource.table);
        let note = format!(
            "-- {name} and {new} are both there, so that nothing is renamed. This would take the values of {name} over:\n\
             -- UPDATE {table} SET {new} = {name};"
        );
        planned.push(Planned::propose(note, Vec::new(), String::new()));
    }
    let unused = format!("-- The struct no longer has {name}.");
    planned.push(match D::drop_unused(compared, column) {
        Some(changes) => {
            let drops = [folded::removal::<D>(compared, column), changes].concat();
            Planned::propose(format!("{unused} This drops the column and its values:"), drops, String::new())
        }
        None => {
            let end = "A constraint of the table has it: to drop the column and its values, write\n-- the table anew.";
            Planned::propose(format!("{unused} {end}"), Vec::new(), String::new())
        }
    });
    planned
}

/// Proposes that a column that no field has is one of these, by another name.
fn renamed<D: MigrationDriver>(column: &str, fitting: &[&str], rebuilt: bool) -> Planned {
    let name = identifier::<D>(column);
    if rebuilt {
        let lines =
            |line: &dyn Fn(&str) -> String| fitting.iter().map(|new| line(&identifier::<D>(new))).collect::<String>();
        let select = lines(&|new| format!("\n-- - {name} AS {new}"));
        let note = format!("-- If {name} has another name now, select that above in place of the two:{select}");
        let select = lines(&|new| format!("\n-- - {new} AS {name}"));
        return Planned::propose(note, Vec::new(), format!("-- If {name} was renamed, select that below:{select}"));
    }
    let rename = |to: &&str| Change::RenameColumn { from: column.to_owned(), to: (*to).to_owned(), check: None };
    let text =
        |place| format!("-- If {name} was renamed, write this instead of the statements on both columns {place}:");
    Planned::propose(text("above"), fitting.iter().map(rename).collect(), text("below"))
}
