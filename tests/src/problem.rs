//! [`Problem`]: the body of an error answer, checked against the table of CONTRACT.md section 3.

use std::fmt;

use serde_json::{Map, Value};

/// The table: code, status, title. Copied from the contract, not from the runtime, which it judges.
const TABLE: [(&str, u16, &str); 26] = [
    ("malformed_json", 400, "Bad Request"),
    ("unsupported_media_type", 415, "Unsupported Media Type"),
    ("body_too_large", 413, "Content Too Large"),
    ("validation_failed", 422, "Unprocessable Content"),
    ("not_found", 404, "Not Found"),
    ("route_not_found", 404, "Not Found"),
    ("method_not_allowed", 405, "Method Not Allowed"),
    ("conflict", 409, "Conflict"),
    ("reference_not_found", 409, "Conflict"),
    ("referenced", 409, "Conflict"),
    ("not_deleted", 409, "Conflict"),
    ("history_incomplete", 409, "Conflict"),
    ("batch_too_large", 422, "Unprocessable Content"),
    ("constraint_failed", 422, "Unprocessable Content"),
    ("precondition_failed", 412, "Precondition Failed"),
    ("unavailable", 503, "Service Unavailable"),
    ("request_timeout", 408, "Request Timeout"),
    ("timeout", 504, "Gateway Timeout"),
    ("authentication_failed", 401, "Unauthorized"),
    ("invalid_token", 401, "Unauthorized"),
    ("token_expired", 401, "Unauthorized"),
    ("invalid_credentials", 401, "Unauthorized"),
    ("refresh_failed", 401, "Unauthorized"),
    ("permission_denied", 403, "Forbidden"),
    ("too_many_requests", 429, "Too Many Requests"),
    ("internal", 500, "Internal Server Error"),
];

const MEMBERS: [&str; 7] = ["type", "title", "status", "code", "detail", "errors", "request_id"];

/// A problem document (RFC 9457) that has been found to be well-formed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem.
    pub code: String,
    /// The sentence for people.
    pub detail: String,
    /// The places, in the order of the document.
    pub errors: Vec<Place>,
}

/// One place of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The item of a batch, from 0.
    pub index: Option<usize>,
    /// `pointer /price`, `parameter limit`; empty for an item that is wrong as a whole.
    pub at: String,
    /// What kind of mistake.
    pub code: String,
    /// What is wrong there.
    pub detail: String,
}

