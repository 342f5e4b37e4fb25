//! Records as lines of comma-separated values (RFC 4180).
//!
//! Null is an empty cell, and an empty text is `""`. Values are written as in JSON, texts without quotes. A text that a
//! spreadsheet would take for a formula gets a `'` before it (<https://owasp.org/www-community/attacks/CSV_Injection>).

use serde_json::Value;

use super::converted::ConvertedFields;
use super::unreadable::Unreadable;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::json::write_value;
use crate::model::row::Row;
use crate::model::value::{Kind, ValueRef};
use crate::query::expansion::Expansion;
use crate::query::visibility::{FieldVisibility, Visibility};

/// Writes the line of the fields' names.
pub(crate) fn write_header(out: &mut Vec<u8>, resource: &'static Descriptor, view: &FieldVisibility) {
    for (position, (_, column)) in view.returned(resource).enumerate() {
        separate(out, position);
        write_text(out, column.json.as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

/// Writes the line of a record. With `raw`, texts are unescaped. The cell of a value that cannot be read is empty.
///
/// # Errors
/// Errors of reading the row.
pub(crate) fn write_record(
    out: &mut Vec<u8>,
    resource: &'static Descriptor,
    view: &FieldVisibility,
    row: &dyn Row,
    raw: bool,
) -> Result<(), AdapterError> {
    let mut unreadable = Unreadable::default();
    let computed = ConvertedFields::of(resource, view, row)?;
    for (position, (index, column)) in view.returned(resource).enumerate() {
        separate(out, position);
        write_cell(out, column, computed.value(&mut unreadable, index, row)?, raw);
    }
    out.extend_from_slice(b"\r\n");
    Ok(())
}

/// A column of a file with expanded records.
pub(crate) struct Cell {
    /// The names of the members that lead to the cell's value.
    path: Vec<&'static str>,
    kind: Kind,
}

/// The columns of records and of records that they refer to, such as `category.name`. A list of expanded records is one
/// column, of JSON.
pub(crate) fn cells(
    resource: &'static Descriptor,
    view: &FieldVisibility,
    expansions: &[Expansion],
    visibility: Visibility<'_>,
) -> Vec<Cell> {
    let mut cells = Vec::new();
    add_cells(&mut cells, &[], resource, view, expansions, visibility);
    cells
}

fn add_cells(
    cells: &mut Vec<Cell>,
    path: &[&'static str],
    resource: &'static Descriptor,
    view: &FieldVisibility,
    expansions: &[Expansion],
    visibility: Visibility<'_>,
) {
    let inside = |name| [path, &[name]].concat();
    cells.extend(view.returned(resource).map(|(_, column)| Cell { path: inside(column.json), kind: column.kind }));
    for expansion in expansions {
        let (name, target) = (expansion.of.name, expansion.of.target);
        if expansion.of.limit().is_some() {
            cells.push(Cell { path: inside(name), kind: Kind::Json });
        } else {
            add_cells(cells, &inside(name), target, &visibility.fields(target), &expansion.inside, visibility);
        }
    }
}

/// Writes the line of the columns' names.
pub(crate) fn write_names(out: &mut Vec<u8>, cells: &[Cell]) {
    for (position, cell) in cells.iter().enumerate() {
        separate(out, position);
        write_text(out, cell.path.join(".").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

/// Writes the line of a record, which is JSON.
pub(crate) fn write_cells(out: &mut Vec<u8>, cells: &[Cell], record: &[u8], raw: bool) {
    let record: Value = serde_json::from_slice(record).unwrap_or_default();
    for (position, cell) in cells.iter().enumerate() {
        separate(out, position);
        let value = cell.path.iter().try_fold(&record, |value, name| value.get(name));
        if let Some(value) = value.filter(|value| !value.is_null()) {
            write_json(out, cell.kind, value.to_string().as_bytes(), raw);
        }
    }
    out.extend_from_slice(b"\r\n");
}

fn separate(out: &mut Vec<u8>, position: usize) {
    if position > 0 {
        out.push(b',');
    }
}

fn write_cell(out: &mut Vec<u8>, column: &ColumnDescriptor, value: ValueRef<'_>, raw: bool) {
    if matches!(value, ValueRef::Null) {
        return;
    }
    let mut json = Vec::new();
    write_value(&mut json, column, value);
    write_json(out, column.kind, &json, raw);
}

/// Writes a cell with a JSON value of this kind.
fn write_json(out: &mut Vec<u8>, kind: Kind, json: &[u8], raw: bool) {
    // JSON stays JSON, so that it can be told from text.
    if matches!(kind, Kind::Json | Kind::TextList | Kind::List(_)) || json.first() != Some(&b'"') {
        return write_text(out, json);
    }
    let text = serde_json::from_slice::<String>(json).unwrap_or_default();
    let is_text = matches!(kind, Kind::Text | Kind::Enum(_));
    if is_text && !raw && is_guarded(&text) {
        return write_text(out, format!("'{text}").as_bytes());
    }
    write_text(out, text.as_bytes());
}

/// Whether an export puts a `'` before a text, because it begins a formula. A text that has a `'` before its formula gets
/// a second one: an import removes one.
pub(crate) fn is_guarded(text: &str) -> bool {
    begins_formula(text.trim_start_matches('\''))
}

/// Whether a spreadsheet may take a text for a formula. Some spreadsheets skip a line break before a formula, and
/// accept full-width forms of its first characters.
fn begins_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

/// Writes a cell, in quotes where it needs them.
fn write_text(out: &mut Vec<u8>, text: &[u8]) {
    let needs_quotes = text.is_empty()
        || text.iter().any(|byte| matches!(byte, b'"' | b',' | b'\r' | b'\n'))
        || text.first() == Some(&b' ')
        || text.last() == Some(&b' ');
    if !needs_quotes {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    for byte in text {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::column::Column;

    fn cell(column: &ColumnDescriptor, value: ValueRef<'_>, raw: bool) -> String {
        let mut out = Vec::new();
        write_cell(&mut out, column, value, raw);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_formula_is_a_text() {
        let text = Option::<String>::TYPE.column("text", "\"text\":");
        for (value, expected) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@a", "'@a"),
            ("\ta", "'\ta"),
            ("\ra", "\"'\ra\""),
            ("\n=1+1", "\"'\n=1+1\""),
            ("＝1+1", "'＝1+1"),
            ("＋1", "'＋1"),
            ("－1", "'－1"),
            ("＠a", "'＠a"),
            ("a=1", "a=1"),
            ("=\"a\",b", "\"'=\"\"a\"\",b\""),
            ("", "\"\""),
            (" a", "\" a\""),
            ("a\nb", "\"a\nb\""),
            ("null", "null"),
        ] {
            assert_eq!(cell(&text, ValueRef::Text(value), false), expected);
        }
        assert_eq!(cell(&text, ValueRef::Text("=1+1"), true), "=1+1");
        assert_eq!(cell(&text, ValueRef::Null, false), "");
        let number = i64::TYPE.column("number", "\"number\":");
        assert_eq!(cell(&number, ValueRef::Int(-5), false), "-5");
    }
}
