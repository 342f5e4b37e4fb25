//! Comma-separated values (RFC 4180) as JSON, which bodies are read from.
//!
//! An empty cell is null, or no value where the field cannot be null; `""` is an empty text. The `'` that an
//! [export](crate::http::render::csv) puts before a formula is removed.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use crate::http::body::push_unknown_field;
use crate::http::render::csv::is_guarded;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::value::Kind;
use crate::query::visibility::FieldVisibility;

/// A cell of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cell<'a> {
    text: Cow<'a, str>,
    is_quoted: bool,
}

/// The fields of a file's columns.
#[derive(Debug)]
pub(super) struct Header {
    /// `None` for a column that storage sets, which is exported but not imported.
    columns: Vec<Option<&'static ColumnDescriptor>>,
}

impl Header {
    /// Reads the line of the fields' names.
    ///
    /// # Errors
    /// `validation_failed` for names that are not fields, or are there twice.
    pub(super) fn read(resource: &'static Descriptor, view: &FieldVisibility, line: &str) -> Result<Self, Problem> {
        let mut errors = FieldErrors::default();
        let mut columns = Vec::new();
        let mut seen: Vec<usize> = Vec::new();
        for name in cells(line)? {
            let name = name.text.trim();
            let Some((index, column)) = resource.json_field(name).filter(|(index, _)| view.shows(*index)) else {
                push_unknown_field(resource, view, name, &mut errors);
                continue;
            };
            if seen.contains(&index) {
                errors.push(FieldError::field(name, "duplicate", "must be given only once"));
            }
            seen.push(index);
            columns.push(Some(column).filter(|column| !column.is_managed()));
        }
        errors.into_result(Self { columns })
    }

    /// The record of a line as a JSON object.
    ///
    /// # Errors
    /// `validation_failed` where the numbers of cells in line and header differ, or a JSON field's cell is not JSON.
    pub(super) fn object(&self, line: &str, raw: bool) -> Result<Vec<u8>, Problem> {
        let cells = cells(line)?;
        if cells.len() != self.columns.len() {
            let detail = format!("has {} cells, and the first line has {}", cells.len(), self.columns.len());
            return Err(Problem::validation([FieldError::whole("cells", detail)]));
        }
        let mut errors = FieldErrors::default();
        let mut object = Vec::with_capacity(line.len() + 16 * cells.len());
        object.push(b'{');
        for (column, cell) in self.columns.iter().zip(cells) {
            let Some(column) = column else { continue };
            if cell.text.is_empty() && !cell.is_quoted && !column.nullable {
                continue;
            }
            if object.len() > 1 {
                object.push(b',');
            }
            write_string(&mut object, column.json);
            object.push(b':');
            if write_cell(&mut object, column, &cell, raw).is_err() {
                errors.push(FieldError::field(column.json, "type", "must be JSON"));
            }
        }
        object.push(b'}');
        errors.into_result(object)
    }
}

/// The cells of a line.
fn cells(line: &str) -> Result<Vec<Cell<'_>>, Problem> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let Some(quoted) = rest.strip_prefix('"') else {
            let (text, next) = rest.split_once(',').map_or((rest, None), |(text, next)| (text, Some(next)));
            cells.push(Cell { text: Cow::Borrowed(text), is_quoted: false });
            match next {
                Some(next) => rest = next,
                None => return Ok(cells),
            }
            continue;
        };
        let (text, behind) = unquoted(quoted);
        cells.push(Cell { text, is_quoted: true });
        match behind.strip_prefix(',') {
            Some(next) => rest = next,
            None if behind.is_empty() => return Ok(cells),
            None => {
                let detail = "has text behind a quoted cell: a quote in quotes is written twice";
                return Err(Problem::validation([FieldError::whole("quote", detail)]));
            }
        }
    }
}

/// The text up to its closing quote, and the text after the quote.
fn unquoted(text: &str) -> (Cow<'_, str>, &str) {
    let mut from = 0;
    while let Some(quote) = text[from..].find('"').map(|at| from + at) {
        if !text[quote + 1..].starts_with('"') {
            let inner = &text[..quote];
            let inner = if from == 0 { Cow::Borrowed(inner) } else { Cow::Owned(inner.replace("\"\"", "\"")) };
            return (inner, &text[quote + 1..]);
        }
        from = quote + 2;
    }
    // Not reached: a line ends only where its quotes are closed.
    (Cow::Borrowed(text), "")
}