impl Problem {
    /// Reads a problem document.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(status: u16, body: &Value) -> Result<Self, String> {
        let members = body.as_object().ok_or("is no object")?;
        if let Some(unknown) = members.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
            return Err(format!("has the member `{unknown}`, which the contract does not have"));
        }
        let code = text(members, "code")?;
        let (_, code_status, title) =
            TABLE.into_iter().find(|row| row.0 == code).ok_or_else(|| format!("has the unknown code `{code}`"))?;
        expect(members, "type", &Value::from("about:blank"))?;
        expect(members, "title", &Value::from(title))?;
        expect(members, "status", &Value::from(status))?;
        if code_status != status {
            return Err(format!("has the code `{code}`, which belongs to {code_status}, under {status}"));
        }
        if (code == "internal") != members.contains_key("request_id") {
            return Err("has a `request_id` exactly when it is internal: it has not".to_owned());
        }
        let errors = members.get("errors").map_or(Ok(Vec::new()), places)?;
        if code == "validation_failed" && errors.is_empty() {
            return Err("does not say where the mistake is".to_owned());
        }
        let detail = text(members, "detail")?;
        check_detail(&detail, &errors)?;
        Ok(Self { code, detail, errors })
    }

    /// The pointers of its places, sorted.
    pub fn pointers(&self) -> Vec<&str> {
        self.places("pointer ")
    }

    /// The parameters of its places, sorted.
    pub fn parameters(&self) -> Vec<&str> {
        self.places("parameter ")
    }

    /// The places in a batch, as `(index, pointer)` in the order of the document; an item that is wrong as a whole
    /// has no pointer.
    ///
    /// # Panics
    /// When one is not in an item of a batch.
    #[track_caller]
    pub fn items(&self) -> Vec<(usize, &str)> {
        let item = |place: &'_ Place| place.index.unwrap_or_else(|| panic!("every place is in an item: {self}"));
        let pointer = |place: &'_ Place| place.at.len().min("pointer ".len());
        self.errors.iter().map(|place| (item(place), &place.at[pointer(place)..])).collect()
    }

    fn places(&self, kind: &str) -> Vec<&str> {
        let mut places: Vec<_> = self.errors.iter().map(|place| place.at.as_str()).collect();
        places.sort_unstable();
        let of_kind: Vec<_> = places.iter().filter_map(|at| at.strip_prefix(kind)).collect();
        assert_eq!(places.len(), of_kind.len(), "every place is a {kind}: {self}");
        of_kind
    }

    /// The detail of its only place.
    ///
    /// # Panics
    /// When it has several places, or none.
    #[track_caller]
    pub fn only(&self) -> &Place {
        let [only] = self.errors.as_slice() else { panic!("has one place: {self}") };
        only
    }

    /// The detail of the place at a pointer or parameter.
    ///
    /// # Panics
    /// When there is no such place.
    #[track_caller]
    pub fn at(&self, place: &str) -> &str {
        let found = self.errors.iter().find(|error| error.at.split_once(' ').is_some_and(|(_, at)| at == place));
        found.map_or_else(|| panic!("has a place at {place}: {self}"), |place| &place.detail)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)?;
        self.errors.iter().try_for_each(|place| write!(f, "\n  {}: {}", place.at, place.detail))
    }
}

fn text(members: &Map<String, Value>, name: &str) -> Result<String, String> {
    let text = members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("has no text as `{name}`"))
}

fn expect(members: &Map<String, Value>, name: &str, expected: &Value) -> Result<(), String> {
    match members.get(name) {
        Some(value) if value == expected => Ok(()),
        other => Err(format!("has {other:?} as `{name}`, not {expected}")),
    }
}

fn places(errors: &Value) -> Result<Vec<Place>, String> {
    match errors.as_array() {
        Some(errors) if !errors.is_empty() => errors.iter().map(place).collect(),
        _ => Err("has `errors` that are no list, or empty".to_owned()),
    }
}

fn place(error: &Value) -> Result<Place, String> {
    let members = error.as_object().ok_or("has an error that is no object")?;
    let index = match members.get("index") {
        Some(index) => {
            Some(index.as_u64().and_then(|index| usize::try_from(index).ok()).ok_or("has no index as `index`")?)
        }
        None => None,
    };
    let at = match (members.get("pointer"), members.get("parameter")) {
        (Some(Value::String(pointer)), None) if pointer.is_empty() || pointer.starts_with('/') => {
            format!("pointer {pointer}")
        }
        (None, Some(Value::String(parameter))) if index.is_none() => format!("parameter {parameter}"),
        (None, None) if index.is_some() => String::new(),
        _ => return Err(format!("has an error without exactly one pointer or parameter: {error}")),
    };
    if members.len() != 2 + usize::from(index.is_some()) + usize::from(!at.is_empty()) {
        return Err(format!("has an error with other members than its place, code and detail: {error}"));
    }
    Ok(Place { index, at, code: text(members, "code")?, detail: text(members, "detail")? })
}

/// The detail begins with the first place and counts the others.
fn check_detail(detail: &str, errors: &[Place]) -> Result<(), String> {
    let [first, rest @ ..] = errors else { return Ok(()) };
    let others = match rest.len() {
        0 => String::new(),
        1 => " (and 1 more error)".to_owned(),
        n => format!(" (and {n} more errors)"),
    };
    let expected = format!("{}{others}", first.detail);
    if detail.ends_with(&expected) {
        Ok(())
    } else {
        Err(format!("has the detail `{detail}`, which does not end with `{expected}`"))
    }
}
