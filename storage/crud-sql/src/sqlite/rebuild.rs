//! Rebuilding a table with its records: SQLite's way to change what it cannot alter
//! (<https://www.sqlite.org/lang_altertable.html#otheralter>).

use super::argument::Argument;
use super::catalogue::attached;
use super::catalogue::text::{body, is_strict};
use super::dialect::Sqlite;
use super::units::Units;
use crate::catalogue::table::{Column, ForeignKey, Index, Table};
use crate::dialect::Dialect;
use crate::driver::Connection;
use crate::identifier::{identifier, identifiers};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::Kind;
use crate::schema::change::cost::Cost;
use crate::schema::change::planned::comment;
use crate::schema::change::render::lines;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::renamed_columns::{self, Renamed, former};
use crate::schema::comparison::table_diff::{missing_unique, positions, same};
use crate::schema::ddl::{backfill, default, field, is_in_table, stored_columns, table_lines, text_literal};
use crate::schema::foreign_key::{is_of, successor};
use crate::schema::migration_driver::{MigrationDriver, Rebuild};
use crate::schema::planner::renamed_columns::present_check;
use crate::schema::planner::replaced::{is_of_table, replaced_unique};
use crate::schema::planner::{by_name, duplicates, missing_columns};
use crate::storage::indexes::{Unique, uniques};
use crate::storage::migrations::{LOSES, Step, StepKind, UNKNOWN_COLUMNS};
use crate::storage::schema::DifferenceKind;

/// A value that only the reader knows: the statement with it is not valid.
const UNKNOWN: &str = "…";

/// End of the reason for a column whose values are missing.
const MISSING: &str = "; fails where there is none, unless you say one below";

/// The types that a STRICT table takes.
const STRICT: [&str; 6] = ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"];

/// Whether a rebuild of the table changes this too.
pub(super) fn is_rebuilt(what: &DifferenceKind) -> bool {
    match what {
        DifferenceKind::ColumnMissing { .. }
        | DifferenceKind::ColumnRenamed { .. }
        | DifferenceKind::Type { .. }
        | DifferenceKind::Null { .. }
        | DifferenceKind::DefaultMissing { .. }
        | DifferenceKind::Generated { .. }
        | DifferenceKind::Collation { .. }
        | DifferenceKind::ForeignKeyMissing { .. }
        | DifferenceKind::OnDelete { .. }
        | DifferenceKind::Key { .. }
        | DifferenceKind::KeyNotAssigned { .. }
        | DifferenceKind::Check { .. } => true,
        DifferenceKind::UniqueMissing { active, case_insensitive, .. } => !active && case_insensitive.is_empty(),
        _ => false,
    }
}

/// Rebuilds the table as the resource wants it, with the columns that no field has.
pub(super) async fn rebuild<D: MigrationDriver<Argument = Argument>>(
    connection: &mut Connection<D>,
    compared: &Compared,
    table: &Table,
) -> Result<Rebuild, D::Error> {
    let resource = compared.resource;
    let mut attached = attached::<D>(connection, resource.table).await?;
    // Our unused search indexes are dropped before. Another program restores its triggers when it starts.
    attached.retain(|(name, _)| !compared.search.unused.iter().any(|unused| name.starts_with(&unused.name)));
    let others = copied(table).filter(|other| field::<Sqlite>(resource, &other.name).is_none()).collect();
    Ok(Rebuilt { compared, table, others, attached }.written())
}

/// The columns of the table that are not computed.
fn copied(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| !column.generated)
}

/// A table that is rebuilt.
struct Rebuilt<'c> {
    compared: &'c Compared,
    table: &'c Table,
    /// The columns that no field has.
    others: Vec<&'c Column>,
    /// The names of its indexes and triggers, and the statements that create them.
    attached: Vec<(String, String)>,
}