/// Writes a cell as JSON. It is an error where the field is JSON and the cell is not.
fn write_cell(out: &mut Vec<u8>, column: &ColumnDescriptor, cell: &Cell<'_>, raw: bool) -> Result<(), ()> {
    let text = &*cell.text;
    if text.is_empty() && !cell.is_quoted {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    match column.kind {
        Kind::Text | Kind::Enum(_) => {
            write_string(out, if raw { text } else { without_guard(text) });
        }
        Kind::Json | Kind::TextList | Kind::List(_) => {
            serde_json::from_str::<IgnoredAny>(text).map_err(drop)?;
            out.extend_from_slice(text.as_bytes());
        }
        Kind::Bool | Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::F32 | Kind::F64 => {
            // Spreadsheets write booleans as `TRUE` and `FALSE`.
            let text = match scalar::boolean(&text.trim().to_ascii_lowercase()) {
                Ok(value) if column.kind == Kind::Bool => Cow::Borrowed(if value { "true" } else { "false" }),
                _ => Cow::Borrowed(text.trim()),
            };
            match serde_json::from_str::<serde_json::Number>(&text) {
                Err(_) if !matches!(&*text, "true" | "false") => write_string(out, &text),
                _ => out.extend_from_slice(text.as_bytes()),
            }
        }
        _ => write_string(out, text.trim()),
    }
    Ok(())
}

/// The text without the `'` that guards it from being a spreadsheet's formula.
fn without_guard(text: &str) -> &str {
    text.strip_prefix('\'').filter(|text| is_guarded(text)).unwrap_or(text)
}

fn write_string(out: &mut Vec<u8>, text: &str) {
    // Writing a text to memory does not fail.
    drop(serde_json::to_writer(out, text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::column::Column;

    fn texts(line: &str) -> Vec<(String, bool)> {
        cells(line).expect("cells").into_iter().map(|cell| (cell.text.into_owned(), cell.is_quoted)).collect()
    }

    #[test]
    fn cells_are_between_commas_and_in_quotes() {
        let plain = |text: &str| (text.to_owned(), false);
        let quoted = |text: &str| (text.to_owned(), true);
        assert_eq!(texts("a,,b"), [plain("a"), plain(""), plain("b")]);
        assert_eq!(
            texts("\"\",\"a,\"\"b\"\"\",5\" disk,"),
            [quoted(""), quoted("a,\"b\""), plain("5\" disk"), plain("")]
        );
        assert_eq!(texts("\"\"\"\""), [quoted("\"")]);
        assert!(cells("\"a\"b,c").is_err());
    }

    #[test]
    fn a_cell_is_the_json_of_its_field() {
        let written = |column: &ColumnDescriptor, text: &'static str, is_quoted| {
            let mut out = Vec::new();
            let cell = Cell { text: Cow::Borrowed(text), is_quoted };
            write_cell(&mut out, column, &cell, false).ok()?;
            String::from_utf8(out).ok()
        };
        let (number, flag) = (i64::TYPE.column("a", "\"a\":"), bool::TYPE.column("a", "\"a\":"));
        let (text, json) = (String::TYPE.column("a", "\"a\":"), serde_json::Value::TYPE.column("a", "\"a\":"));
        for (column, cell, expected) in [
            (&number, " 7 ", Some("7")),
            (&number, "true", Some("true")),
            (&number, "x7", Some("\"x7\"")),
            (&number, "{}", Some("\"{}\"")),
            (&flag, "TRUE", Some("true")),
            (&flag, "yes", Some("\"yes\"")),
            (&text, "7", Some("\"7\"")),
            (&text, "'=1+1", Some("\"=1+1\"")),
            (&text, "'\n=1+1", Some("\"\\n=1+1\"")),
            (&text, "'＝1+1", Some("\"＝1+1\"")),
            (&text, "''=1+1", Some("\"'=1+1\"")),
            (&text, "'tis", Some("\"'tis\"")),
            (&text, "", Some("null")),
            (&json, "{\"a\":1}", Some("{\"a\":1}")),
            (&json, "{", None),
        ] {
            assert_eq!(written(column, cell, false).as_deref(), expected, "{cell}");
        }
        assert_eq!(written(&text, "", true).as_deref(), Some("\"\""));
    }
}
