//! Facts of tables, from SQLite's schema.

use super::argument::Argument;
use super::inspect::{OF_SEARCH, cells};
use crate::column_names::{bracketed_length, column_names};
use crate::driver::{Connection, Driver};
use crate::facts::{Collected, unique};
use crate::quoted::quoted_length;
use crate::statement::Text;
use crate::storage::facts::{ColumnFacts, TableFacts, TriggerFacts};

/// The facts of these tables, of each that is there.
pub(super) async fn facts<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    tables: Vec<&'static str>,
) -> Result<Vec<TableFacts>, D::Error> {
    // A key without an index is the table's row number, which SQLite assigns. Other kinds of hidden columns are generated.
    const COLUMNS: &str = "SELECT s.name, c.name, NOT c.\"notnull\", c.dflt_value IS NOT NULL OR c.pk > 0 AND \
        NOT EXISTS (SELECT 1 FROM pragma_index_list(s.name, 'main') WHERE origin = 'pk'), c.hidden IN (2, 3) \
        FROM sqlite_schema s JOIN pragma_table_xinfo(s.name, 'main') c WHERE s.type = 'table' \
        AND s.sql NOT LIKE 'CREATE VIRTUAL%' AND EXISTS (SELECT 1 FROM json_each(?1) n WHERE n.value = s.name COLLATE NOCASE) \
        ORDER BY s.name, c.cid";
    // Of the others, SQLite reports the columns.
    const WITH_EXPRESSIONS: &str = "SELECT s.name, l.name, i.sql FROM sqlite_schema s \
        JOIN pragma_index_list(s.name, 'main') l JOIN sqlite_schema i ON i.type = 'index' AND i.name = l.name \
        WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%' AND l.\"unique\" \
        AND EXISTS (SELECT 1 FROM pragma_index_xinfo(l.name, 'main') k WHERE k.key = 1 AND k.cid = -2) \
        AND EXISTS (SELECT 1 FROM json_each(?1) n WHERE n.value = s.name COLLATE NOCASE) ORDER BY s.name, l.name";
    let names = serde_json::Value::from(tables).to_string();
    let mut found = Collected::default();
    let columns = cells::<D, _>(connection, COLUMNS, Some(&names), |row| {
        let mut column = ColumnFacts::new(row.text(1));
        (column.nullable, column.has_default, column.is_generated) = (row.is(2), row.is(3), row.is(4));
        (row.text(0), column)
    });
    for (table, column) in columns.await? {
        found.table(&table).columns.push(column);
    }
    let triggers = Text::Assembled(format!(
        "SELECT s.name, t.name, t.sql LIKE '%ignore%' FROM sqlite_schema s \
        JOIN sqlite_schema t ON t.type = 'trigger' AND t.tbl_name = s.name COLLATE NOCASE WHERE s.type = 'table' \
        AND EXISTS (SELECT 1 FROM json_each(?1) n WHERE n.value = s.name COLLATE NOCASE) \
        AND NOT EXISTS (SELECT 1 FROM sqlite_schema x WHERE {OF_SEARCH}) ORDER BY s.name, t.name"
    ));
    let triggers = cells::<D, _>(connection, triggers, Some(&names), |row| (row.text(0), row.text(1), row.is(2)));
    for (table, name, ignores) in triggers.await? {
        let mut trigger = TriggerFacts::new(name);
        // `RETURNING` has the record as it is before triggers after it; when one runs, its text alone says.
        (trigger.changes, trigger.changes_returned, trigger.leaves_out) = (true, true, ignores);
        found.table(&table).triggers.push(trigger);
    }
    let indexes =
        cells::<D, _>(connection, WITH_EXPRESSIONS, Some(&names), |row| (row.text(0), row.text(1), row.text(2)));
    for (table, index, definition) in indexes.await? {
        unique(found.table(&table), &index).columns = column_names(in_parentheses(&definition));
    }
    Ok(found.finish())
}

/// The list of an index in its definition: the text in the first parentheses.
fn in_parentheses(definition: &str) -> &str {
    let (mut place, mut begin, mut depth) = (0, 0, 0);
    while let Some(first) = definition[place..].chars().next() {
        let rest = &definition[place..];
        match first {
            '(' => {
                depth += 1;
                begin = if depth == 1 { place + 1 } else { begin };
            }
            ')' if depth <= 1 => return &definition[begin..place],
            ')' => depth -= 1,
            _ => {}
        }
        place += match first {
            '\'' | '"' | '`' => quoted_length(rest, first, false),
            '[' => bracketed_length(rest),
            other => other.len_utf8(),
        };
    }
    ""
}
