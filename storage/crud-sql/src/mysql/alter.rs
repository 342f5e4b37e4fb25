//! MySQL and MariaDB as a [`MigrationDriver`].

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use super::catalogue::defined::{checks, without_key};
use super::catalogue::statement::{Statement, definition, get, rows};
use super::definition::INDEXED;
use super::dependents;
use super::dialect::MySql;
use super::error;
use super::turn;
use crate::catalogue::table::Check;
use crate::catalogue::table::Index;
use crate::dialect::Dialect;
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::Kind;
use crate::schema::change::cost::Cost;
use crate::schema::change::render::{add_constraint, lines, standard};
use crate::schema::change::{AlteredColumn, Change, Constraint, RespelledIndex};
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::{ACTIVE, IndexDefinition, check_name};
use crate::schema::migration_driver::{Dependent, MigrationDriver, Present};
use crate::schema::planner::checks::{TEMPORARY, table_of_checks};
use crate::storage::migrations::IF_NOT_EXISTS;

impl MigrationDriver for MySql {
    const LOCK_HISTORY: fn() -> Option<&'static str> =
        || (!turn::is_taken()).then_some("SELECT GET_LOCK(LEFT(CONCAT('crud migrations ', DATABASE()), 64), 0)");

    const IS_DONE: fn(&sqlx::Error) -> bool = error::is_done;
    const IS_LOCKED: fn(&sqlx::Error) -> bool = error::is_locked;
    const REPEATS_COLUMN: bool = true;
    const RENAMES_FOREIGN_KEYS: bool = false;

    // A view's own text is compared as that of tables.
    const PREPARE_MIGRATION: &'static str = "SET SESSION lock_wait_timeout = 1, \
        SESSION innodb_lock_wait_timeout = 1 \
        /*!80017 , SESSION collation_connection = utf8mb4_0900_bin */ \
        /*M!, SESSION collation_connection = utf8mb4_nopad_bin, SESSION max_statement_time = 0 */";

    const TEXT_OF_ANY: &'static str = "CHAR";

    // A literal is compared by the connection's collation, in which two variants may be equal.
    const COLLATE_LITERAL: &'static str = " COLLATE utf8mb4_bin";

    const TRANSACTIONAL_DDL: bool = false;

    /// Cost of a change: the table is copied.
    fn cost(_: &Compared, change: &Change) -> Option<Cost> {
        let copies = match change {
            Change::AlterColumn(altered) => altered.is_retyped() || altered.is_required(),
            Change::Constrain { .. } | Change::CreateSearch(_) => true,
            _ => false,
        };
        copies.then_some(Cost::writing("other writers of the table wait"))
    }

    /// The statements of a change, where the database has others than the standard.
    fn render(table: &str, change: &Change) -> String {
        let quoted = table_identifier::<MySql>(table);
        let alter = |what: String| format!("ALTER TABLE {quoted} {what};");
        let name = identifier::<MySql>;
        match change {
            Change::RenameTable { from, to } => {
                format!("ALTER TABLE {} RENAME TO {};", table_identifier::<MySql>(from), table_identifier::<MySql>(to))
            }
            Change::DropColumn { column, check: Some(check) } => {
                alter(format!("DROP CONSTRAINT {}, DROP COLUMN {}", name(check), name(column)))
            }
            // A default of long text is in the definition of the column alone.
            Change::SetDefault { column, to: Some(_), .. } if is_long(&column.declared.name) => {
                Self::reshape(&quoted, &AlteredColumn::plain(column.clone(), column.clone()))
            }
            // A column with a CHECK cannot be renamed.
            Change::RenameColumn { from, to, check } => {
                let drop = check.as_ref().map(|[before, _]| alter(format!("DROP CONSTRAINT {}", name(&before.name))));
                let add = check.as_ref().map(|[_, after]| {
                    alter(format!("ADD CONSTRAINT {} CHECK ({})", name(&after.name), after.condition))
                });
                let rename = alter(format!("RENAME COLUMN {} TO {}", name(from), name(to)));
                lines(drop.into_iter().chain([rename]).chain(add))
            }
            Change::Constrain { name: own, from: Some(Constraint::ForeignKey(_)), to } => {
                let drop = alter(format!("DROP FOREIGN KEY {}", name(own)));
                let add = to.as_ref().map(|to| add_constraint::<MySql>(&quoted, own, to));
                lines(std::iter::once(drop).chain(add))
            }
            Change::RenameConstraint { from, to, check: Some(check) } => {
                alter(format!("DROP CONSTRAINT {}, ADD CONSTRAINT {} CHECK ({check})", name(from), name(to)))
            }
            Change::AddMissingForeignKey { name: own, key } => {
                let (own, (columns, references)) = (name(own), key.parts::<Self>());
                let key = format!("FOREIGN KEY {IF_NOT_EXISTS} {own} ({columns}) {references}");
                alter(format!("ADD CONSTRAINT {own} {key}"))
            }
            Change::Index { from: Some(index), to: None, .. } => {
                format!("DROP INDEX {} ON {quoted};", name(&index.name))
            }
            // In one statement: a foreign key may need either of them.
            Change::Index { from: Some(from), to: Some(to), note } => {
                let replace = alter(format!("DROP INDEX {}, ADD {}", name(&from.name), to.in_table::<Self>()));
                lines([note.clone().unwrap_or_default(), replace])
            }
            Change::RenameIndex { from, to } => alter(format!("RENAME INDEX {} TO {}", name(from), name(to))),
            change => standard::<MySql>(table, change),
        }
    }

