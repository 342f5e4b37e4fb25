//! The parameters of an import.

use super::query_string::check_names;
use super::{Parameter, boolean, flag, is_second, read_known, upsert};
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{FieldError, Problem};

/// The options of an import, without those of an upsert.
#[derive(Debug, Default)]
pub(crate) struct ImportQuery {
    /// Whether valid records are imported although others fail.
    pub(crate) partial: bool,
    /// Whether nothing is written.
    pub(crate) dry_run: bool,
    raw: Option<bool>,
}

const PARAMETERS: [Parameter<ImportQuery>; 3] = [
    Parameter {
        name: "mode",
        description: "`atomic` imports all records or none, `partial` each valid one.",
        schema: || Schema::choice(["atomic", "partial"]).with("default", "atomic"),
        read: |query, value| is_second(value, ["atomic", "partial"]).map(|partial| query.partial = partial),
    },
    flag(
        "dry_run",
        "Whether to check only: nothing is written, and the result is what it would be.",
        |query, value| boolean(value).map(|dry_run| query.dry_run = dry_run),
    ),
    flag(
        "raw",
        "CSV only: `true` keeps a `'` before a formula as part of the text; otherwise it is removed.",
        |query, value| boolean(value).map(|raw| query.raw = Some(raw)),
    ),
];

impl ImportQuery {
    /// Reads the parameters of an import. `is_csv`: the file is of comma-separated values.
    ///
    /// # Errors
    /// A validation problem with every invalid parameter.
    pub(crate) fn parse(query: Option<&str>, is_csv: bool) -> Result<Self, Problem> {
        let names = PARAMETERS.iter().map(|parameter| parameter.name).chain(upsert::NAMES);
        check_names(query, &names.collect::<Vec<_>>())?;
        let mut parsed = Self::default();
        read_known(query.unwrap_or_default(), &PARAMETERS, &mut parsed)?;
        if parsed.raw.is_some() && !is_csv {
            return Err(Problem::validation([FieldError::parameter("raw", "value", "is for `text/csv`")]));
        }
        Ok(parsed)
    }

    /// Whether texts of comma-separated values are taken as they are, a leading `'` included.
    pub(crate) fn is_raw(&self) -> bool {
        self.raw.unwrap_or(false)
    }
}

/// The parameters in the document.
pub(crate) fn document(resource: &'static Descriptor) -> Vec<ParameterObject> {
    let [mode, dry_run, raw] = PARAMETERS.each_ref().map(Parameter::document);
    [mode, dry_run].into_iter().chain(upsert::document(resource)).chain([raw]).collect()
}