impl Rebuilt<'_> {
    /// The step, with its comments.
    fn written(&self) -> Rebuild {
        let (left, table) = (self.left(), self.compared.resource.table);
        let statements = |statements: String| match &left {
            Some(why) => format!("-- {why}, so that it is left to you.\n{}", comment(&statements)),
            None => statements,
        };
        let mut reasons = reasons(self.compared);
        if !is_strict(&self.table.written) {
            reasons += "\n-- It was made elsewhere: what its definition says of CHECK, COLLATE and generated columns is not below.";
        }
        let (loses, not_null, down) = (self.loses(), not_null(self.compared), statements(self.down()));
        let up = statements(self.up());
        let up = format!("-- SQLite takes these changes in a table that is written anew:\n{reasons}\n{up}");
        let down = format!("-- As it was before:\n{loses}{not_null}{down}");
        let cost = Cost::writing("other writers of the database wait, three seconds for a million");
        (Step { table, up, down, kind: StepKind::Rebuild }, left.is_none().then_some(cost))
    }

    /// Reason why the statements are left to the reader.
    fn left(&self) -> Option<String> {
        let compared = self.compared;
        let units_of = |column: &ColumnDescriptor| {
            let present = self.table.column::<Sqlite>(column.column);
            present.map(|present| self.units(column, present))
        };
        let rescales = |column: &ColumnDescriptor| units_of(column).is_some_and(|units| units.rescales(column));
        let differs = |column: &ColumnDescriptor| units_of(column).is_some_and(|units| units.differ(column));
        let is_generated =
            |column: &&Column| column.generated && stored_field(compared.resource, &column.name).is_some();
        if let Some(generated) = self.table.columns.iter().find(is_generated) {
            return Some(format!("What {} is generated from is not below", identifier::<Sqlite>(&generated.name)));
        }
        let converts = |what: &DifferenceKind| match what {
            DifferenceKind::Type { column, .. } => !rescales(by_name(compared.resource, column)),
            DifferenceKind::Generated { .. } | DifferenceKind::Key { .. } | DifferenceKind::KeyNotAssigned { .. } => {
                true
            }
            _ => false,
        };
        let is_converted = stored_columns(compared.resource).any(|column| differs(column) && !rescales(column));
        let is_lossy = is_converted || compared.whats().any(converts);
        is_lossy.then(|| "This could lose what does not convert".to_owned())
    }

    /// The statements of the new table.
    fn up(&self) -> String {
        let (compared, resource) = (self.compared, self.compared.resource);
        let wanted = uniques(resource);
        let declared = self.others.iter().map(|other| self.declaration(other)).collect();
        let mut lines = table_lines::<Sqlite>(resource, Some(self.table), declared, &wanted, &[]);
        lines.extend(self.unused_uniques());
        lines.extend(self.unused_foreign_keys());
        let is_strict = |other: &&Column| STRICT.iter().any(|name| other.declared.eq_ignore_ascii_case(name));
        let end = if self.others.iter().all(is_strict) { <Sqlite>::TABLES.table_end } else { "" };
        let mut values: Vec<(String, String)> = stored_columns(resource).map(|column| self.value(column)).collect();
        let names = self.others.iter().map(|other| identifier::<Sqlite>(&other.name));
        values.extend(names.map(|name| (name.clone(), name)));
        let before = self.table.columns.iter();
        let before: Vec<&str> = before.map(|column| former::<Sqlite>(&compared.renamed, &column.name)).collect();
        let create = format!("(\n  {}\n){end}", lines.join(",\n  "));
        self.write(&create, &before, renames(compared, false), &values, self.kept(&wanted))
    }

    /// The statements of the indexes and triggers with the names that follow from those of columns. A UNIQUE constraint of the
    /// table needs no index beside it.
    fn kept(&self, wanted: &[Unique]) -> Vec<String> {
        let (compared, resource) = (self.compared, self.compared.resource);
        let in_table = wanted.iter().filter(|unique| is_in_table::<Sqlite>(resource, unique));
        let made_by_us: Vec<String> = in_table.map(|unique| unique.name(resource)).collect();
        let indexes = compared.renamed_indexes.iter().map(|(from, to)| (from.as_str(), to.as_str()));
        let columns = compared.renamed.iter().map(|renamed| (renamed.from, renamed.column.column));
        let names: Vec<(&str, &str)> = indexes.chain(columns).collect();
        let text = |text: &String| renamed_columns::text(text, &names, str::to_owned);
        let renamed = self.attached.iter().map(|(name, sql)| (text(name), text(sql)));
        renamed.filter(|(name, _)| !made_by_us.contains(name)).map(|(_, sql)| sql).collect()
    }

    /// The statements of the table as it was.
    fn down(&self) -> String {
        let (compared, resource) = (self.compared, self.compared.resource);
        let Some(body) = body(&self.table.written) else { return comment("How this is taken back is left to you.") };
        let stored = stored_columns(resource).map(|column| column.column);
        let after: Vec<&str> = stored.chain(self.others.iter().map(|other| &*other.name)).collect();
        let back: Vec<(String, String)> = copied(self.table).map(|present| self.restored(present)).collect();
        let attached = self.attached.iter().map(|(_, sql)| sql.clone()).collect();
        self.write(body, &after, renames(compared, true), &back, attached)
    }

    /// A column as it was: its name, and the expression that selects it from the new table.
    fn restored(&self, present: &Column) -> (String, String) {
        let old = identifier::<Sqlite>(former::<Sqlite>(&self.compared.renamed, &present.name));
        let field = stored_field(self.compared.resource, &present.name);
        let differs = field.map(|field| (field, self.units(field, present)));
        match differs.filter(|(field, units)| units.differ(field)) {
            Some((field, units)) => {
                let value = units.restored(&present.declared, field, &old);
                let selected = format!("{} AS {old}", value.as_deref().unwrap_or(UNKNOWN));
                (old, selected)
            }
            None => (old.clone(), old),
        }
    }

    /// The notes on columns that are not there any more afterwards, by which the command counts their values.
    fn loses(&self) -> String {
        let table = identifier::<Sqlite>(self.compared.resource.table);
        let new = stored_columns(self.compared.resource).map(|column| column.column);
        let new = new.filter(|name| self.table.column::<Sqlite>(name).is_none());
        let lines = new.map(|name| format!("{LOSES}{table}.{}.\n", identifier::<Sqlite>(name)));
        lines.collect()
    }

    /// The value of a field's column in the new table: its name, and the expression that selects it from the old one.
    fn value(&self, column: &ColumnDescriptor) -> (String, String) {
        let name = identifier::<Sqlite>(column.column);
        let (present, fill) = (self.table.column::<Sqlite>(column.column), backfill::<Sqlite>(column));
        let old = present.map(|present| {
            let converted = self.units(column, present).converted(&present.declared, column, &name);
            converted.unwrap_or_else(|| UNKNOWN.to_owned())
        });
        let value = match (old, fill) {
            (Some(old), Some(fill)) if becomes_required(self.compared, column.column) => {
                format!("coalesce({old}, {fill}) AS {name}")
            }
            (Some(old), _) if old == name => old,
            (Some(old), _) => format!("{old} AS {name}"),
            (None, fill) => {
                let value = fill.or_else(|| default::<Sqlite>(column)).unwrap_or_else(|| "NULL".to_owned());
                format!("{value} AS {name}")
            }
        };
        (name, value)
    }

    /// The form of the values that a field's column has.
    fn units(&self, column: &ColumnDescriptor, present: &Column) -> Units {
        let check = present_check::<Sqlite>(self.compared, column);
        Units::present(&present.declared, present.scale, check.as_deref(), is_strict(&self.table.written))
    }

    /// The UNIQUE constraints of the table's own definition that no field asks for, in the order in which it has them: they are
    /// kept, as is one with a column that no field has.
    fn unused_uniques(&self) -> Vec<String> {
        let (compared, resource) = (self.compared, self.compared.resource);
        let wanted = uniques(resource);
        let goes = |columns: Vec<usize>| {
            let is_it = |unique: &Unique| is_in_table::<Sqlite>(resource, unique) && same(&unique.columns, &columns);
            let unique = Unique { columns: columns.clone(), case_insensitive: Vec::new(), active: None };
            wanted.iter().any(is_it) || replaced_unique::<Sqlite>(compared, &unique).is_some()
        };
        let key = self.table.key();
        let is_key = |index: &Index| {
            let columns = index.columns.iter().filter_map(|column| column.name.as_ref());
            columns.eq(key.iter().map(|column| &column.name))
        };
        let own = self.table.indexes.iter().rev().filter(|index| is_of_table(index) && !is_key(index));
        let kept = own.filter(|index| !positions::<Sqlite>(resource, index).is_some_and(goes));
        let names = kept.map(|index| identifiers::<Sqlite>(index.columns.iter().filter_map(|it| it.name.as_deref())));
        names.map(|names| format!("UNIQUE ({names})")).collect()
    }

    /// The foreign keys that no field asks for: they are kept, except for those in whose place others are.
    fn unused_foreign_keys(&self) -> Vec<String> {
        let (resource, table) = (self.compared.resource, self.table);
        let is_wanted = |key: &ForeignKey| resource.columns.iter().any(|column| is_of::<Sqlite>(resource, column, key));
        // That of a column that no field has is a part of the column.
        let is_of_other =
            |key: &ForeignKey| matches!(&*key.columns, [(from, _)] if stored_field(resource, from).is_none());
        let is_kept = |key: &&ForeignKey| {
            !is_wanted(key) && successor::<Sqlite>(resource, table, key).is_none() && !is_of_other(key)
        };
        table.foreign_keys.iter().filter(is_kept).map(ForeignKey::line::<Sqlite>).collect()
    }

    /// The declaration of a column that no field has; nullable where it has no default.
    fn declaration(&self, other: &Column) -> String {
        let mut text = identifier::<Sqlite>(&other.name);
        if !other.declared.is_empty() {
            text = format!("{text} {}", other.declared);
        }
        if let Some(default) = &other.default {
            let not_null = if other.not_null { " NOT NULL" } else { "" };
            text = format!("{text}{not_null} DEFAULT {default}");
        }
        // A column with a constraint of the table's could not be dropped.
        let is_same = |from: &str| (<Sqlite>::TABLES.is_same_name)(from, &other.name);
        let is_of_column = |key: &&ForeignKey| matches!(&*key.columns, [(from, _)] if is_same(from));
        for key in self.table.foreign_keys.iter().filter(is_of_column) {
            text = format!("{text} {}", key.parts::<Sqlite>().1);
        }
        text
    }

    /// The statements that rename columns of the table, which has the `known` ones, and replace it by one with this
    /// definition, with these columns and what each gets.
    fn write(
        &self,
        definition: &str,
        known: &[&str],
        renamed: Vec<String>,
        columns: &[(String, String)],
        attached: Vec<String>,
    ) -> String {
        let resource = self.compared.resource;
        let (table, temporary) = (identifier::<Sqlite>(resource.table), format!("{}_new", resource.table));
        let new = identifier::<Sqlite>(&temporary);
        let list = |of: fn(&(String, String)) -> &str| columns.iter().map(of).collect::<Vec<_>>().join(", ");
        let (names, values) = (list(|(name, _)| name), list(|(_, value)| value));
        let mut statements = vec![unknown_columns(resource.table, known)];
        statements.extend(renamed);
        statements.push(format!("CREATE TABLE {new} {definition}"));
        statements.push(format!("INSERT INTO {new} ({names})\n  SELECT {values} FROM {table}"));
        // SQLite remembers the greatest key that it has assigned.
        if resource.counted_key().is_some() && self.table.written.contains("AUTOINCREMENT") {
            let (old, new) = (text_literal(resource.table), text_literal(&temporary));
            statements.push(format!("DELETE FROM sqlite_sequence WHERE name = {new}"));
            statements.push(format!(
                "INSERT INTO sqlite_sequence (name, seq) SELECT {new}, seq FROM sqlite_sequence WHERE name = {old}"
            ));
        }
        statements.push(format!("DROP TABLE {table}"));
        statements.push(format!("ALTER TABLE {new} RENAME TO {table}"));
        statements.extend(attached);
        format!("{};\n{}", statements.join(";\n"), dangling(resource.table))
    }
}

