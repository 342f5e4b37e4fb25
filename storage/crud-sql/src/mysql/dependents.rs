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
    let (table, mut found) = (compared.resource.table, Vec::new());
    let mut views = Vec::new();
    for row in connection.fetch_all(VIEWS).await? {
        views.push(View::read(&row)?);
    }
    let changed: Vec<(View, Renamed)> = views
        .into_iter()
        .filter_map(|view| {
            let renamed = renamed(&view.sql, &view.database, table, &names)?;
            Some((view, renamed))
        })
        .collect();
    for (view, renamed) in in_order(changed, is_read_by) {
        found.push(view.dependent(table, renamed));
    }
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
        let unresolved = |why: &str, proposal: String| {
            let note = format!("-- The view {quoted} {why}: create it again where it reads the column of {table}.");
            Dependent::Left { name: self.name.clone(), note: format!("{note}{proposal}") }
        };
        match (renamed, &self.definer) {
            (Renamed::Unknown, _) if self.sql.is_empty() => {
                unresolved("has SQL that the service's user may not see", String::new())
            }
            (Renamed::Unknown, _) => unresolved("has one alias for several tables", String::new()),
            (Renamed::Known { after, .. }, Some(definer)) => {
                let proposal = format!("CREATE OR REPLACE {};", create(&after));
                let why = format!("is that of another user, {},", definer.replace('\n', " "));
                unresolved(&why, format!("\n{}", comment(&proposal)))
            }
            (Renamed::Known { before, after }, None) => {
                let (definition, renamed) = (create(&before), create(&after));
                Dependent::View { name: self.name.clone(), definition, renamed }
            }
        }
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
    let is_about = on.eq_ignore_ascii_case(table) || renamed_columns::text(&body, &[(table, "")]) != body;
    let renamed = renamed_columns::text(&body, names);
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

/// The SQL of a view with the new names.
#[derive(Debug, PartialEq, Eq)]
enum Renamed {
    /// Without the name of the service's own database, before and after.
    Known { before: String, after: String },
    /// The SQL does not show which names are the table's.
    Unknown,
}

/// The SQL of a view with the new names of a table's columns; `None` where it reads none of those. A name is the column's
/// where the table or its alias is before it: the name of a result stays.
fn renamed(sql: &str, database: &str, table: &str, renames: &[(&str, &str)]) -> Option<Renamed> {
    if sql.is_empty() {
        return Some(Renamed::Unknown);
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
    let mut text = |with: bool| {
        let mut text = String::with_capacity(sql.len());
        for piece in &all {
            match piece {
                Piece::Other(other) => text.push_str(other),
                Piece::Names(names) => {
                    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
                    if let [.., qualifier, column] = names.as_mut_slice()
                        && is_own(qualifier)
                        && let Some((_, to)) = renames.iter().find(|(from, _)| is(from, column))
                    {
                        is_read = true;
                        if with {
                            *column = to;
                        }
                    }
                    if names.len() > 1 && is(names[0], database) && !keeps_database {
                        names.remove(0);
                    }
                    let quoted: Vec<String> = names.iter().map(|name| identifier::<MySql>(name)).collect();
                    text.push_str(&quoted.join("."));
                }
            }
        }
        text
    };
    let (before, after) = (text(false), text(true));
    let is_ambiguous = own.iter().any(|name| others.iter().any(|other| is(other, name)));
    is_read.then_some(if is_ambiguous { Renamed::Unknown } else { Renamed::Known { before, after } })
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
        assert_eq!(of(""), Some(Renamed::Unknown));
        let twice = "select `x`.`phone` AS `a` from `shop`.`people` `x` where exists(select 1 from `shop`.`calls` `x`)";
        assert_eq!(of(twice), Some(Renamed::Unknown));
    }
}
