//! [`Problem`]: the body of an error response, checked against the table of codes.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use serde_json::{Map, Value};

/// Code, status, title. Written here by hand, not read from the runtime under test.
const TABLE: [(&str, u16, &str); 42] = [
    ("malformed_request", 400, "Bad Request"),
    ("head_too_large", 431, "Request Header Fields Too Large"),
    ("malformed_json", 400, "Bad Request"),
    ("unsupported_media_type", 415, "Unsupported Media Type"),
    ("body_too_large", 413, "Content Too Large"),
    ("query_too_long", 414, "URI Too Long"),
    ("query_too_complex", 422, "Unprocessable Content"),
    ("cursor_invalid", 422, "Unprocessable Content"),
    ("too_many_groups", 422, "Unprocessable Content"),
    ("validation_failed", 422, "Unprocessable Content"),
    ("not_found", 404, "Not Found"),
    ("route_not_found", 404, "Not Found"),
    ("method_not_allowed", 405, "Method Not Allowed"),
    ("conflict", 409, "Conflict"),
    ("reference_not_found", 409, "Conflict"),
    ("referenced", 409, "Conflict"),
    ("not_deleted", 409, "Conflict"),
    ("illegal_transition", 409, "Conflict"),
    ("last_member", 409, "Conflict"),
    ("history_incomplete", 409, "Conflict"),
    ("history_gone", 410, "Gone"),
    ("range_not_satisfiable", 416, "Range Not Satisfiable"),
    ("idempotency_key_required", 400, "Bad Request"),
    ("idempotency_key_reused", 422, "Unprocessable Content"),
    ("idempotency_in_flight", 409, "Conflict"),
    ("batch_too_large", 422, "Unprocessable Content"),
    ("constraint_failed", 422, "Unprocessable Content"),
    ("unsupported_here", 422, "Unprocessable Content"),
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
    ("tenant_required", 403, "Forbidden"),
    ("denied_by_database", 403, "Forbidden"),
    ("too_many_requests", 429, "Too Many Requests"),
    ("internal", 500, "Internal Server Error"),
];

const MEMBERS: [&str; 7] = ["type", "title", "status", "code", "detail", "errors", "request_id"];

/// Codes of mistakes that the book's page of errors lists.
static DOCUMENTED: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let rows = include_str!("../../docs/src/reference/errors.md").lines().filter(|line| line.starts_with("| "));
    // `| 409 | `conflict` | …` and `| `min`, `max` | …`
    let cells = rows.flat_map(|row| row.split(" | ").take(2));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
});

/// Codes that the programs of tests add.
const OF_PROGRAMS: &[&str] = &["bad_title", "case", "due_required", "heavy", "not_today", "room", "seats"];

/// A well-formed problem document (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The problem's code.
    pub code: String,
    /// The sentence for people.
    pub detail: String,
    /// The errors, in the order of the document.
    pub errors: Vec<ProblemError>,
}

/// One member of a problem's `errors`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemError {
    /// The item of a batch, from 0.
    pub index: Option<usize>,
    /// The line of a file, from 1.
    pub line: Option<u64>,
    /// `pointer /price`, `parameter limit` or `parameter where/or/0/price`; empty for an item that is wrong as a whole.
    pub at: String,
    /// The error's code.
    pub code: String,
    /// Description of the mistake.
    pub detail: String,
    /// Legal alternatives; empty where the error names none.
    pub allowed: Vec<String>,
    /// The bounds of the rule; null where the error has none.
    pub params: Value,
}