/// The field of a column of this name that the table has for the resource.
fn stored_field<'r>(resource: &'r Descriptor, name: &str) -> Option<&'r ColumnDescriptor> {
    field::<Sqlite>(resource, name).filter(|field| field.is_stored())
}

/// Whether the column allows null, and the field does not.
fn becomes_required(compared: &Compared, name: &str) -> bool {
    let is =
        |what: &DifferenceKind| matches!(what, DifferenceKind::Null { column, must_allow: false } if *column == name);
    compared.whats().any(is)
}

/// The statements that rename columns, and with them what views, foreign keys and triggers of other tables name. `back`: to
/// the former names.
fn renames(compared: &Compared, back: bool) -> Vec<String> {
    let rename = |from: &str, to: &str| {
        let [table, from, to] = [compared.resource.table, from, to].map(identifier::<Sqlite>);
        format!("ALTER TABLE {table} RENAME COLUMN {from} TO {to}")
    };
    if !back {
        return compared.renamed.iter().map(|renamed| rename(renamed.from, renamed.column.column)).collect();
    }
    // A new column may have a former name.
    let is_held = |renamed: &&Renamed| missing_columns(compared).any(|column| column.column == renamed.from);
    let freed = compared.renamed.iter().filter(is_held);
    let freed = freed.map(|renamed| rename(renamed.from, &format!("{}__held", renamed.from)));
    freed.chain(compared.renamed.iter().rev().map(|renamed| rename(renamed.column.column, renamed.from))).collect()
}

