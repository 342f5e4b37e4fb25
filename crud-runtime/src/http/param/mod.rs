//! Parameters, each stated once: its name, its schema and sentence in the document, its parser.

pub(crate) mod aggregate;
pub(crate) mod export;
pub(crate) mod header;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod path_key;
pub(crate) mod query_string;
pub(crate) mod record;
pub(crate) mod upsert;

use self::query_string::{pairs, reject_unknown};
use super::description::json_schema::Schema;
use super::description::operation_doc::ParameterObject;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::value::Kind;

/// A parameter of requests whose query is read into a `T`.
pub(crate) struct Parameter<T> {
    pub(crate) name: &'static str,
    /// The description in the document.
    pub(crate) description: &'static str,
    pub(crate) schema: fn() -> Schema,
    pub(crate) read: fn(&mut T, &str) -> Result<(), Refused>,
}

/// The code and the sentence about a refused value.
pub(crate) struct Refused {
    code: &'static str,
    detail: String,
}

impl Refused {
    fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }
}

impl<T: Into<String>> From<T> for Refused {
    fn from(detail: T) -> Self {
        Self::new("value", detail)
    }
}

/// Reads a query string.
///
/// # Errors
/// A validation problem with every invalid parameter.
pub(crate) fn read<T>(query: &str, parameters: &[&[Parameter<T>]], into: &mut T) -> Result<(), Problem> {
    let legal = || parameters.iter().copied().flatten();
    let mut errors = FieldErrors::default();
    let mut seen: Vec<&'static str> = Vec::new();
    for (name, value) in pairs(query) {
        let (Ok(name), Ok(value)) = (name, value) else {
            errors.push(FieldError::parameter("query", "encoding", "must be percent-encoded UTF-8"));
            continue;
        };
        let Some(parameter) = legal().find(|parameter| parameter.name == name) else {
            let legal: Vec<_> = legal().map(|parameter| parameter.name).collect();
            reject_unknown(&mut errors, &name, &legal, "request");
            continue;
        };
        read_one(parameter, &value, &mut seen, &mut errors, into);
    }
    errors.into_result(())
}

/// Reads these parameters of a query string; other parameters are ignored.
///
/// # Errors
/// A validation problem with every invalid parameter.
pub(crate) fn read_known<T>(query: &str, parameters: &[Parameter<T>], into: &mut T) -> Result<(), Problem> {
    let mut errors = FieldErrors::default();
    let mut seen: Vec<&'static str> = Vec::new();
    for (name, value) in pairs(query) {
        let Some(parameter) = parameters.iter().find(|parameter| name.as_deref() == Ok(parameter.name)) else {
            continue;
        };
        match value {
            Ok(value) => read_one(parameter, &value, &mut seen, &mut errors, into),
            Err(()) => errors.push(FieldError::parameter(parameter.name, "encoding", "must be percent-encoded UTF-8")),
        }
    }
    errors.into_result(())
}

fn read_one<T>(
    parameter: &Parameter<T>,
    value: &str,
    seen: &mut Vec<&'static str>,
    errors: &mut FieldErrors,
    into: &mut T,
) {
    if seen.contains(&parameter.name) {
        errors.push(FieldError::parameter(parameter.name, "duplicate", "must be given only once"));
        return;
    }
    seen.push(parameter.name);
    if let Err(Refused { code, detail }) = (parameter.read)(into, value) {
        errors.push(FieldError::parameter(parameter.name, code, detail));
    }
}

/// The parameters in the document.
pub(crate) fn document<T>(parameters: &[&[Parameter<T>]]) -> Vec<ParameterObject> {
    parameters.iter().copied().flatten().map(Parameter::document).collect()
}

impl<T> Parameter<T> {
    /// The parameter in the document.
    fn document(&self) -> ParameterObject {
        ParameterObject::query(self.name, self.description, (self.schema)())
    }
}

/// A parameter that is true or false, and false by default.
const fn flag<T>(
    name: &'static str,
    description: &'static str,
    read: fn(&mut T, &str) -> Result<(), Refused>,
) -> Parameter<T> {
    Parameter { name, description, schema: || Schema::boolean().with("default", false), read }
}

/// Reads one of two words, and returns whether it is the second.
fn is_second(value: &str, words: [&str; 2]) -> Result<bool, Refused> {
    let position = words.iter().position(|word| *word == value);
    position.map(|at| at == 1).ok_or_else(|| format!("must be `{}` or `{}`", words[0], words[1]).into())
}

fn boolean(value: &str) -> Result<bool, Refused> {
    scalar::boolean(value).map_err(|error| Refused::new("type", error.message()))
}

/// A text without the control characters that no database can store.
fn plain_text(value: &str) -> Result<String, Refused> {
    scalar::plain_text(value).map_err(|error| error.message().to_owned())?;
    Ok(value.to_owned())
}

fn integer(value: &str) -> Result<i64, Refused> {
    scalar::integer(Kind::I64, value).map_err(|error| error.message().into())
}

/// A number between `min` and `max`.
fn number(value: &str, min: u64, max: u64) -> Result<u64, Refused> {
    let number = u64::try_from(integer(value)?).ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("must be between {min} and {max}").into())
}

/// The schema of a page size.
fn limit_schema(max: u64, default: u64) -> Schema {
    Schema::integer().with("minimum", 1).with("maximum", max).with("default", default)
}
