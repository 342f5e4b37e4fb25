//! The reader of SQLite's catalogue.

pub(super) mod rows;
pub(super) mod search_triggers;
pub(super) mod text;
mod triggers;
mod types;
mod view_reads;

use self::rows::{Cells, Names, cells};
use self::search_triggers::OF_SEARCH;
use self::text::{checks, collation, condition, in_backticks, in_parentheses};
use self::triggers::{trigger, triggers};
use self::types::column_type;
use super::argument::Argument;
use super::dialect::{Engine, Sqlite};
use super::scale::scale;
use crate::catalogue::by_place::joined;
use crate::catalogue::driver::CatalogueDriver;
use crate::catalogue::index_reads::IndexReads;
use crate::catalogue::table::{Column, ForeignKey, Index, IndexedColumn, Listed, Named, Parts, Reads, Table, fill};
use crate::column_names::column_names;
use crate::driver::{Connection, Driver};
use crate::identifier::identifier;
use crate::quoted::quoted_length;
use crate::search_index::SearchIndex;
use crate::statement::Text;

impl<E: Engine> CatalogueDriver for Sqlite<E>
where
    Self: Driver<Argument = Argument>,
{
    /// The tables of these names.
    async fn described(
        connection: &mut Connection<Self>,
        names: Vec<&str>,
        parts: Parts,
    ) -> Result<Vec<Option<Table>>, Self::Error> {
        let names = Names::of(&names);
        let mut tables: Vec<Option<Table>> =
            names.rows::<Self, _>(connection, COLUMNS, table).await?.into_iter().map(described).collect();
        if tables.iter().all(Option::is_none) {
            return Ok(tables);
        }
        fill(&mut tables, names.rows::<Self, _>(connection, INDEXES, index_part).await?, |table, parts| {
            let is_same = |one: &IndexPart, other: &IndexPart| one.index.name == other.index.name;
            let whole = joined(parts, is_same, IndexPart::append);
            table.indexes = whole.into_iter().map(|part| part.index_of(&table.columns)).collect();
        });
        if parts == Parts::Writes {
            let triggers = names.rows::<Self, _>(connection, triggers(), trigger).await?;
            fill(&mut tables, triggers, |table, triggers| table.triggers = triggers);
            return Ok(tables);
        }
        fill(&mut tables, names.rows::<Self, _>(connection, FOREIGN_KEYS, foreign_key).await?, |table, parts| {
            let is_same = |(one, _): &(i64, _), (other, _): &(i64, _)| one == other;
            let whole = joined(parts, is_same, |(_, one), (_, next)| one.columns.append(&mut next.columns));
            table.foreign_keys = whole.into_iter().map(|(_, key)| key).collect();
        });
        if parts != Parts::Types {
            fill(&mut tables, names.rows::<Self, _>(connection, searches(), search).await?, |table, parts| {
                let append = |one: &mut SearchIndex, next: &mut SearchIndex| one.create.append(&mut next.create);
                let whole = joined(parts, |one, other| one.name == other.name, append);
                table.searches = whole.into_iter().map(rebuilt).collect();
            });
        }
        Ok(tables)
    }

    /// Lists the tables and views. Tables of resources are strict, and their definitions have each column in quotes on a separate
    /// line.
    async fn listed(connection: &mut Connection<Self>, _: Option<&str>) -> Result<Vec<Listed>, Self::Error> {
        const TABLES: &str = "SELECT l.name, l.type, l.strict AND (s.sql GLOB '*(' || char(10) || '  `*' \
                              OR s.sql GLOB '*(' || char(10) || '  \"*') FROM pragma_table_list l \
                              LEFT JOIN sqlite_schema s ON s.name = l.name AND s.type = 'table' \
                              WHERE l.schema = 'main' AND l.name NOT GLOB 'sqlite_*' ORDER BY l.name";
        let listed = |row: &Cells<'_, Self>| {
            let kind = row.text(1);
            let left_out = match kind.as_str() {
                "shadow" => Some("a part of a virtual table".to_owned()),
                "virtual" => Some("a virtual table, whose columns have no types".to_owned()),
                _ => None,
            };
            let is_table = kind == "table";
            Listed { name: row.text(0), writable: is_table, left_out, is_table, is_known: row.is(2) }
        };
        cells::<Self, _>(connection, TABLES, None, listed).await
    }

    /// The tables or views that have the names of views.
    async fn views(connection: &mut Connection<Self>, names: Vec<&str>) -> Result<Vec<Option<Named>>, Self::Error> {
        const VIEWS: &str = "SELECT n.key, s.type, substr(s.sql, length('CREATE VIEW ') + 1) FROM json_each(?1) n \
                             JOIN sqlite_schema s ON s.name = n.value COLLATE NOCASE WHERE s.type IN ('table', 'view')";
        let present = |row: &Cells<'_, Self>| Named { kind: row.text(1), view: row.text(2) };
        let found = Names::of(&names).rows::<Self, _>(connection, VIEWS, present).await?;
        Ok(found.into_iter().map(|mut found| found.pop()).collect())
    }

    /// Whether an index has this name.
    async fn is_taken(connection: &mut Connection<Self>, name: &str) -> Result<bool, Self::Error> {
        const NAMED: &str = "SELECT name FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type <> 'trigger'";
        cells::<Self, _>(connection, NAMED, Some(name), |row| row.text(0)).await.map(|names| !names.is_empty())
    }

    async fn reads(connection: &mut Connection<Self>, views: Vec<&str>) -> Result<Vec<Reads>, Self::Error> {
        view_reads::reads::<Self>(connection, views).await
    }

    async fn index_reads(_: &mut Connection<Self>) -> Result<IndexReads, Self::Error> {
        Ok(IndexReads { counts: E::COUNTS, ..IndexReads::default() })
    }
}

