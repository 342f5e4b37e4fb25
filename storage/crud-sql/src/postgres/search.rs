//! The index of words: GIN over an expression
//! (<https://www.postgresql.org/docs/current/textsearch-tables.html#TEXTSEARCH-TABLES-INDEX>).
//!
//! PostgreSQL's parser takes `foo.bar` for the name of a host, and `-12` for a number. Characters that separate words
//! are therefore replaced by spaces before the text is parsed. A condition repeats the expression, so that the index
//! serves it.

use std::fmt::Write;

use super::dialect::Postgres;
use super::value::argument::Argument;
use super::value::types::Type;
use crate::identifier::{identifier, in_schema_of, table_identifier};
use crate::model::descriptor::{Descriptor, Search};
use crate::model::value::Value;
use crate::query::search_terms::SEPARATORS;
use crate::schema::ddl::{CONCURRENTLY, shortened, text_literal};
use crate::search_index::{self as search, SearchIndex};
use crate::statement::Sql;
use crate::statement::search_term::SearchTerm;

/// The index that the resource wants.
pub(super) fn index(resource: &Descriptor, max_name: usize) -> Option<SearchIndex> {
    let search = resource.search?;
    let expression = expression(resource, search);
    let name = shortened(search::name(resource.own_table(), &expression), max_name);
    let (index, table) = (identifier::<Postgres>(&name), table_identifier::<Postgres>(resource.table));
    let create = |concurrently: &str| format!("CREATE INDEX {concurrently}{index} ON {table} USING gin ({expression})");
    Some(SearchIndex { create: vec![create("")], create_concurrently: Some(create(CONCURRENTLY)), name })
}

/// The statement that drops an index.
pub(super) fn drop(table: &str, name: &str) -> Vec<String> {
    vec![format!("DROP INDEX {}", table_identifier::<Postgres>(&in_schema_of(table, name)))]
}

/// The expression of the words in a record's texts.
fn expression(resource: &Descriptor, search: Search) -> String {
    let table = identifier::<Postgres>(resource.own_table());
    let columns = search.columns.iter().map(|column| {
        let column = identifier::<Postgres>(resource.columns[*column].column);
        format!("coalesce({table}.{column}, '')")
    });
    let texts = columns.collect::<Vec<_>>().join(" || ' ' || ");
    let words = format!("regexp_replace(({texts}) COLLATE \"C\", '{}', ' ', 'g')", separators());
    format!("to_tsvector({}, {words})", text_literal(search.language))
}

/// The regular expression of the characters that separate words.
fn separators() -> String {
    let mut text = "[".to_owned();
    for (first, last) in SEPARATORS {
        // A text of PostgreSQL cannot contain NUL.
        let first = if first == '\0' { '\u{1}' } else { first };
        for (glue, end) in [("", first), ("-", last)] {
            let code = u32::from(end);
            // Writing to a String cannot fail.
            let _ =
                if code > 0xFFFF { write!(text, "{glue}\\U{code:08X}") } else { write!(text, "{glue}\\u{code:04X}") };
        }
    }
    text.push_str("]+");
    text
}

/// Writes the condition that the record's words match a query. A query that only has stop words of the language, which
/// no index has, matches every record.
pub(super) fn search(sql: &mut Sql<Postgres>, resource: &'static Descriptor, search: Search, terms: &[SearchTerm<'_>]) {
    let has_stop_words = search.language != "simple";
    sql.push(if has_stop_words { "(" } else { "" });
    sql.derived(resource, |resource| resource.search.map(|search| expression(resource, search)).unwrap_or_default());
    sql.push(" @@ to_tsquery('");
    sql.push(search.language);
    sql.push("', ");
    let query = sql.bind(Argument::One(Type::Text, Value::Text(query(terms))));
    sql.push(")");
    if has_stop_words {
        sql.push(" OR numnode(to_tsquery('");
        sql.push(search.language);
        sql.push("', ");
        sql.bound(query);
        sql.push(")) = 0)");
    }
}

/// The query in PostgreSQL's language. Each word is quoted, so that it contains no operator.
fn query(terms: &[SearchTerm<'_>]) -> String {
    let term = |term: &SearchTerm<'_>| {
        let word = term.word.replace('\\', "").replace('\'', "''");
        format!("'{word}'{}", if term.prefix { ":*" } else { "" })
    };
    terms.iter().map(term).collect::<Vec<_>>().join(" & ")
}
