//! The index of words: FULLTEXT over a generated column
//! (<https://mariadb.com/kb/en/full-text-index-overview/>).
//!
//! An index of the texts themselves would be case-sensitive, like the columns. It would take `desk_lamp` as one word,
//! and leave out short words and stop words. The generated column has a collation that ignores case, and puts a prefix
//! before each word, so that no word is short or a stop word:
//!
//! ```text
//! The desk_lamp  ->  w__The w__desk w__lamp
//! ```

use super::argument::Argument;
use super::definition::MAX_NAME;
use super::dialect::MySql;
use crate::dialect::Dialect;
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{Descriptor, Search};
use crate::schema::ddl::shortened;
use crate::search_index::{self as search, SearchIndex};
use crate::statement::Sql;
use crate::statement::search_term::{SearchTerm, is_plain};

/// Prefix of the generated column's name, before the hash in the index's name: two programs may search different
/// columns of one table.
const COLUMN: &str = "crud_search";

/// The generated column of an index.
fn column_of(name: &str) -> String {
    let hash = name.split('_').nth(1).unwrap_or_default();
    format!("{COLUMN}_{hash}")
}

/// Prefix of each word in the column.
const PREFIX: &str = "w__";

/// Maximum length of an indexed word in characters, without the prefix (`innodb_ft_max_token_size` is 84).
const MAX_WORD: usize = 80;

/// The collation of the words.
const COLLATION: &str = "CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci";

/// The index that the resource wants.
pub(super) fn index(resource: &Descriptor, max_name: usize) -> Option<SearchIndex> {
    let search = resource.search?;
    let columns: Vec<String> =
        search.columns.iter().map(|column| identifier::<MySql>(resource.columns[*column].column)).collect();
    let words = format!("REGEXP_REPLACE(CONCAT_WS(' ', {}), '[^[:alnum:]]+', ' {PREFIX}')", columns.join(", "));
    let name = name(resource, search, max_name);
    let create = add(resource.table, &name, &format!("CONCAT('{PREFIX}', {words})"), COLLATION);
    Some(SearchIndex { name, create: vec![create], create_concurrently: None })
}

fn name(resource: &Descriptor, search: Search, max_name: usize) -> String {
    shortened(search::name(resource.own_table(), &search::definition(resource, search)), max_name)
}

/// The statement that adds the generated column and its index.
pub(super) fn add(table: &str, name: &str, expression: &str, collation: &str) -> String {
    let (table, column, index) =
        (table_identifier::<MySql>(table), identifier::<MySql>(&column_of(name)), identifier::<MySql>(name));
    format!(
        "ALTER TABLE {table} ADD COLUMN {column} LONGTEXT {collation} GENERATED ALWAYS AS ({expression}) STORED, \
         ADD FULLTEXT INDEX {index} ({column})"
    )
}

/// The statement that drops the generated column and its index.
pub(super) fn drop(table: &str, name: &str) -> Vec<String> {
    let (table, index, column) =
        (table_identifier::<MySql>(table), identifier::<MySql>(name), identifier::<MySql>(&column_of(name)));
    vec![format!("ALTER TABLE {table} DROP INDEX {index}, DROP COLUMN {column}")]
}

/// Whether the index has the word as one word: the server's regular expressions and its parser must agree on that.
pub(super) fn is_indexed(word: &str) -> bool {
    word.chars().all(is_plain) && word.chars().count() <= MAX_WORD
}

/// Writes the condition that the generated column matches a query.
pub(super) fn search<D: Dialect<Argument = Argument>>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    terms: &[SearchTerm<'_>],
) {
    sql.push("MATCH (");
    sql.identifier(resource.own_table());
    sql.push(".");
    sql.derived(resource, |resource| {
        let name = resource.search.map(|search| name(resource, search, MAX_NAME));
        identifier::<MySql>(&column_of(&name.unwrap_or_default()))
    });
    sql.push(") AGAINST (");
    sql.bind(Argument::Text(query(terms)));
    // With a bare `MATCH`, MySQL would count by the index, which still has records that a foreign key's cascade has
    // removed.
    sql.push(" IN BOOLEAN MODE) > 0");
}

/// The query in boolean mode. The words consist of letters and digits, so that they contain no operator.
fn query(terms: &[SearchTerm<'_>]) -> String {
    let term = |term: &SearchTerm<'_>| format!("+{PREFIX}{}{}", term.word, if term.prefix { "*" } else { "" });
    terms.iter().map(term).collect::<Vec<_>>().join(" ")
}
