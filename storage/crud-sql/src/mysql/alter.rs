//! MySQL's and MariaDB's [`Alteration`].

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use super::catalogue::defined::{checks, without_key};
use super::catalogue::statement::{Statement, definition, texts};
use super::definition::INDEXED;
use super::dependents;
use super::dialect::MySql;
use crate::catalogue::table::Check;
use crate::catalogue::table::Index;
use crate::dialect::Dialect;
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::Kind;
use crate::schema::alteration::check::admits;
use crate::schema::alteration::cost::{Change, Cost};
use crate::schema::alteration::{self, Alteration, RenamedCheck, Shape, Surroundings};
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::{ACTIVE, check, check_constraint, check_name, check_name_of};
use crate::schema::renames::rename_script::present_check;
use crate::storage::migrations::IF_NOT_EXISTS;
use crate::storage::schema::What;

/// A temporary table, from which the server's spelling of a resource's CHECK constraints is read.
const TEMPORARY: &str = "crud_wanted_checks";

/// A literal is compared by the connection's collation, in which two variants may be equal.
const BY_CODE_POINT: &str = " COLLATE utf8mb4_bin";

pub(super) const ALTERATION: Alteration<MySqlConnection, sqlx::Error> = Alteration {
    cost,
    dependents: |connection, compared| Box::pin(dependents::of_renamed(connection, compared)),
    repeats_column: true,
    reshape,
    widens,
    rename_column,
    rename_index: |table, from, to| {
        format!("ALTER TABLE {table} RENAME INDEX {} TO {};", identifier::<MySql>(from), identifier::<MySql>(to))
    },
    // It cannot: a foreign key keeps its name.
    rename_foreign_key: |_, _, _| None,
    surroundings: |connection, table| Box::pin(surroundings(connection, table)),
    renamed_to: table_identifier::<MySql>,
    drop_index: |table, index| format!("DROP INDEX {} ON {table};", identifier::<MySql>(index)),
    // In one statement: a foreign key may need either of them.
    replace_index: |table, index, new| {
        format!("ALTER TABLE {table} DROP INDEX {}, ADD {};", identifier::<MySql>(index), new.in_table())
    },
    index_suffix,
    respell_index: |index, keys| {
        let name = identifier::<MySql>(&index.name);
        if index.unique {
            // MariaDB keeps one of long text by a hash of the whole.
            return format!(" /*!80017 , DROP INDEX {name}, ADD UNIQUE INDEX {name} ({keys}) */");
        }
        format!(", DROP INDEX {name}, ADD INDEX {name} ({keys})")
    },
    drop_foreign_key: |table, name| format!("ALTER TABLE {table} DROP FOREIGN KEY {};", identifier::<MySql>(name)),
    add_missing_foreign_key: |table, name, (from, references)| {
        let name = identifier::<MySql>(name);
        let key = format!("FOREIGN KEY {IF_NOT_EXISTS} {name} ({from}) {references}");
        format!("ALTER TABLE {table} ADD CONSTRAINT {name} {key};")
    },
    drop_column,
    drop_unused,
    finer: |connection, compared| Box::pin(finer(connection, compared)),
    ..Alteration::standard::<MySql>(|connection, compared, without| Box::pin(present(connection, compared, without)))
};

/// Cost of a change: the table is copied.
fn cost(_: &Compared, change: Change<'_>) -> Option<Cost> {
    match change {
        Change::Of(
            What::Type { .. }
            | What::Collation { .. }
            | What::Null { must_allow: false, .. }
            | What::Check { .. }
            | What::ForeignKeyMissing { .. }
            | What::OnDelete { .. },
        )
        | Change::ForeignKey
        | Change::Search => Some(Cost::writing("other writers of the table wait")),
        Change::Fill => Some(Cost::filling("other writers of those wait")),
        Change::Of(_) | Change::Rebuild => None,
    }
}

/// `SHOW CREATE TABLE`, with indexes and constraints, without the next key and some foreign keys.
async fn present(connection: &mut MySqlConnection, compared: &Compared, without: &[&str]) -> sqlx::Result<Vec<String>> {
    let definition = definition(connection, compared.resource.table).await?;
    let definition = without.iter().fold(definition, |definition, name| without_key(&definition, name));
    let create = definition.replacen("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ", 1);
    // The options of the table follow the last parenthesis of its columns.
    let Some((columns, options)) = create.rsplit_once("\n)") else { return Ok(vec![create]) };
    let options: Vec<&str> = options.split(' ').filter(|option| !option.starts_with("AUTO_INCREMENT=")).collect();
    Ok(vec![format!("{columns}\n){}", options.join(" "))])
}

