//! Errors: the one table of codes, and the problem documents that carry them (RFC 9457).

use std::fmt;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode};
use serde::Serialize;

use super::adapter_error::BoxError;
use super::descriptor::Descriptor;

/// What went wrong with a request: the one table from conditions to status and code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The body is no JSON.
    MalformedJson,
    /// The body is no JSON by its media type.
    UnsupportedMediaType,
    /// The body is too large.
    BodyTooLarge,
    /// A value is not what the resource wants.
    ValidationFailed,
    /// There is no such record.
    NotFound,
    /// There is no such route.
    RouteNotFound,
    /// The route exists, but not for this method.
    MethodNotAllowed,
    /// A unique value is taken.
    Conflict,
    /// A reference points to no record.
    ReferenceNotFound,
    /// Other records refer to this one.
    Referenced,
    /// A record that is not deleted can be neither restored nor purged.
    NotDeleted,
    /// A batch has more items than the resource takes.
    BatchTooLarge,
    /// The audit log does not tell what the record was at that time.
    HistoryIncomplete,
    /// A constraint of the database refused a value.
    ConstraintFailed,
    /// The storage of this service does not support what the request asks for.
    UnsupportedHere,
    /// `If-Match` names another version.
    PreconditionFailed,
    /// The database is busy or away.
    Unavailable,
    /// The client sends too slowly.
    RequestTimeout,
    /// The work is past its time limit.
    Timeout,
    /// The request carries no credentials, or none that can be read.
    AuthenticationFailed,
    /// The token is none of the service's, or not of the kind that the route takes.
    InvalidToken,
    /// The token's time is over.
    TokenExpired,
    /// There is no such user with such a password.
    InvalidCredentials,
    /// The refresh token gives no new tokens.
    RefreshFailed,
    /// The caller is known, and may not do this.
    PermissionDenied,
    /// There were too many attempts.
    TooManyRequests,
    /// Anything else.
    Internal,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 27] = [
        Self::MalformedJson,
        Self::UnsupportedMediaType,
        Self::BodyTooLarge,
        Self::ValidationFailed,
        Self::NotFound,
        Self::RouteNotFound,
        Self::MethodNotAllowed,
        Self::Conflict,
        Self::ReferenceNotFound,
        Self::Referenced,
        Self::NotDeleted,
        Self::BatchTooLarge,
        Self::HistoryIncomplete,
        Self::ConstraintFailed,
        Self::UnsupportedHere,
        Self::PreconditionFailed,
        Self::Unavailable,
        Self::RequestTimeout,
        Self::Timeout,
        Self::AuthenticationFailed,
        Self::InvalidToken,
        Self::TokenExpired,
        Self::InvalidCredentials,
        Self::RefreshFailed,
        Self::PermissionDenied,
        Self::TooManyRequests,
        Self::Internal,
    ];

    /// Those that only a service with authentication answers with.
    pub(crate) const OF_AUTHENTICATION: [Self; 7] = [
        Self::AuthenticationFailed,
        Self::InvalidToken,
        Self::TokenExpired,
        Self::InvalidCredentials,
        Self::RefreshFailed,
        Self::PermissionDenied,
        Self::TooManyRequests,
    ];

    /// The HTTP status and the `code` of a problem document.
    const fn row(self) -> (StatusCode, &'static str) {
        match self {
            Self::MalformedJson => (StatusCode::BAD_REQUEST, "malformed_json"),
            Self::UnsupportedMediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
            Self::ValidationFailed => (StatusCode::UNPROCESSABLE_ENTITY, "validation_failed"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Self::RouteNotFound => (StatusCode::NOT_FOUND, "route_not_found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::Conflict => (StatusCode::CONFLICT, "conflict"),
            Self::ReferenceNotFound => (StatusCode::CONFLICT, "reference_not_found"),
            Self::Referenced => (StatusCode::CONFLICT, "referenced"),
            Self::NotDeleted => (StatusCode::CONFLICT, "not_deleted"),
            Self::BatchTooLarge => (StatusCode::UNPROCESSABLE_ENTITY, "batch_too_large"),
            Self::HistoryIncomplete => (StatusCode::CONFLICT, "history_incomplete"),
            Self::ConstraintFailed => (StatusCode::UNPROCESSABLE_ENTITY, "constraint_failed"),
            Self::UnsupportedHere => (StatusCode::UNPROCESSABLE_ENTITY, "unsupported_here"),
            Self::PreconditionFailed => (StatusCode::PRECONDITION_FAILED, "precondition_failed"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            Self::RequestTimeout => (StatusCode::REQUEST_TIMEOUT, "request_timeout"),
            Self::Timeout => (StatusCode::GATEWAY_TIMEOUT, "timeout"),
            Self::AuthenticationFailed => (StatusCode::UNAUTHORIZED, "authentication_failed"),
            Self::InvalidToken => (StatusCode::UNAUTHORIZED, "invalid_token"),
            Self::TokenExpired => (StatusCode::UNAUTHORIZED, "token_expired"),
            Self::InvalidCredentials => (StatusCode::UNAUTHORIZED, "invalid_credentials"),
            Self::RefreshFailed => (StatusCode::UNAUTHORIZED, "refresh_failed"),
            Self::PermissionDenied => (StatusCode::FORBIDDEN, "permission_denied"),
            Self::TooManyRequests => (StatusCode::TOO_MANY_REQUESTS, "too_many_requests"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    /// The HTTP status.
    pub const fn status(self) -> StatusCode {
        self.row().0
    }

    /// The `code` of a problem document, such as `validation_failed`.
    pub const fn as_str(self) -> &'static str {
        self.row().1
    }

    /// The value of `WWW-Authenticate`: what a request lacked, in the words of RFC 6750, section 3.
    pub(crate) const fn challenge(self) -> Option<HeaderValue> {
        match self {
            Self::AuthenticationFailed | Self::InvalidCredentials | Self::RefreshFailed => {
                Some(HeaderValue::from_static("Bearer realm=\"api\""))
            }
            Self::InvalidToken => Some(HeaderValue::from_static(
                "Bearer realm=\"api\", error=\"invalid_token\", error_description=\"invalid token\"",
            )),
            Self::TokenExpired => Some(HeaderValue::from_static(
                "Bearer realm=\"api\", error=\"invalid_token\", error_description=\"token expired\"",
            )),
            Self::PermissionDenied => {
                Some(HeaderValue::from_static("Bearer realm=\"api\", error=\"insufficient_scope\""))
            }
            _ => None,
        }
    }

    /// The `title` of a problem document: the status's phrase in RFC 9110's words.
    pub fn title(self) -> &'static str {
        match self.status() {
            // The http crate still has the phrases of RFC 7231 and 4918.
            StatusCode::UNPROCESSABLE_ENTITY => "Unprocessable Content",
            StatusCode::PAYLOAD_TOO_LARGE => "Content Too Large",
            status => status.canonical_reason().unwrap_or("Error"),
        }
    }
}

/// A problem document (RFC 9457), `application/problem+json`: the body of every error answer.
///
/// Handlers of your own can answer with one too; it is an axum response.
///
/// ```
/// use crud_runtime::error::{Code, Problem};
///
/// let problem = Problem::new(Code::NotFound, "Basket with id 7 not found");
/// assert_eq!(problem.code().status().as_u16(), 404);
/// ```
#[derive(Debug)]
pub struct Problem(Box<Details>);

/// What a problem says.
#[derive(Debug)]
pub(crate) struct Details {
    pub(crate) code: Code,
    pub(crate) detail: String,
    pub(crate) errors: Vec<FieldError>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) source: Option<BoxError>,
}

impl Problem {
    /// A problem of one sentence.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Details { code, detail: detail.into(), errors: Vec::new(), retry_after: None, source: None }))
    }

    /// A problem with one or more places; the first one and the number of others make the detail.
    pub fn with_errors(code: Code, errors: impl IntoIterator<Item = FieldError>) -> Self {
        let mut list = FieldErrors::default();
        errors.into_iter().for_each(|error| list.push(error));
        list.into_problem(code)
    }

    /// Values that are not what the resource wants.
    pub fn validation(errors: impl IntoIterator<Item = FieldError>) -> Self {
        Self::with_errors(Code::ValidationFailed, errors)
    }

    /// There is no record with this id.
    pub fn record_not_found(resource: &Descriptor, id: impl fmt::Display) -> Self {
        Self::new(Code::NotFound, format!("{} with id {id} not found", resource.name))
    }

    /// An unexpected failure: the cause is logged, the client sees none of it.
    pub fn internal(source: impl Into<BoxError>) -> Self {
        Self::with_source(Code::Internal, "internal error", source)
    }

    pub(crate) fn with_source(code: Code, detail: &str, source: impl Into<BoxError>) -> Self {
        let mut problem = Self::new(code, detail);
        problem.0.source = Some(source.into());
        problem
    }

    /// The problem of a batch of which these items are bad: the code of the first one, and the places of all.
    pub(crate) fn of_items(items: impl IntoIterator<Item = (usize, Problem)>) -> Self {
        let mut places = FieldErrors::default();
        let mut code = None;
        for (index, problem) in items {
            code.get_or_insert(problem.0.code);
            let Details { code, detail, errors, .. } = *problem.0;
            if errors.is_empty() {
                places.push(FieldError { index: Some(index), place: Place::Item {}, code: code.as_str(), detail });
            } else {
                for error in errors {
                    places.push(error.in_item(index));
                }
            }
        }
        places.into_problem(code.unwrap_or(Code::Internal))
    }

    /// Says when to try again: `Retry-After`, in whole seconds.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// What it says.
    pub(crate) fn into_details(self) -> Details {
        *self.0
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Its sentence.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// Its places.
    pub fn errors(&self) -> &[FieldError] {
        &self.0.errors
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.detail)
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// An error and its causes, in one line.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

/// One place of a problem: where in the request, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldError {
    /// The item of a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(flatten)]
    place: Place,
    code: &'static str,
    detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    Pointer(String),
    Parameter(String),
    /// All of a batch's item.
    #[serde(untagged)]
    Item {},
}

impl FieldError {
    /// At a field of the body, by its name in JSON.
    pub fn field(name: &str, code: &'static str, detail: impl Into<String>) -> Self {
        Self::pointer(format!("/{}", name.replace('~', "~0").replace('/', "~1")), code, detail)
    }

    /// At a JSON Pointer (RFC 6901) into the body; the whole body is the empty one.
    pub fn pointer(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { index: None, place: Place::Pointer(pointer.into()), code, detail: detail.into() }
    }

    /// At a query or path parameter.
    pub fn parameter(name: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { index: None, place: Place::Parameter(name.into()), code, detail: detail.into() }
    }

    /// The same in the item of a batch with this index; pointers are into the item.
    #[must_use]
    pub fn in_item(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// The item of a batch that it is about.
    pub fn index(&self) -> Option<usize> {
        self.index
    }

    /// What is wrong, without the place.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The kind of mistake, such as `type` or `required`.
    pub fn code(&self) -> &'static str {
        self.code
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.index {
            write!(f, "item {index}: ")?;
        }
        match &self.place {
            Place::Item {} => f.write_str(&self.detail),
            Place::Pointer(pointer) if pointer.is_empty() => write!(f, "body: {}", self.detail),
            Place::Pointer(pointer) => {
                write!(f, "{}: {}", pointer[1..].replace("~1", "/").replace("~0", "~"), self.detail)
            }
            Place::Parameter(name) => write!(f, "{name}: {}", self.detail),
        }
    }
}

/// Collects the places of a problem. What a request can hold is bounded, but not small: past
/// [`FieldErrors::LISTED`] places are counted and no longer listed.
#[derive(Debug, Default)]
pub(crate) struct FieldErrors {
    listed: Vec<FieldError>,
    unlisted: usize,
}

impl FieldErrors {
    /// How many places one answer lists.
    pub(crate) const LISTED: usize = 100;

    /// Adds a place.
    pub(crate) fn push(&mut self, error: FieldError) {
        if self.listed.len() < Self::LISTED {
            self.listed.push(error);
        } else {
            self.unlisted += 1;
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// The value, unless there are errors.
    pub(crate) fn into_result<T>(self, value: T) -> Result<T, Problem> {
        if self.listed.is_empty() { Ok(value) } else { Err(self.into_problem(Code::ValidationFailed)) }
    }

    /// The problem of these places; the first one and the number of others make its detail.
    fn into_problem(self, code: Code) -> Problem {
        let others = self.listed.len().saturating_sub(1) + self.unlisted;
        let detail = match (self.listed.first(), others) {
            (None, _) => code.title().to_owned(),
            (Some(first), 0) => first.to_string(),
            (Some(first), 1) => format!("{first} (and 1 more error)"),
            (Some(first), _) => format!("{first} (and {others} more errors)"),
        };
        Problem(Box::new(Details { code, detail, errors: self.listed, retry_after: None, source: None }))
    }
}