/// The differences that the new table mends, and what they require of the records.
fn reasons(compared: &Compared) -> String {
    lines(compared.whats().filter_map(|what| {
        Some(match what {
            DifferenceKind::ColumnRenamed { column, from } => {
                format!("-- - {} was {}", identifier::<Sqlite>(column), identifier::<Sqlite>(from))
            }
            DifferenceKind::UniqueMissing { .. } if is_rebuilt(what) => {
                let duplicates = duplicates::comment::<Sqlite>(compared, &missing_unique(compared.resource, what)?);
                format!("{duplicates}\n-- - unique values: {what}")
            }
            DifferenceKind::ColumnUnused { required: true, .. } => reason(compared, what),
            what if is_rebuilt(what) => reason(compared, what),
            _ => return None,
        })
    }))
}

/// A difference of a column, and what the records need for it.
fn reason(compared: &Compared, what: &DifferenceKind) -> String {
    let name = match what {
        DifferenceKind::Key { must_be, .. } => must_be.first().copied(),
        DifferenceKind::KeyNotAssigned { column, .. } => Some(*column),
        what => what.column(),
    };
    let name = name.unwrap_or_default();
    let column = by_name(compared.resource, name);
    let is_filled = backfill::<Sqlite>(column).is_some();
    let is_in_units = || compared.column::<Sqlite>(name).is_some_and(|present| present.scale.is_some());
    let end = match what {
        DifferenceKind::ColumnMissing { .. }
            if !column.nullable && !is_filled && default::<Sqlite>(column).is_none() =>
        {
            MISSING
        }
        DifferenceKind::Null { must_allow: false, .. } if !is_filled => MISSING,
        DifferenceKind::Type { .. } if column.kind == Kind::Decimal && is_in_units() => {
            "; fails where a value has more digits"
        }
        _ => "",
    };
    format!("-- - {}: {what}{end}", identifier::<Sqlite>(name))
}

