//! The index of words: an FTS5 table over the records (<https://www.sqlite.org/fts5.html>).
//!
//! It keeps no copy of the texts. Triggers keep it in step with all records. Soft-deleted ones are included: otherwise
//! a change would have to know whether the index has the record.

use super::argument::Argument;
use super::catalogue::search_triggers::TRIGGERED;
use super::dialect::Sqlite;
use super::operand::operand;
use crate::dialect::{ColumnRef, Dialect};
use crate::identifier::identifier;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Search};
use crate::model::value::{Kind, Value};
use crate::search_index::{self as search, SearchIndex};
use crate::statement::Sql;
use crate::statement::search_term::SearchTerm;

/// Words consist of letters and digits, with or without accents.
const TOKENS: &str = r#"tokenize = "unicode61 remove_diacritics 2 categories 'L* N*'""#;

/// Whether the resource's records can be indexed: the key must be the row number, as only that is stable.
pub(super) fn is_possible(resource: &Descriptor) -> bool {
    let is_number = |column: &usize| resource.columns[*column].kind.integer_range().is_some();
    matches!(resource.key(), [column] if is_number(column))
}

fn name(resource: &Descriptor, search: Search) -> String {
    let mut definition = search::definition(resource, search);
    if let Some(tenant) = tenant_column(resource, search) {
        definition.push_str(" of ");
        definition.push_str(resource.columns[tenant].column);
    }
    search::name(resource.table, &definition)
}

/// The tenant's column, if the index has it. A tenant's search then only reads the words of the tenant's records, and
/// its duration reveals less about other tenants.
fn tenant_column(resource: &Descriptor, search: Search) -> Option<usize> {
    let column = resource.tenant.map(|tenant| tenant.column).filter(|column| !search.columns.contains(column))?;
    let kinds = [Kind::I16, Kind::I32, Kind::I64, Kind::U32, Kind::Text, Kind::Uuid];
    let ColumnDescriptor { kind, column: name, .. } = &resource.columns[column];
    // FTS5 reserves these names for its own columns.
    let is_reserved = ["rank", "rowid"].iter().any(|reserved| name.eq_ignore_ascii_case(reserved));
    (kinds.contains(kind) && !is_reserved).then_some(column)
}

/// The index that the resource wants.
pub(super) fn index(resource: &Descriptor) -> Option<SearchIndex> {
    let search = resource.search.filter(|_| is_possible(resource))?;
    let name = name(resource, search);
    let [index, table, id] = [&*name, resource.table, resource.id_column().column].map(identifier::<Sqlite>);
    let indexed = search.columns.iter().copied().chain(tenant_column(resource, search));
    let columns: Vec<String> = indexed.map(|column| identifier::<Sqlite>(resource.columns[column].column)).collect();
    let of = |row: &str| columns.iter().map(|column| format!("{row}.{column}")).collect::<Vec<_>>().join(", ");
    let columns = columns.join(", ");
    let content = format!("content = {table}, content_rowid = {id}");
    let add = format!("INSERT INTO {index} (rowid, {columns}) VALUES (new.{id}, {})", of("new"));
    let remove = format!("INSERT INTO {index} ({index}, rowid, {columns}) VALUES ('delete', old.{id}, {})", of("old"));
    let trigger = |event: &str, of: &str, body: String| {
        let trigger = identifier::<Sqlite>(&format!("{name}_{}", event.to_lowercase()));
        format!("CREATE TRIGGER {trigger} AFTER {event}{of} ON {table} BEGIN {body}; END")
    };
    let create = vec![
        format!("CREATE VIRTUAL TABLE {index} USING fts5({columns}, {content}, {TOKENS})"),
        trigger("INSERT", "", add.clone()),
        // Changes of other columns leave the index unchanged.
        trigger("UPDATE", &format!(" OF {id}, {columns}"), format!("{remove}; {add}")),
        trigger("DELETE", "", remove),
        format!("INSERT INTO {index} ({index}) VALUES ('rebuild')"),
    ];
    Some(SearchIndex { name, create, create_concurrently: None })
}

