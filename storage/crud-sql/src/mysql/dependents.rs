//! Views and triggers that no struct has, and that read a column which is renamed: the server renames it in none of them.
//!
//! The server keeps a view's SQL with the database and the table before each column, or the alias of the table:
//!
//! ```sql
//! select `shop`.`people`.`phone` AS `phone` from `shop`.`people`    select `p`.`phone` AS `n` from `shop`.`people` `p`
//! ```

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{Executor, Row};

use super::catalogue::view_reads::{Piece, pieces};
use super::dialect::MySql;
use crate::identifier::{identifier, table_identifier};
use crate::in_order::in_order;
use crate::schema::change::planned::comment;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::renamed_columns;
use crate::schema::migration_driver::Dependent;

const VIEWS: &str = "SELECT TABLE_NAME, VIEW_DEFINITION, IF(SECURITY_TYPE = 'INVOKER', 'SQL SECURITY INVOKER ', ''), \
    IF(CHECK_OPTION = 'NONE', '', CONCAT(' WITH ', CHECK_OPTION, ' CHECK OPTION')), \
    IF(DEFINER = CURRENT_USER(), NULL, DEFINER), DATABASE() \
    FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME";

const TRIGGERS: &str = "SELECT TRIGGER_NAME, ACTION_TIMING, EVENT_MANIPULATION, EVENT_OBJECT_TABLE, ACTION_STATEMENT \
    FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY TRIGGER_NAME";

/// The views and triggers that read a renamed column of a table.
pub(super) async fn of_renamed(connection: &mut MySqlConnection, compared: &Compared) -> sqlx::Result<Vec<Dependent>> {
    let names: Vec<(&str, &str)> = compared.renamed.iter().map(|one| (one.from, one.column.column)).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let table = compared.resource.table;
    let mut changed: Vec<(View, Renamed)> = Vec::new();
    for row in connection.fetch_all(VIEWS).await? {
        let view = View::read(&row)?;
        let renamed = renamed(&view.sql, &view.database, table, &names);
        changed.extend(renamed.map(|renamed| (view, renamed)));
    }
    let changed = in_order(changed, is_read_by).into_iter();
    let mut found: Vec<Dependent> = changed.map(|(view, renamed)| view.dependent(table, renamed)).collect();
    for row in connection.fetch_all(TRIGGERS).await? {
        found.extend(trigger(&row, table, &names)?);
    }
    Ok(found)
}

/// A view, as the catalogue has it.
struct View {
    name: String,
    /// Empty where the service's user may not see it.
    sql: String,
    /// The words before `VIEW`, and those after the SQL.
    words: [String; 2],
    /// The user that it is of, unless that is the service's.
    definer: Option<String>,
    database: String,
}

impl View {
    fn read(row: &MySqlRow) -> sqlx::Result<Self> {
        let text = |column: usize| row.try_get_unchecked::<Option<String>, _>(column).map(Option::unwrap_or_default);
        let words = [text(2)?, text(3)?];
        Ok(Self { name: text(0)?, sql: text(1)?, words, definer: row.try_get_unchecked(4)?, database: text(5)? })
    }

    fn dependent(self, table: &str, renamed: Renamed) -> Dependent {
        let (quoted, table) = (identifier::<MySql>(&self.name), table_identifier::<MySql>(table));
        let [before, after] = &self.words;
        let create = |sql: &str| format!("{before}VIEW {quoted} AS {sql}{after}");
        let (why, proposal) = match (renamed, &self.definer) {
            (Err(why), _) => (why.to_owned(), String::new()),
            (Ok([before, after]), None) => {
                let (definition, renamed) = (create(&before), create(&after));
                return Dependent::View { name: self.name, definition, renamed };
            }
            (Ok([_, after]), Some(definer)) => {
                let proposal = comment(&format!("CREATE OR REPLACE {};", create(&after)));
                (format!("is that of another user, {},", definer.replace('\n', " ")), format!("\n{proposal}"))
            }
        };
        let remedy = format!("create it again where it reads the column of {table}.{proposal}");
        Dependent::Left { note: format!("-- The view {quoted} {why}: {remedy}"), name: self.name }
    }
}

/// Whether a view reads another one.
fn is_read_by((view, _): &(View, Renamed), (other, _): &(View, Renamed)) -> bool {
    let is_it = |names: &[String]| matches!(names, [_, of] if of.eq_ignore_ascii_case(&other.name));
    let is_other = !view.name.eq_ignore_ascii_case(&other.name);
    is_other && pieces(&view.sql).iter().any(|piece| matches!(piece, Piece::Names(names) if is_it(names)))
}