/// The table of parts that have a column each, with what only its definition says of them.
fn described(parts: Vec<Table>) -> Option<Table> {
    let mut table = Table::whole(parts)?;
    let definition = in_backticks(&table.written);
    for column in &mut table.columns {
        column.scale = scale(&definition, &column.name);
        column.equates = collation(&definition, &column.name);
        column.ty = column_type(&column.declared);
    }
    table.checks = checks(&definition);
    Some(table)
}

/// The columns. A key without an index is the table's row number, which SQLite assigns.
const COLUMNS: &str = "SELECT n.key, c.name, c.type, c.\"notnull\", CASE WHEN c.pk = 0 THEN c.dflt_value END, c.pk > 0 AND \
                       NOT EXISTS (SELECT 1 FROM pragma_index_list(n.value, 'main') WHERE origin = 'pk'), c.pk, c.hidden, \
                       c.dflt_value IS NOT NULL, s.type, CASE WHEN s.type = 'table' AND c.cid = 0 THEN s.sql END \
                       FROM json_each(?1) n JOIN sqlite_schema s ON s.name = n.value COLLATE NOCASE \
                       AND s.type IN ('table', 'view') JOIN pragma_table_xinfo(s.name, 'main') c ORDER BY n.key, c.cid";

/// A table with one of its columns, the first one with the definition.
fn table<D: Driver>(row: &Cells<'_, D>) -> Table {
    let (assigned, generated) = (row.is(5), row.is(7));
    let column = Column {
        name: row.text(1),
        declared: row.text(2),
        not_null: row.is(3),
        default: row.some_text(4).map(default),
        assigned,
        key: row.number(6),
        generated,
        filled: assigned || row.is(8),
        fixed: generated,
        ..Column::default()
    };
    Table { kind: row.text(9), columns: vec![column], written: row.text(10), returns_keys: true, ..Table::default() }
}

/// The expression after `DEFAULT`. SQLite keeps one in parentheses without them.
fn default(expression: String) -> String {
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let is_number = expression.strip_prefix(['+', '-']).is_some_and(is_word);
    let text = expression.trim_start_matches(['x', 'X']);
    let is_text =
        ['\'', '"'].into_iter().any(|quote| text.starts_with(quote) && quoted_length(text, quote, false) == text.len());
    if is_word(&expression) || is_number || is_text { expression } else { format!("({expression})") }
}

/// An index with some of its columns.
struct IndexPart {
    index: Index,
    /// The collations of the columns.
    collations: Vec<String>,
    /// The statement that creates it, unless it is that of a constraint.
    definition: String,
}

impl IndexPart {
    fn append(&mut self, next: &mut Self) {
        self.index.columns.append(&mut next.index.columns);
        self.collations.append(&mut next.collations);
        self.index.plain &= next.index.plain;
    }