/// The statements that drop an index.
pub(super) fn drop(_: &str, name: &str) -> Vec<String> {
    let trigger = |event: &str| format!("DROP TRIGGER IF EXISTS {}", identifier::<Sqlite>(&format!("{name}_{event}")));
    let table = format!("DROP TABLE IF EXISTS {}", identifier::<Sqlite>(name));
    TRIGGERED.into_iter().map(trigger).chain([table]).collect()
}

/// Writes the condition that the index finds the record.
pub(super) fn search<D: Dialect<Argument = Argument>>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    terms: &[SearchTerm<'_>],
    tenant: Option<&Value>,
) {
    let index = |resource: &Descriptor| {
        let name = resource.search.map(|search| name(resource, search)).unwrap_or_default();
        identifier::<Sqlite>(&name)
    };
    sql.column(ColumnRef { resource, column: resource.id });
    sql.push(" IN (SELECT rowid FROM ");
    sql.derived(resource, index);
    sql.push(" WHERE ");
    sql.derived(resource, index);
    sql.push(" MATCH ");
    let words = query(terms);
    let of_search = resource.search.and_then(|search| Some((search, tenant_column(resource, search)?)));
    let text = of_search.map(|(search, column)| in_tenant(resource, search, &words, column, tenant)).unwrap_or(words);
    sql.bind(Argument::Text(text));
    sql.push(")");
}

/// The query in FTS5's language. Each word is quoted, so that it contains no operator.
fn query(terms: &[SearchTerm<'_>]) -> String {
    let term = |term: &SearchTerm<'_>| format!("{}{}", in_query(term.word), if term.prefix { " *" } else { "" });
    terms.iter().map(term).collect::<Vec<_>>().join(" ")
}

/// Restricts the words to the text columns, and adds the tenant: `{"name" "note"} : ("desk" "lamp" *) AND "shop_id" :
/// "7"`. The condition on the record itself still decides, as tenants such as `a-b` and `a_b` have the same words here.
fn in_tenant(resource: &Descriptor, search: Search, words: &str, column: usize, tenant: Option<&Value>) -> String {
    let name = |column: usize| in_query(resource.columns[column].column);
    let names: Vec<String> = search.columns.iter().map(|column| name(*column)).collect();
    let texts = format!("{{{}}} : ({words})", names.join(" "));
    let tenant = tenant.and_then(|tenant| match operand(&resource.columns[column], tenant).argument {
        Argument::Integer(id) => Some(id.to_string()),
        // Without a letter or digit, the tenant is not a word; NUL would end the text.
        Argument::Text(id) if id.contains(|c: char| c.is_ascii_alphanumeric()) && !id.contains('\0') => Some(id),
        _ => None,
    });
    match tenant {
        Some(tenant) => format!("{texts} AND {} : {}", name(column), in_query(&tenant)),
        None => texts,
    }
}

/// A word or a name in FTS5's language.
fn in_query(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crud_runtime::prelude::*;

    /// A page of a tenant.
    #[derive(Debug, Resource)]
    #[crud(search(title, text))]
    #[allow(dead_code)]
    struct Article {
        id: i64,
        #[crud(tenant)]
        site: i64,
        title: String,
        text: Option<String>,
    }

    #[test]
    fn index_has_the_tenant_and_a_search_in_one_asks_for_it() {
        let resource = Article::DESCRIPTOR;
        let search = resource.search.expect("it has a search");
        let create = &index(resource).expect("it has an index").create[0];
        assert!(create.contains("fts5(`title`, `text`, `site`, "), "{create}");
        let of = |tenant| in_tenant(resource, search, r#""desk" *"#, 1, tenant);
        assert_eq!(of(Some(&Value::Int(7))), r#"{"title" "text"} : ("desk" *) AND "site" : "7""#);
        assert_eq!(of(None), r#"{"title" "text"} : ("desk" *)"#);
    }
}