/// A trigger that names the table, or is on it, and has the name of a renamed column. Its body is the program's own text, so
/// that its new form is a proposal.
fn trigger(row: &MySqlRow, table: &str, names: &[(&str, &str)]) -> sqlx::Result<Option<Dependent>> {
    let text = |column: usize| row.try_get_unchecked::<String, _>(column);
    let (name, timing, event, on, body) = (text(0)?, text(1)?, text(2)?, text(3)?, text(4)?);
    let is_about =
        on.eq_ignore_ascii_case(table) || renamed_columns::text(&body, &[(table, "")], str::to_owned) != body;
    let renamed = renamed_columns::text(&body, names, str::to_owned);
    if !is_about || renamed == body {
        return Ok(None);
    }
    let (quoted, on) = (identifier::<MySql>(&name), identifier::<MySql>(&on));
    let statements =
        format!("DROP TRIGGER {quoted};\nCREATE TRIGGER {quoted} {timing} {event} ON {on} FOR EACH ROW {renamed};");
    let note = format!(
        "-- The trigger {quoted} names a column that gets another name, and would fail. This creates it again:\n{}",
        comment(&statements)
    );
    Ok(Some(Dependent::Left { name, note }))
}

/// The SQL of a view with the former names and the new ones, without the name of the service's own database; or why it does not
/// show which names are the table's.
type Renamed = Result<[String; 2], &'static str>;

/// The SQL of a view with the new names of a table's columns; `None` where it reads none of those. A name is the column's
/// where the table or its alias is before it: the name of a result stays.
fn renamed(sql: &str, database: &str, table: &str, renames: &[(&str, &str)]) -> Option<Renamed> {
    if sql.is_empty() {
        return Some(Err("has SQL that the service's user may not see"));
    }
    let is = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
    let all = pieces(sql);
    // Each table of a FROM, by the name that its columns have before them.
    let (mut own, mut others): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (index, piece) in all.iter().enumerate() {
        let Piece::Names(names) = piece else { continue };
        let [of_database, of] = names.as_slice() else { continue };
        let alias = match all.get(index + 1..index + 3) {
            Some([Piece::Other(space), Piece::Names(alias)]) if space == " " => alias.first(),
            _ => None,
        };
        if is(of_database, database) || alias.is_some() {
            let is_own = is(of_database, database) && is(of, table);
            (if is_own { &mut own } else { &mut others }).push(alias.unwrap_or(of));
        }
    }
    let is_own = |name: &str| own.iter().any(|own| is(own, name));
    let keeps_database = own.iter().chain(&others).any(|name| is(name, database));
    let mut is_read = false;
    let (mut before, mut after) = (String::with_capacity(sql.len()), String::with_capacity(sql.len()));
    for piece in &all {
        let mut names: Vec<&str> = match piece {
            Piece::Other(other) => {
                before.push_str(other);
                after.push_str(other);
                continue;
            }
            Piece::Names(names) => names.iter().map(String::as_str).collect(),
        };
        if names.len() > 1 && is(names[0], database) && !keeps_database {
            names.remove(0);
        }
        before.push_str(&quoted(&names));
        if let [.., qualifier, column] = names.as_mut_slice()
            && is_own(qualifier)
            && let Some((_, to)) = renames.iter().find(|(from, _)| is(from, column))
        {
            (is_read, *column) = (true, to);
        }
        after.push_str(&quoted(&names));
    }
    let is_ambiguous = own.iter().any(|name| others.iter().any(|other| is(other, name)));
    is_read.then_some(if is_ambiguous { Err("has one alias for several tables") } else { Ok([before, after]) })
}

/// Names with dots between them.
fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| identifier::<MySql>(name)).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::{Renamed, renamed};

    fn of(sql: &str) -> Option<Renamed> {
        renamed(sql, "shop", "people", &[("phone", "telephone")])
    }

    #[test]
    fn views_that_do_not_read_the_column_are_left_alone_and_unclear_ones_are_named() {
        assert_eq!(of("select `shop`.`people`.`id` AS `phone` from `shop`.`people`"), None);
        assert_eq!(of("select `c`.`phone` AS `phone` from `shop`.`calls` `c`"), None);
        assert!(matches!(of(""), Some(Err(_))));
        let twice = "select `x`.`phone` AS `a` from `shop`.`people` `x` where exists(select 1 from `shop`.`calls` `x`)";
        assert!(matches!(of(twice), Some(Err(_))));
    }
}
