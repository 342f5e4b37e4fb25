//! The index of words: a table of FTS5's over the records (<https://www.sqlite.org/fts5.html>).
//!
//! It keeps no copy of the texts. Triggers keep it in step with every record, soft-deleted or not: one that is left out
//! would have to be known when it is changed.

use super::argument::Argument;
use crate::model::descriptor::{Descriptor, Search};
use crate::model::value::Kind;
use crate::storage::sql::dialect::{Dialect, Of};
use crate::storage::sql::schema::search_index::{self as search, SearchIndex};
use crate::storage::sql::statement::Sql;
use crate::storage::sql::statement::search_term::SearchTerm;

/// Letters and digits are parts of words, whatever their accents.
const TOKENS: &str = r#"tokenize = "unicode61 remove_diacritics 2 categories 'L* N*'""#;

/// Whether the resource's records can be indexed: by a key that is the number of the row, which no other lasts as.
pub(super) fn is_possible(resource: &Descriptor) -> bool {
    matches!(resource.id_column().kind, Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32)
}

fn name(resource: &Descriptor, search: Search) -> String {
    search::name(resource.table, &search::definition(resource, search))
}

/// The index that the resource wants.
pub(super) fn index(resource: &Descriptor) -> Option<SearchIndex> {
    let search = resource.search.filter(|_| is_possible(resource))?;
    let name = name(resource, search);
    let (index, table, id) = (quoted(&name), quoted(resource.table), quoted(resource.id_column().column));
    let columns: Vec<String> = search.columns.iter().map(|column| quoted(resource.columns[*column].column)).collect();
    let of = |row: &str| columns.iter().map(|column| format!("{row}.{column}")).collect::<Vec<_>>().join(", ");
    let columns = columns.join(", ");
    let content = format!("content = {table}, content_rowid = {id}");
    let add = format!("INSERT INTO {index} (rowid, {columns}) VALUES (new.{id}, {})", of("new"));
    let remove = format!("INSERT INTO {index} ({index}, rowid, {columns}) VALUES ('delete', old.{id}, {})", of("old"));
    let trigger = |event: &str, of: &str, body: String| {
        let trigger = quoted(&format!("{name}_{}", event.to_lowercase()));
        format!("CREATE TRIGGER {trigger} AFTER {event}{of} ON {table} BEGIN {body}; END")
    };
    let create = vec![
        format!("CREATE VIRTUAL TABLE {index} USING fts5({columns}, {content}, {TOKENS})"),
        trigger("INSERT", "", add.clone()),
        // A change of other columns leaves the index as it is.
        trigger("UPDATE", &format!(" OF {id}, {columns}"), format!("{remove}; {add}")),
        trigger("DELETE", "", remove),
        format!("INSERT INTO {index} ({index}) VALUES ('rebuild')"),
    ];
    Some(SearchIndex { name, create })
}

/// The statements that drop an index.
pub(super) fn drop(_: &str, name: &str) -> Vec<String> {
    let trigger = |event: &str| format!("DROP TRIGGER IF EXISTS {}", quoted(&format!("{name}_{event}")));
    let table = format!("DROP TABLE IF EXISTS {}", quoted(name));
    ["insert", "update", "delete"].into_iter().map(trigger).chain([table]).collect()
}

/// Writes that the record is among those that the index finds.
pub(super) fn search<D: Dialect<Argument = Argument>>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    terms: &[SearchTerm<'_>],
) {
    let index = |resource: &Descriptor| {
        let name = resource.search.map(|search| name(resource, search)).unwrap_or_default();
        quoted(&name)
    };
    sql.column(Of { resource, column: resource.id });
    sql.push(" IN (SELECT rowid FROM ");
    sql.derived(resource, index);
    sql.push(" WHERE ");
    sql.derived(resource, index);
    sql.push(" MATCH ");
    sql.bind(Argument::Text(query(terms)));
    sql.push(")");
}

/// The query in FTS5's language: each word in quotes, in which nothing is an operator.
fn query(terms: &[SearchTerm<'_>]) -> String {
    let term = |term: &SearchTerm<'_>| {
        let word = term.word.replace('"', "\"\"");
        format!("\"{word}\"{}", if term.prefix { " *" } else { "" })
    };
    terms.iter().map(term).collect::<Vec<_>>().join(" ")
}

fn quoted(name: &str) -> String {
    search::quoted(crud_shared::dialect::SQLITE, name)
}