/// The note on the columns that may have become null since.
fn not_null(compared: &Compared) -> String {
    let relaxed = compared.whats().filter_map(|what| match what {
        DifferenceKind::Null { column, must_allow: true } => Some(identifier::<Sqlite>(column)),
        DifferenceKind::ColumnUnused { column, required: true } => Some(identifier::<Sqlite>(column)),
        _ => None,
    });
    let lines =
        relaxed.map(|name| format!("-- It fails where a record has no value in {name}, unless you say one below.\n"));
    lines.collect()
}

/// The statements that fail where the table has other columns than these, whose values would be lost.
fn unknown_columns(table: &str, known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|name| text_literal(name)).collect();
    format!(
        "-- Fails where the table has columns that this does not know, whose values would be lost.\n\
         CREATE TEMPORARY TABLE `unknown` (`columns` INTEGER CONSTRAINT `{UNKNOWN_COLUMNS}` \
         CHECK (`columns` = 0));\n\
         INSERT INTO `unknown` SELECT COUNT(*) FROM pragma_table_xinfo({})\n  WHERE name COLLATE NOCASE NOT IN ({});\n\
         DROP TABLE `unknown`",
        text_literal(table),
        known.join(", ")
    )
}

/// The statements that fail where a record of the table refers to none: during the rebuild, foreign keys are off.
fn dangling(table: &str) -> String {
    format!(
        "-- Fails where a record refers to none.\n\
         CREATE TEMPORARY TABLE `dangling` (`records` INTEGER CHECK (`records` = 0));\n\
         INSERT INTO `dangling` SELECT COUNT(*) FROM pragma_foreign_key_check({});\n\
         DROP TABLE `dangling`;",
        text_literal(table)
    )
}