    /// The index of a table with these columns.
    fn index_of(self, columns: &[Column]) -> Index {
        let Self { mut index, collations, definition } = self;
        let is_plain = |(key, collation): (&IndexedColumn, &String)| {
            let column = columns.iter().find(|column| key.name.as_ref() == Some(&column.name));
            let own = column.and_then(|column| column.equates.as_deref()).unwrap_or("BINARY");
            collation.eq_ignore_ascii_case(own)
        };
        index.plain &= index.columns.iter().zip(&collations).all(is_plain);
        let names: Option<Vec<String>> = index.columns.iter().map(|key| key.name.clone()).collect();
        index.identifies = index.unique && index.partial.is_none() && names.is_some();
        // The columns of an expression are in the text of the list alone.
        index.reads = names.unwrap_or_else(|| column_names(in_parentheses(&definition)));
        index
    }
}

/// The columns of indexes.
const INDEXES: &str = "SELECT n.key, l.name, l.\"unique\", l.partial, \
                       (SELECT sql FROM sqlite_schema WHERE name = l.name AND type = 'index'), \
                       k.name, k.\"desc\", k.coll FROM json_each(?1) n JOIN pragma_index_list(n.value, 'main') l \
                       JOIN pragma_index_xinfo(l.name, 'main') k WHERE k.key = 1 ORDER BY n.key, l.seq, k.seqno";

/// An index with one of its columns.
fn index_part<D: Driver>(row: &Cells<'_, D>) -> IndexPart {
    let (definition, collation) = (row.text(4), row.text(7));
    let column = IndexedColumn { name: row.some_text(5), ignores_case: collation == "NOCASE", nulls_first: None };
    let partial = row.is(3).then(|| condition(&definition));
    let (name, unique, plain) = (row.text(1), row.is(2), !row.is(6));
    let index = Index { name, unique, partial, columns: vec![column], plain, ..Index::default() };
    IndexPart { index, collations: vec![collation], definition }
}

/// The columns of foreign keys.
const FOREIGN_KEYS: &str = "SELECT n.key, k.id, k.\"table\", k.\"from\", k.\"to\", k.on_delete, k.on_update \
                            FROM json_each(?1) n JOIN pragma_foreign_key_list(n.value, 'main') k \
                            ORDER BY n.key, k.id DESC, k.seq";

/// A foreign key with one of its columns, after its number.
fn foreign_key<D: Driver>(row: &Cells<'_, D>) -> (i64, ForeignKey) {
    let columns = vec![(row.text(3), row.some_text(4))];
    let (on_delete, on_update) = (row.text(5), row.text(6));
    let (name, schema) = (None, None);
    (row.number(1), ForeignKey { name, table: row.text(2), schema, columns, on_delete, on_update })
}

/// The statements of indexes of words, each known by one of its triggers, and of their triggers.
fn searches() -> Text {
    Text::Assembled(format!(
        "SELECT n.key, x.name, s.sql FROM json_each(?1) n JOIN sqlite_schema t ON t.tbl_name = n.value COLLATE NOCASE \
        JOIN sqlite_schema x ON {OF_SEARCH} JOIN sqlite_schema s \
        ON s.name IN (x.name, x.name || '_insert', x.name || '_update', x.name || '_delete') \
        WHERE t.type = 'trigger' AND s.sql IS NOT NULL GROUP BY n.key, x.name, s.rowid \
        ORDER BY n.key, min(t.rowid), x.name, s.rowid"
    ))
}

/// An index of words with one of its statements.
fn search<D: Driver>(row: &Cells<'_, D>) -> SearchIndex {
    SearchIndex { name: row.text(1), create: vec![row.text(2)], create_concurrently: None }
}

/// An index of words with the statement that fills it.
fn rebuilt(mut search: SearchIndex) -> SearchIndex {
    let index = identifier::<Sqlite>(&search.name);
    search.create.push(format!("INSERT INTO {index} ({index}) VALUES ('rebuild')"));
    search
}

/// The indexes and triggers of a table that have a statement each: the names and the statements.
#[cfg(feature = "migrations")]
pub(super) async fn attached<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    table: &str,
) -> Result<Vec<(String, String)>, D::Error> {
    const SQL: &str = "SELECT name, sql FROM sqlite_schema \
                       WHERE tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid";
    cells::<D, _>(connection, SQL, Some(table), |row| (row.text(0), row.text(1))).await
}