    /// `MODIFY COLUMN` repeats the whole column. Its indexes are created anew with it, where they are spelled in another way.
    fn reshape(table: &str, altered: &AlteredColumn) -> String {
        let to = &altered.to;
        let not_null = if to.not_null { " NOT NULL" } else { "" };
        let default = to.default.as_ref().map_or_else(String::new, |default| format!(" DEFAULT {default}"));
        let line = format!("{} {}{not_null}{default}", identifier::<MySql>(&to.name), to.declared.name);
        let folded = altered.folded.as_ref().map(|folded| modify(table, &folded.to, &folded.indexes));
        lines([modify(table, &line, &altered.indexes), folded.unwrap_or_default()])
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

    /// Whether a text column, which does not refer to another, is too short.
    fn is_short(resource: &Descriptor, column: &ColumnDescriptor, declared: &str) -> bool {
        let refers = column.references.is_some() || resource.referred_together(column).is_some();
        let is_text = matches!(column.as_stored().kind, Kind::Text | Kind::Enum(_)) && !refers;
        is_text && is_shorter(declared, &(Self::TABLES.column_type)(resource, column))
    }

    /// The first characters alone, where an index of a new table has those alone. Of unique text without a bound, which no new
    /// table has, it is as many as fit.
    fn index_suffix(index: &Index, declared: &str) -> &'static str {
        let is_unbounded = is_long(declared);
        let is_alone = index.columns.len() == 1 && index.partial.is_none();
        match characters(declared) {
            Some(most) if most > INDEXED && !index.unique => "(255)",
            None if is_unbounded && index.unique && is_alone => "(768)",
            None if is_unbounded => "(255)",
            _ => "",
        }
    }

    /// The foreign keys and the CHECK of a column are dropped before it, its unique indexes that have others too, and the column
    /// that marks active records where it is computed from this one.
    fn drop_unused(compared: &Compared, column: &str) -> Option<Vec<Change>> {
        let present = compared.table.as_ref()?;
        let is_it = |name: &str| (MySql::TABLES.is_same_name)(name, column);
        let keys = present.foreign_keys.iter().filter(|key| key.columns.iter().any(|(from, _)| is_it(from)));
        let keys = keys.filter_map(|key| Some(Change::drop_foreign_key(key.name.clone()?, key.clone())));
        let name = check_name::<MySql>(compared.resource, column);
        let check = present.check(&name).map(|condition| Constraint::Check(condition.to_owned()));
        let check = check.map(|check| Change::Constrain { name, from: Some(check), to: None });
        let of_active = |index: &&Index| index.is_filtered_by::<MySql>(column);
        let drop = |index: &Index| Change::drop_index(IndexDefinition::of_name(index));
        let mut active: Vec<Change> = present.indexes.iter().filter(of_active).map(drop).collect();
        if !active.is_empty() {
            active.push(Change::drop_column(ACTIVE));
        }
        // Without the column, their other values would have to be unique, which the server refuses.
        let is_shared = |index: &&Index| {
            // One in any letter case goes with its generated column.
            let mut columns = index.columns.iter().filter(|indexed| !indexed.ignores_case);
            let of_it = columns.any(|indexed| indexed.is::<MySql>(column));
            index.unique && of_it && !of_active(index) && (index.columns.len() > 1 || index.partial.is_some())
        };
        let shared = present.indexes.iter().filter(is_shared).map(drop);
        Some(keys.chain(check).chain(shared).chain(active).chain([Change::drop_column(column)]).collect())
    }