/// `MODIFY COLUMN` repeats the whole column.
fn reshape(table: &str, _: &Shape, to: &Shape, indexes: &str) -> String {
    let not_null = if to.not_null { " NOT NULL" } else { "" };
    let default = to.default.as_ref().map_or_else(String::new, |default| format!(" DEFAULT {default}"));
    let column = identifier::<MySql>(&to.name);
    format!("ALTER TABLE {table} MODIFY COLUMN {column} {}{not_null}{default}{indexes};", to.declared.name)
}

fn widens(resource: &Descriptor, column: &ColumnDescriptor, declared: &str) -> bool {
    let wanted = (MySql::TABLES.column_type)(resource, column).to_lowercase();
    let base = |declared: &str| declared.split('(').next().unwrap_or_default().to_owned();
    let (from, to) = (base(declared), base(&wanted));
    match (from.as_str(), to.as_str()) {
        ("varchar", "longtext") => true,
        ("varchar", "varchar") => characters(declared) <= characters(&wanted),
        ("smallint", "int" | "bigint") | ("int", "bigint") | ("float", "double") => !declared.contains("unsigned"),
        _ => false,
    }
}

/// A column with a CHECK cannot be renamed: that is dropped before, and added after.
fn rename_column(table: &str, from: &str, to: &str, check: Option<RenamedCheck>) -> Vec<String> {
    let alter = |what: String| format!("ALTER TABLE {table} {what};");
    let rename = alter(format!("RENAME COLUMN {} TO {}", identifier::<MySql>(from), identifier::<MySql>(to)));
    let Some(RenamedCheck { from, to, condition }) = check else { return vec![rename] };
    let add = format!("ADD CONSTRAINT {to} CHECK ({condition})");
    vec![alter(format!("DROP CONSTRAINT {from}")), rename, alter(add)]
}

/// Objects around a table: its triggers, which a script leaves out.
async fn surroundings(connection: &mut MySqlConnection, table: &str) -> sqlx::Result<Surroundings> {
    const TRIGGERS: Statement = |of| {
        let of_table = of.condition("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE");
        format!(
            "SELECT CONCAT('the trigger `', TRIGGER_NAME, '`') FROM information_schema.TRIGGERS \
            WHERE {of_table} ORDER BY TRIGGER_NAME"
        )
    };
    let left_out = texts(connection, TRIGGERS, table).await?;
    Ok(Surroundings { left_out, ..Surroundings::default() })
}

/// The CHECK of a column is dropped before the column.
fn drop_column(resource: &Descriptor, table: &str, column: &ColumnDescriptor) -> String {
    let check = check::<MySql>(column).map(|_| identifier::<MySql>(&check_name::<MySql>(resource, column)));
    let check = check.map_or_else(String::new, |check| format!("DROP CONSTRAINT {check}, "));
    format!("ALTER TABLE {table} {check}DROP COLUMN {};", identifier::<MySql>(column.column))
}

/// The foreign keys and the CHECK of a column are dropped before it, its unique indexes that have others too, and the column
/// that marks active records where it is computed from this one.
fn drop_unused(compared: &Compared, column: &str) -> Option<Vec<String>> {
    let (table, quoted) = (table_identifier::<MySql>(compared.resource.table), identifier::<MySql>(column));
    let present = compared.table.as_ref()?;
    let keys = present.foreign_keys.iter();
    let keys = keys.filter(|key| key.columns.iter().any(|(from, _)| (MySql::TABLES.is_same_name)(from, column)));
    let keys = keys.filter_map(|key| Some((ALTERATION.drop_foreign_key)(&table, key.name.as_ref()?)));
    let check = Some(check_name_of::<MySql>(compared.resource, column)).filter(|name| present.check(name).is_some());
    let check = check.map(|name| format!("ALTER TABLE {table} DROP CONSTRAINT {};", identifier::<MySql>(&name)));
    let of_active = |index: &&Index| index.partial.as_ref().is_some_and(|condition| condition.contains(&quoted));
    let mut active: Vec<String> =
        present.indexes.iter().filter(of_active).map(|index| (ALTERATION.drop_index)(&table, &index.name)).collect();
    if !active.is_empty() {
        active.push(alteration::drop_column::<MySql>(&table, ACTIVE));
    }
    // Without the column, their other values would have to be unique, which the server refuses.
    let has_column =
        |name: &Option<String>| name.as_ref().is_some_and(|name| (MySql::TABLES.is_same_name)(name, column));
    let is_shared = |index: &&Index| {
        // One in any letter case goes with its generated column.
        let of_it = index.columns.iter().any(|indexed| !indexed.ignores_case && has_column(&indexed.name));
        index.unique && of_it && !of_active(index) && (index.columns.len() > 1 || index.partial.is_some())
    };
    let shared = present.indexes.iter().filter(is_shared);
    let shared = shared.map(|index| (ALTERATION.drop_index)(&table, &index.name));
    Some(
        keys.chain(check)
            .chain(shared)
            .chain(active)
            .chain([alteration::drop_column::<MySql>(&table, column)])
            .collect(),
    )
}

