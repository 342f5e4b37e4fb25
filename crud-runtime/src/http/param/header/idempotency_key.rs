//! The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::descriptor::{Descriptor, Idempotency, Operation};
use crate::model::problem::{Code, FieldError, Problem};

pub(crate) static IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The header of a replayed answer: the answer of an earlier request with the key.
pub(crate) static IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The greatest number of characters in a key.
const MAX_LENGTH: usize = 255;

/// The key of a request.
///
/// # Errors
/// `validation_failed` when it is malformed or there are several; `idempotency_key_required` when there is none and the
/// resource requires one.
pub(crate) fn of(headers: &HeaderMap, options: Idempotency) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all(&IDEMPOTENCY_KEY).iter();
    match (values.next(), values.next()) {
        (None, _) if options.required => Err(Problem::of(Code::IdempotencyKeyRequired)),
        (None, _) => Ok(None),
        (Some(value), None) => parse(value).map(Some).ok_or_else(invalid),
        (Some(_), Some(_)) => Err(invalid()),
    }
}

/// Checks the key of a request that also changes records of another resource.
///
/// # Errors
/// Errors of [`of`], where that resource has idempotency keys.
pub(crate) fn check(headers: &HeaderMap, other: &Descriptor, operation: Operation) -> Result<(), Problem> {
    match other.idempotency_of(operation) {
        Some(options) => of(headers, options).map(drop),
        None => Ok(()),
    }
}

/// Refuses a key in a change of a resource without idempotency keys: its sender would repeat the change, which would be
/// carried out twice.
///
/// # Errors
/// `validation_failed` when there is one.
pub(crate) fn refuse(headers: &HeaderMap, resource: &Descriptor) -> Result<(), Problem> {
    if !headers.contains_key(&IDEMPOTENCY_KEY) {
        return Ok(());
    }
    let detail = format!("must be absent: a repeated change of {} is a second one", resource.name);
    Err(Problem::validation([FieldError::parameter(IDEMPOTENCY_KEY.as_str(), "unknown", detail)]))
}

/// The header in the document.
pub(crate) fn document(options: Idempotency) -> ParameterObject {
    let component = if options.required { "RequiredIdempotencyKey" } else { "IdempotencyKey" };
    let description = "The request's own key, such as a UUID: a request that is repeated with it is carried out once, and \
                       gets the first one's answer.";
    // The quotes around the key count too.
    let schema = Schema::text().with("minLength", 1).with("maxLength", MAX_LENGTH + 2);
    let header = ParameterObject::header(component, "Idempotency-Key", description, schema);
    ParameterObject { is_required: options.required, ..header }
}

/// A key: bare, or a string of RFC 9651 in double quotes, where `\"` and `\\` stand for `"` and `\`.
fn parse(value: &HeaderValue) -> Option<String> {
    let text = value.to_str().ok()?.trim();
    let key = match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted)?,
        None => text.to_owned(),
    };
    let is_key = (1..=MAX_LENGTH).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    is_key.then_some(key)
}

/// The characters of a string without its first quote.
fn unquoted(quoted: &str) -> Option<String> {
    let mut key = String::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => key.push(characters.next().filter(|escaped| matches!(escaped, '"' | '\\'))?),
            '"' => return characters.as_str().is_empty().then_some(key),
            other => key.push(other),
        }
    }
    None
}

fn invalid() -> Problem {
    let detail = format!("must be one key of 1 to {MAX_LENGTH} visible ASCII characters, bare or in double quotes");
    Problem::validation([FieldError::parameter(IDEMPOTENCY_KEY.as_str(), "type", detail)])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn key(values: &[&'static str]) -> Result<Option<String>, Code> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&IDEMPOTENCY_KEY, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        of(&headers, Idempotency::new(Duration::from_hours(24))).map_err(|problem| problem.code())
    }

    #[test]
    fn a_key_is_bare_or_a_quoted_string() {
        for (value, expected) in
            [("k-1", "k-1"), ("\"k-1\"", "k-1"), (r#""a\"b\\c""#, r#"a"b\c"#), (r#"a"b"#, r#"a"b"#), (" k ", "k")]
        {
            assert_eq!(key(&[value]), Ok(Some(expected.to_owned())), "{value}");
        }
        let longest = "k".repeat(255).leak();
        assert_eq!(key(&[longest]), Ok(Some(longest.to_owned())));
    }

    #[test]
    fn malformed_and_repeated_keys_are_refused() {
        let long = "k".repeat(256).leak();
        for value in ["", "\"\"", "\"k", "\"k\";a=1", r#""a\b""#, "two words", "\"two words\"", "é", long] {
            assert_eq!(key(&[value]), Err(Code::ValidationFailed), "{value}");
        }
        assert_eq!(key(&["a", "a"]), Err(Code::ValidationFailed));
    }

    #[test]
    fn a_missing_key_is_refused_where_it_is_required() {
        assert_eq!(key(&[]), Ok(None));
        let required = of(&HeaderMap::new(), Idempotency::new(Duration::from_hours(24)).required()).unwrap_err();
        assert_eq!(required.code(), Code::IdempotencyKeyRequired);
    }
}