impl Problem {
    /// Reads a problem document.
    ///
    /// # Errors
    /// The first violation of the table.
    pub fn parse(status: u16, body: &Value) -> Result<Self, String> {
        let members = body.as_object().ok_or("is not an object")?;
        if let Some(unknown) = members.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
            return Err(format!("has the member `{unknown}`, which problems do not have"));
        }
        let code = text(members, "code")?;
        let (_, code_status, title) =
            TABLE.into_iter().find(|row| row.0 == code).ok_or_else(|| format!("has the unknown code `{code}`"))?;
        expect(members, "type", &Value::from("about:blank"))?;
        expect(members, "title", &Value::from(title))?;
        expect(members, "status", &Value::from(status))?;
        if code_status != status {
            return Err(format!("has the code `{code}` with the status {status}, not {code_status}"));
        }
        if (code == "internal") != members.contains_key("request_id") {
            return Err("has a `request_id` without the code `internal`, or lacks it with that code".to_owned());
        }
        let errors = members.get("errors").map_or(Ok(Vec::new()), errors)?;
        if code == "validation_failed" && errors.is_empty() {
            return Err("has no `errors`".to_owned());
        }
        let detail = text(members, "detail")?;
        check_detail(&detail, &errors)?;
        Ok(Self { code, detail, errors })
    }

    /// The pointers of its errors, sorted; panics when an error has none.
    pub fn pointers(&self) -> Vec<&str> {
        self.at_each("pointer ")
    }

    /// The parameters of its errors, sorted; panics when an error has none.
    pub fn parameters(&self) -> Vec<&str> {
        self.at_each("parameter ")
    }

    /// The errors of a batch, as `(index, pointer)` in the order of the document; an item that is wrong as a whole has
    /// an empty pointer.
    ///
    /// # Panics
    /// When an error has no index.
    #[track_caller]
    pub fn items(&self) -> Vec<(usize, &str)> {
        let item = |error: &'_ ProblemError| error.index.unwrap_or_else(|| panic!("an error has no index: {self}"));
        let pointer = |error: &'_ ProblemError| error.at.len().min("pointer ".len());
        self.errors.iter().map(|error| (item(error), &error.at[pointer(error)..])).collect()
    }

    /// The errors of an import, as `(line, pointer)` in the order of the document; a line that is wrong as a whole has an
    /// empty pointer.
    ///
    /// # Panics
    /// When an error has no line.
    #[track_caller]
    pub fn lines(&self) -> Vec<(u64, &str)> {
        let line = |error: &'_ ProblemError| error.line.unwrap_or_else(|| panic!("an error has no line: {self}"));
        let pointer = |error: &'_ ProblemError| error.at.len().min("pointer ".len());
        self.errors.iter().map(|error| (line(error), &error.at[pointer(error)..])).collect()
    }

    fn at_each(&self, kind: &str) -> Vec<&str> {
        let mut locations: Vec<_> = self.errors.iter().map(|error| error.at.as_str()).collect();
        locations.sort_unstable();
        let of_kind: Vec<_> = locations.iter().filter_map(|at| at.strip_prefix(kind)).collect();
        assert_eq!(locations.len(), of_kind.len(), "an error has no {kind}: {self}");
        of_kind
    }

    /// Its only error.
    ///
    /// # Panics
    /// When it does not have exactly one.
    #[track_caller]
    pub fn only(&self) -> &ProblemError {
        let [only] = self.errors.as_slice() else { panic!("expected one error: {self}") };
        only
    }

    /// The detail of the error at a pointer or parameter.
    ///
    /// # Panics
    /// When there is no such error.
    #[track_caller]
    pub fn at(&self, place: &str) -> &str {
        let found = self.errors.iter().find(|error| error.at.split_once(' ').is_some_and(|(_, at)| at == place));
        found.map_or_else(|| panic!("no error is at {place}: {self}"), |error| &error.detail)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)?;
        self.errors.iter().try_for_each(|error| write!(f, "\n  {}: {}", error.at, error.detail))
    }
}

fn text(members: &Map<String, Value>, name: &str) -> Result<String, String> {
    let text = members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("has no text in `{name}`"))
}

fn expect(members: &Map<String, Value>, name: &str, expected: &Value) -> Result<(), String> {
    match members.get(name) {
        Some(value) if value == expected => Ok(()),
        other => Err(format!("has {other:?} in `{name}`, not {expected}")),
    }
}

fn errors(errors: &Value) -> Result<Vec<ProblemError>, String> {
    match errors.as_array() {
        Some(errors) if !errors.is_empty() => errors.iter().map(error).collect(),
        _ => Err("has `errors` that are not a list or are empty".to_owned()),
    }
}

fn error(error: &Value) -> Result<ProblemError, String> {
    let members = error.as_object().ok_or("has an error that is not an object")?;
    let index = match members.get("index") {
        Some(index) => Some(
            index
                .as_u64()
                .and_then(|index| usize::try_from(index).ok())
                .ok_or("has an `index` that is not an index")?,
        ),
        None => None,
    };
    let line = match members.get("line") {
        Some(line) => Some(line.as_u64().filter(|line| *line > 0).ok_or("has a `line` that is no line")?),
        None => None,
    };
    let is_part = index.is_some() || line.is_some();
    let at = match (members.get("pointer"), members.get("parameter")) {
        (Some(Value::String(pointer)), None) if pointer.is_empty() || pointer.starts_with('/') => {
            format!("pointer {pointer}")
        }
        (None, Some(Value::String(parameter))) if !is_part => format!("parameter {parameter}"),
        (Some(Value::String(pointer)), Some(Value::String(parameter)))
            if !is_part && (pointer.is_empty() || pointer.starts_with('/')) =>
        {
            format!("parameter {parameter}{pointer}")
        }
        (None, None) if is_part => String::new(),
        _ => return Err(format!("has an error without exactly one pointer or parameter: {error}")),
    };
    let allowed = match members.get("allowed") {
        Some(allowed) => {
            texts(allowed).ok_or_else(|| format!("has an `allowed` that is not a list of names: {error}"))?
        }
        None => Vec::new(),
    };
    let optional =
        ["index", "line", "pointer", "parameter", "allowed", "params"].map(|name| members.contains_key(name));
    if members.len() != 2 + optional.into_iter().filter(|is_there| *is_there).count() {
        return Err(format!("has an error with an unknown member: {error}"));
    }
    let params = members.get("params").cloned().unwrap_or_default();
    let (code, detail) = (text(members, "code")?, text(members, "detail")?);
    if !DOCUMENTED.contains(code.as_str()) && !OF_PROGRAMS.contains(&code.as_str()) {
        return Err(format!("has an error with the code `{code}`, which the book's page of errors does not list"));
    }
    Ok(ProblemError { index, line, at, code, detail, allowed, params })
}

fn texts(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Checks that the detail ends with that of the first error and the number of the others.
fn check_detail(detail: &str, errors: &[ProblemError]) -> Result<(), String> {
    let [first, rest @ ..] = errors else { return Ok(()) };
    // An answer lists a hundred errors and counts the others.
    let unlisted = || detail.rsplit_once(" (and ")?.1.strip_suffix(" more errors)")?.parse().ok();
    let others = match unlisted().filter(|others| rest.len() == 99 && *others > 99).unwrap_or(rest.len()) {
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
