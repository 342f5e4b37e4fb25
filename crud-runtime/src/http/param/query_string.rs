//! Query strings: their bounds, split and decoded.

use std::borrow::Cow;

use crud_shared::spelling;
use percent_encoding::percent_decode;

use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::scalar;

/// The largest size of a query string, in bytes as sent.
const MAX_BYTES: usize = 8 * 1024;

/// The largest number of parameters, unknown ones included.
const MAX_PARAMETERS: usize = 200;

/// A decoded name or value; an error where it is not percent-encoded UTF-8.
type Decoded<'a> = Result<Cow<'a, str>, ()>;

/// Checks that a query string is bounded, before anything reads it.
///
/// # Errors
/// `query_too_long`; `query_too_complex` when it has too many parameters.
pub(crate) fn check_bounds(query: Option<&str>) -> Result<(), Problem> {
    let query = query.unwrap_or_default();
    if query.len() > MAX_BYTES {
        let detail = format!("the query string must have at most {MAX_BYTES} bytes");
        return Err(Problem::new(Code::QueryTooLong, detail));
    }
    if parts(query).nth(MAX_PARAMETERS).is_some() {
        let detail = format!("the query string must have at most {MAX_PARAMETERS} parameters");
        return Err(Problem::new(Code::QueryTooComplex, detail));
    }
    Ok(())
}

/// The parameters of a query string (WHATWG URL, section 5), but strictly UTF-8.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (Decoded<'_>, Decoded<'_>)> {
    parts(query).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

/// The value of the first parameter of this name, if it is UTF-8.
pub(crate) fn first_parameter(query: &str, name: &str) -> Option<String> {
    let found = pairs(query).find(|(key, _)| key.as_deref() == Ok(name));
    found.and_then(|(_, value)| value.ok()).map(Cow::into_owned)
}

/// Refuses parameters other than these.
///
/// # Errors
/// `validation_failed`, naming each.
pub(crate) fn check_names(query: Option<&str>, legal: &[&'static str]) -> Result<(), Problem> {
    let Some(query) = query else { return Ok(()) };
    let mut errors = FieldErrors::default();
    for (name, _) in pairs(query) {
        let Ok(name) = name else {
            errors.push(FieldError::parameter("query", "encoding", "a parameter's name must be percent-encoded UTF-8"));
            continue;
        };
        if !legal.contains(&&*name) {
            reject_unknown(&mut errors, &name, legal, "request");
        }
    }
    errors.into_result(())
}

/// Adds the error of a parameter that a request or a route with these parameters does not have.
pub(crate) fn reject_unknown(errors: &mut FieldErrors, name: &str, legal: &[&'static str], taker: &str) {
    let nearest = || spelling::nearest(name, legal.iter().copied()).map(str::to_owned);
    errors.push_unknown(nearest, |hint| {
        let detail = if legal.is_empty() {
            format!("is not a parameter: this {taker} takes none")
        } else {
            format!("is not a parameter; parameters are {}{hint}", scalar::listed(legal.iter().copied()))
        };
        FieldError::parameter(name, "unknown_parameter", detail)
    });
}

fn parts(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').filter(|pair| !pair.is_empty())
}

fn decode(text: &str) -> Decoded<'_> {
    if !text.contains('+') {
        return percent_decode(text.as_bytes()).decode_utf8().map_err(drop);
    }
    let spaced = text.replace('+', " ");
    percent_decode(spaced.as_bytes()).decode_utf8().map(|text| Cow::Owned(text.into_owned())).map_err(drop)
}