    /// The server's spelling: that of a temporary table.
    async fn wanted_checks(connection: &mut MySqlConnection, compared: &Compared) -> sqlx::Result<Option<Vec<Check>>> {
        let Some(table) = table_of_checks::<Self>(compared.resource) else { return Ok(Some(Vec::new())) };
        connection.execute(AssertSqlSafe(table + Self::TABLES.table_end)).await?;
        let wanted = definition(connection, TEMPORARY).await;
        connection.execute(AssertSqlSafe(format!("DROP TEMPORARY TABLE {TEMPORARY}"))).await?;
        Ok(Some(checks(&wanted?)))
    }

    async fn dependents(connection: &mut MySqlConnection, compared: &Compared) -> sqlx::Result<Vec<Dependent>> {
        dependents::of_renamed(connection, compared).await
    }

    /// `SHOW CREATE TABLE`, with indexes and constraints, without the next key and some foreign keys. Triggers are left out.
    async fn present(connection: &mut MySqlConnection, compared: &Compared, without: &[&str]) -> sqlx::Result<Present> {
        const TRIGGERS: Statement = |of| {
            format!(
                "CONCAT('the trigger `', TRIGGER_NAME, '`') FROM information_schema.TRIGGERS WHERE {}",
                of.condition("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE")
            )
        };
        let table = compared.resource.table;
        let left_out = rows(connection, TRIGGERS, ", 2", &[table], |row| get(row, 1)).await?.concat();
        let definition = definition(connection, table).await?;
        let create = without.iter().fold(definition, |definition, name| without_key(&definition, name));
        // The options of the table follow the last parenthesis of its columns.
        let Some((columns, options)) = create.rsplit_once("\n)") else {
            return Ok(Present { statements: vec![create], left_out });
        };
        let options: Vec<&str> = options.split(' ').filter(|option| !option.starts_with("AUTO_INCREMENT=")).collect();
        Ok(Present { statements: vec![format!("{columns}\n){}", options.join(" "))], left_out })
    }
}

fn modify(table: &str, line: &str, indexes: &[RespelledIndex]) -> String {
    format!("ALTER TABLE {table} MODIFY COLUMN {line}{};", indexes.iter().map(respelled).collect::<String>())
}

fn respelled([_, to]: &RespelledIndex) -> String {
    let replace = format!(", DROP INDEX {}, ADD {}", identifier::<MySql>(&to.name), to.in_table::<MySql>());
    // MariaDB keeps a unique one of long text by a hash of the whole.
    if to.unique { format!(" /*!80017 {replace} */") } else { replace }
}

/// Whether a type is one of text without a bound that an index or a default could have.
fn is_long(declared: &str) -> bool {
    declared.to_ascii_lowercase().ends_with("text")
}

/// Whether a text column is too short for one of the wanted type.
fn is_shorter(declared: &str, wanted: &str) -> bool {
    match (characters(declared), characters(wanted)) {
        (Some(most), Some(wanted)) => most < wanted,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// Number of characters of a `varchar(80)`.
fn characters(declared: &str) -> Option<u32> {
    let (name, bounds) = declared.split_once('(')?;
    let number = bounds.split_once(')')?.0.parse().ok()?;
    name.eq_ignore_ascii_case("varchar").then_some(number)
}
