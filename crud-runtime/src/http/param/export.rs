//! The parameters of the file that an export returns.

use super::query_string::pairs;
use super::{Parameter, boolean, document, flag, is_second, read_known};
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::problem::{FieldError, Problem};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// A JSON object a line.
    Ndjson,
    /// A line for each record, below one with the fields' names. `raw`: texts are unescaped; without it, a text that a
    /// spreadsheet would take for a formula gets a leading `'`.
    Csv { raw: bool },
}

#[derive(Default)]
struct FileQuery {
    is_csv: bool,
    raw: Option<bool>,
}

const PARAMETERS: [Parameter<FileQuery>; 2] = [
    Parameter {
        name: "format",
        description: "The format of the file.",
        schema: || Schema::choice(["ndjson", "csv"]).with("default", "ndjson"),
        read: |query, value| is_second(value, ["ndjson", "csv"]).map(|is_csv| query.is_csv = is_csv),
    },
    flag(
        "raw",
        "CSV only: `true` writes texts unchanged; otherwise one that a spreadsheet would take for a formula begins with `'`.",
        |query, value| boolean(value).map(|raw| query.raw = Some(raw)),
    ),
];

/// The format that the parameters name, and the parameters of the list.
///
/// # Errors
/// A validation problem with every invalid parameter.
pub(crate) fn parse(query: &str) -> Result<(Format, String), Problem> {
    let mut file = FileQuery::default();
    read_known(query, &PARAMETERS, &mut file)?;
    let format = match file.raw {
        Some(_) if !file.is_csv => {
            return Err(Problem::validation([FieldError::parameter("raw", "value", "is for `format=csv`")]));
        }
        raw if file.is_csv => Format::Csv { raw: raw.unwrap_or(false) },
        _ => Format::Ndjson,
    };
    let is_of_list = |part: &&str| {
        let name = pairs(part).next().and_then(|(name, _)| name.ok());
        name.is_none_or(|name| PARAMETERS.iter().all(|parameter| parameter.name != name))
    };
    Ok((format, query.split('&').filter(is_of_list).collect::<Vec<_>>().join("&")))
}

/// The parameters in the document.
pub(crate) fn documented() -> Vec<ParameterObject> {
    document(&[&PARAMETERS])
}
