//! The statements of changes: those of the SQL standard, as PostgreSQL has them.

use super::{AlteredColumn, Change, Constraint, NewColumn, NewValues};
use crate::catalogue::driver::CatalogueDriver;
use crate::dialect::Dialect;
use crate::identifier::{identifier, table_identifier};
use crate::schema::change::shape::{Declared, Shape};
use crate::schema::migration_driver::MigrationDriver;

/// The statements of changes of a table, a line each.
pub(crate) fn statements<D: MigrationDriver>(table: &str, changes: &[Change]) -> String {
    lines(changes.iter().map(|change| D::render(table, change)))
}

/// Texts that are not empty, a line each.
pub(crate) fn lines(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The statements of a change of a table, a line each.
pub(crate) fn standard<D: MigrationDriver>(table: &str, change: &Change) -> String {
    let quoted = table_identifier::<D>(table);
    let alter = |what: String| format!("ALTER TABLE {quoted} {what};");
    let name = |name: &str| identifier::<D>(name);
    let rename = |what: &str, from: &str, to: &str| alter(format!("RENAME {what} {} TO {}", name(from), name(to)));
    match change {
        Change::CreateTable(create) => create.join(";\n") + ";",
        Change::DropTable => format!("DROP TABLE {quoted};"),
        Change::RenameTable { from, to } => {
            let own = crud_shared::table::split(to).1;
            format!("ALTER TABLE {} RENAME TO {};", table_identifier::<D>(from), name(own))
        }
        Change::AddColumn(new) => add_column::<D>(table, new),
        Change::DropColumn { column, .. } | Change::Generated { column, to: None, .. } => {
            alter(format!("DROP COLUMN {}", name(column)))
        }
        Change::Generated { to: Some(line), .. } => alter(format!("ADD COLUMN {line}")),
        Change::AlterColumn(altered) => lines([missing_values::<D>(&quoted, altered), D::reshape(&quoted, altered)]),
        Change::SetDefault { column, to, .. } => {
            let action = to.as_ref().map_or_else(|| "DROP DEFAULT".to_owned(), |value| format!("SET DEFAULT {value}"));
            alter(format!("ALTER COLUMN {} {action}", name(&column.name)))
        }
        Change::RenameColumn { from, to, check } => {
            let check = check.as_ref().map(|[before, after]| rename("CONSTRAINT", &before.name, &after.name));
            lines([rename("COLUMN", from, to), check.unwrap_or_default()])
        }
        Change::Constrain { name: own, from, to } => {
            let drop = from.as_ref().map(|_| alter(format!("DROP CONSTRAINT {}", name(own))));
            let add = to.as_ref().map(|to| add_constraint::<D>(&quoted, own, to));
            lines(drop.into_iter().chain(add))
        }
        Change::RenameConstraint { from, to, .. } => rename("CONSTRAINT", from, to),
        Change::AddMissingForeignKey { name: own, key } => {
            let own = name(own);
            alter(format!("DROP CONSTRAINT IF EXISTS {own}, ADD CONSTRAINT {own} {}", key.line::<D>()))
        }
        Change::Index { from, to, note } => {
            let drop = from.as_ref().map(|from| format!("DROP INDEX {};", beside::<D>(table, &from.name)));
            let create = to.as_ref().map(|to| to.create_on::<D>(table) + ";");
            lines(note.clone().into_iter().chain(drop).chain(create))
        }
        Change::RenameIndex { from, to } => {
            format!("ALTER INDEX {} RENAME TO {};", beside::<D>(table, from), name(to))
        }
        Change::CreateSearch(search) => search.create.join(";\n") + ";",
        Change::DropSearch(search) => (D::TABLES.drop_search)(table, &search.name).join(";\n") + ";",
    }
}

/// The quoted name of an index in the schema of its table.
pub(crate) fn beside<D: Dialect>(table: &str, index: &str) -> String {
    table_identifier::<D>(&crate::identifier::in_schema_of(table, index))
}

/// Adds a constraint, which the records that are there have to satisfy.
pub(crate) fn add_constraint<D: Dialect>(table: &str, name: &str, constraint: &Constraint) -> String {
    let note = match constraint {
        Constraint::Check(_) => "-- Fails where a record has another value.",
        Constraint::ForeignKey(_) => "-- Fails where a record refers to none.",
    };
    format!("{note}\nALTER TABLE {table} ADD CONSTRAINT {} {};", identifier::<D>(name), clause::<D>(constraint))
}

/// The clause of a constraint after its name.
pub(crate) fn clause<D: Dialect>(constraint: &Constraint) -> String {
    match constraint {
        Constraint::Check(condition) => format!("CHECK ({condition})"),
        Constraint::ForeignKey(key) => key.line::<D>(),
    }
}

/// The statement that gives records without a value one, before their column becomes NOT NULL.
pub(crate) fn missing_values<D: CatalogueDriver>(table: &str, altered: &AlteredColumn) -> String {
    let name = identifier::<D>(&altered.to.name);
    match &altered.fill {
        _ if !altered.is_required() => String::new(),
        Some(value) => format!("UPDATE {table} SET {name} = {value} WHERE {name} IS NULL;"),
        None => format!(
            "-- Fails where a record has no value in {name}, unless you say what it gets.\n\
             -- UPDATE {table} SET {name} = … WHERE {name} IS NULL;"
        ),
    }
}

/// Adds a column. Where the field has no default, the reader decides what the existing records get.
fn add_column<D: MigrationDriver>(table: &str, new: &NewColumn) -> String {
    let (quoted, name) = (table_identifier::<D>(table), identifier::<D>(&new.shape.name));
    let add = format!("ALTER TABLE {quoted} ADD COLUMN {};", new.line);
    let unknown =
        format!("-- Every record needs a value in {name}, and the field has no constant default: this fails where");
    let parts = match &new.records {
        NewValues::Default => vec![add],
        NewValues::ThenDefault(default) => {
            let set = Change::SetDefault { column: new.shape.clone(), from: None, to: Some(default.clone()) };
            vec![add, D::render(table, &set)]
        }
        NewValues::Value(value) => vec![add, format!("UPDATE {quoted} SET {name} = {value};")],
        NewValues::Unknown if !D::ALTERS => {
            vec![format!("{unknown} there\n-- are records, unless you add `DEFAULT …` with what they get."), add]
        }
        NewValues::Unknown => {
            let nullable = Shape { not_null: false, ..new.shape.clone() };
            let require = D::reshape(&quoted, &AlteredColumn::plain(nullable, new.shape.clone()));
            let remark = format!("{unknown} there are\n-- records, unless you say what they get.");
            vec![remark, add, format!("-- UPDATE {quoted} SET {name} = …;"), require]
        }
    };
    lines(parts)
}

/// `ALTER COLUMN`, for the type and for NOT NULL.
pub(crate) fn reshape<D: Dialect>(table: &str, altered: &AlteredColumn) -> String {
    let AlteredColumn { from, to, .. } = altered;
    let column = identifier::<D>(&to.name);
    let alter = |what: &str| format!("ALTER TABLE {table} ALTER COLUMN {column} {what};");
    let mut statements = Vec::new();
    if altered.is_retyped() {
        let Declared { name, collation } = &to.declared;
        let using = if from.declared.name == *name { String::new() } else { format!(" USING {column}::{name}") };
        statements.push(alter(&format!("TYPE {name}{collation}{using}")));
    }
    match (from.not_null, to.not_null) {
        (false, true) => statements.push(alter("SET NOT NULL")),
        (true, false) => statements.push(alter("DROP NOT NULL")),
        _ => {}
    }
    statements.join("\n")
}
