//! The tables and views that a view reads, found in the SQL that the server keeps of it.
//!
//! The server writes that SQL anew, without comments, with the database before every table, and with every name in back
//! quotes. Stored functions alone have such names before a parenthesis:
//!
//! ```sql
//! select `d`.`id` AS `id`,`score`(`d`.`id`) AS `score` from `shop`.`devices` `d` where `d`.`name` <> 'it\'s'
//! ```

use std::collections::HashMap;

use sqlx::mysql::MySqlConnection;
use sqlx::{Executor, Row};

use crate::catalogue::table::Reads;
use crate::sql_parts::{parts_of_script, unquoted};

/// The views of every database of programs, with their SQL, which is empty for a user who may not see it.
const VIEWS: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS \
    WHERE TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')";

/// The stored functions that read no table.
const PURE: &str = "SELECT ROUTINE_SCHEMA, ROUTINE_NAME FROM information_schema.ROUTINES \
    WHERE ROUTINE_TYPE = 'FUNCTION' AND SQL_DATA_ACCESS = 'NO SQL'";

/// The name of a table, view or function after that of its database, both in lower case.
type Name = (String, String);

/// See [`CatalogueDriver::reads`](crate::catalogue::driver::CatalogueDriver::reads).
pub(super) async fn reads(connection: &mut MySqlConnection, of: Vec<&str>) -> sqlx::Result<Vec<Reads>> {
    let database: String = connection.fetch_one("SELECT DATABASE()").await?.try_get_unchecked(0)?;
    let mut views: HashMap<Name, String> = HashMap::new();
    for row in connection.fetch_all(VIEWS).await? {
        let name = name(row.try_get_unchecked(0)?, row.try_get_unchecked(1)?);
        views.insert(name, row.try_get_unchecked::<Option<String>, _>(2)?.unwrap_or_default());
    }
    let mut pure = Vec::new();
    for row in connection.fetch_all(PURE).await? {
        pure.push(name(row.try_get_unchecked(0)?, row.try_get_unchecked(1)?));
    }
    Ok(of.into_iter().map(|view| reads_of(&database, view, &views, &pure)).collect())
}

/// The tables and views that a view of this database reads, among these views and functions that read no table.
fn reads_of(database: &str, view: &str, views: &HashMap<Name, String>, pure: &[Name]) -> Reads {
    let (mut reads, mut all) = (Reads::default(), vec![name(database, view)]);
    let mut position = 0;
    while let Some(name) = all.get(position) {
        position += 1;
        let Some(sql) = views.get(name) else { continue };
        if sql.is_empty() {
            reads.opaque = Some(format!("the view `{}`, whose SQL the service's user may not see", name.1));
        }
        for reference in references(sql, &name.0) {
            if reference.is_call {
                if !pure.contains(&reference.name) {
                    reads.opaque = Some(format!("the function `{}`, which is not NO SQL", reference.name.1));
                }
            } else if !all.contains(&reference.name) {
                all.push(reference.name);
            }
        }
    }
    let database = database.to_lowercase();
    reads.names = all.into_iter().filter(|(of, _)| *of == database).map(|(_, table)| table).collect();
    reads
}

fn name(database: &str, name: &str) -> Name {
    (database.to_lowercase(), name.to_lowercase())
}

/// Two names with a dot between them, or the name of a function. A column after its table's alias is one too, which no
/// table has the name of.
#[derive(Debug, PartialEq, Eq)]
struct Reference {
    name: Name,
    is_call: bool,
}

/// The references in the SQL that the server keeps of a view in this database.
fn references(sql: &str, own: &str) -> Vec<Reference> {
    let pieces = pieces(sql);
    let mut found = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Names(names) = piece else { continue };
        let is_call = matches!(pieces.get(index + 1), Some(Piece::Other(text)) if text.starts_with('('));
        match names.as_slice() {
            [database, of, ..] => found.push(Reference { name: name(database, of), is_call }),
            [function] if is_call => found.push(Reference { name: name(own, function), is_call }),
            _ => {}
        }
    }
    found
}

/// A part of a view's SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::mysql) enum Piece {
    /// Names in back quotes, with dots between them.
    Names(Vec<String>),
    Other(String),
}

/// The parts of the SQL that the server keeps of a view.
pub(in crate::mysql) fn pieces(sql: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut goes_on = false;
    for part in parts_of_script(sql, true) {
        let is_dot = part == "." && matches!(found.last(), Some(Piece::Names(_)));
        match (found.last_mut(), unquoted(part)) {
            (Some(Piece::Names(names)), Some(name)) if goes_on => names.push(name),
            (_, Some(name)) => found.push(Piece::Names(vec![name])),
            _ if is_dot => {}
            (Some(Piece::Other(text)), None) => text.push_str(part),
            (_, None) => found.push(Piece::Other(part.to_owned())),
        }
        goes_on = is_dot;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Reference, name, references};

    fn reference(of: &str, called: bool) -> Reference {
        Reference { name: name("shop", of), is_call: called }
    }

    #[test]
    fn references_are_names_outside_of_texts() {
        let of = |sql: &str| references(sql, "shop");
        assert_eq!(of("select 1 from `shop`.`devices` `d`"), [reference("devices", false)]);
        assert_eq!(of("select `shop`.`Devices`.`id` AS `id`"), [reference("devices", false)]);
        assert_eq!(of("select `shop`.`order``s``` AS `id`"), [reference("order`s`", false)]);
        assert_eq!(
            of(r"select '`shop`.`a`', 'it\'s `shop`.`a`', 'it''s `shop`.`a`', '\\' from `shop`.`b`"),
            [reference("b", false)]
        );
        assert_eq!(of("select `shop`.`score`(`id`) AS `shop` from `other`"), [reference("score", true)]);
        assert_eq!(of("select `score`(`id`) AS `shop` from `other`"), [reference("score", true)]);
        assert_eq!(of("select `shop`,`devices` from `shop` `devices` where `shop` in (`a`)"), []);
    }
}