/// CHECK constraints, and columns that are too short for their fields.
async fn finer(connection: &mut MySqlConnection, compared: &Compared) -> sqlx::Result<Vec<What>> {
    let resource = compared.resource;
    let wanted = wanted_checks(connection, resource).await?;
    let mut found: Vec<What> = Vec::new();
    for column in resource.columns.iter().filter(|column| column.is_stored()) {
        let name = check_name::<MySql>(resource, column);
        let is = present_check::<MySql>(compared, column);
        let must_be = wanted.iter().find(|check| check.name == name).map(|check| check.condition.clone());
        if is != must_be {
            let admits = admits::<MySql>(connection, column, is.as_deref(), BY_CODE_POINT).await;
            found.push(What::Check { column: column.column, is, must_be, admits });
        }
        let declared = compared.column::<MySql>(column.column).map(|column| &column.declared);
        let must_be = (MySql::TABLES.column_type)(resource, column);
        let refers = column.references.is_some() || resource.referred_together(column).is_some();
        let is_text = matches!(column.as_stored().kind, Kind::Text | Kind::Enum(_)) && !refers;
        if let Some(is) = declared.filter(|is| is_text && is_shorter(is, &must_be)) {
            found.push(What::Type { column: column.column, is: is.clone(), must_be: must_be.into_owned() });
        }
    }
    Ok(found)
}

/// Whether a text column is too short for one of the wanted type.
fn is_shorter(declared: &str, wanted: &str) -> bool {
    match (characters(declared), characters(wanted)) {
        (Some(most), Some(wanted)) => most < wanted,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// The first characters alone, where an index of a new table has those alone. Of unique text without a bound, which no new
/// table has, it is as many as fit.
fn index_suffix(index: &Index, declared: &str) -> &'static str {
    let is_unbounded = declared.to_ascii_lowercase().ends_with("text");
    let is_alone = index.columns.len() == 1 && index.partial.is_none();
    match characters(declared) {
        Some(most) if most > INDEXED && !index.unique => "(255)",
        None if is_unbounded && index.unique && is_alone => "(768)",
        None if is_unbounded => "(255)",
        _ => "",
    }
}

/// Number of characters of a `varchar(80)`.
fn characters(declared: &str) -> Option<u32> {
    let (name, bounds) = declared.split_once('(')?;
    let number = bounds.split_once(')')?.0.parse().ok()?;
    name.eq_ignore_ascii_case("varchar").then_some(number)
}

/// The CHECK constraints that a resource wants, in the server's spelling: that of a temporary table.
async fn wanted_checks(connection: &mut MySqlConnection, resource: &Descriptor) -> sqlx::Result<Vec<Check>> {
    let mut lines = Vec::new();
    let mut constraints = Vec::new();
    for column in resource.columns.iter().filter(|column| column.is_stored()) {
        let Some(check) = check_constraint::<MySql>(resource, column) else { continue };
        lines.push(format!("{} {}", identifier::<MySql>(column.column), (MySql::TABLES.column_type)(resource, column)));
        constraints.push(check);
    }
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    lines.extend(constraints);
    let create = format!("CREATE TEMPORARY TABLE {TEMPORARY} ({}){}", lines.join(", "), MySql::TABLES.table_end);
    connection.execute(AssertSqlSafe(create)).await?;
    let wanted = definition(connection, TEMPORARY).await;
    connection.execute(AssertSqlSafe(format!("DROP TEMPORARY TABLE {TEMPORARY}"))).await?;
    Ok(checks(&wanted?))
}
