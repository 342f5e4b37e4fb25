//! Parameters of the service's own lists, each stated once: its name, its schema and sentence in the document, its parser.

#[cfg(feature = "jobs")]
pub(crate) mod jobs;
pub(crate) mod log;
#[cfg(feature = "auth")]
pub(crate) mod users;

use crud_shared::spelling;
use serde_json::Value as Json;

use crate::http::openapi::parameter::query_parameter;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::value::Kind;
use crate::query::parse::pairs;

/// A parameter of a list whose query is read into a `T`.
pub(crate) struct Parameter<T> {
    pub(crate) name: &'static str,
    /// The sentence of the document.
    pub(crate) description: &'static str,
    pub(crate) schema: fn() -> Json,
    /// Reads a value, or says what it must be.
    pub(crate) read: fn(&mut T, &str) -> Result<(), String>,
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
            let names = || legal().map(|parameter| parameter.name);
            let nearest = || spelling::nearest(&name, names()).map(str::to_owned);
            errors.push_unknown(nearest, |hint| {
                let detail = format!("is not a parameter; parameters are {}{hint}", scalar::listed(names()));
                FieldError::parameter(&*name, "unknown_parameter", detail)
            });
            continue;
        };
        if seen.contains(&parameter.name) {
            errors.push(FieldError::parameter(parameter.name, "duplicate", "must be given only once"));
            continue;
        }
        seen.push(parameter.name);
        if let Err(detail) = (parameter.read)(into, &value) {
            errors.push(FieldError::parameter(parameter.name, "value", detail));
        }
    }
    errors.into_result(())
}

/// The parameters in the document.
pub(crate) fn document<T>(parameters: &[&[Parameter<T>]]) -> Vec<Json> {
    let parameters = parameters.iter().copied().flatten();
    parameters.map(|parameter| query_parameter(parameter.name, parameter.description, &(parameter.schema)())).collect()
}

/// A text without control characters that no database stores.
fn plain_text(value: &str) -> Result<String, String> {
    scalar::plain_text(value).map_err(|error| error.message().to_owned())?;
    Ok(value.to_owned())
}

fn integer(value: &str) -> Result<i64, String> {
    scalar::integer(Kind::I64, value).map_err(|error| error.message().to_owned())
}

/// A number between two.
fn number(value: &str, min: u64, max: u64) -> Result<u64, String> {
    let number = u64::try_from(integer(value)?).ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("must be between {min} and {max}"))
}
