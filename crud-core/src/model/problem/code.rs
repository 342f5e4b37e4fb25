//! [`Code`]: the one table of what goes wrong with a request, with status and code.

use http::{HeaderValue, StatusCode};

/// A condition that makes a request fail. The one table of these, with status and code.
///
/// ```
/// use crud_runtime::error::{Code, Problem};
///
/// let taken = Problem::new(Code::Conflict, "the room is booked on these days");
/// assert_eq!((taken.code().as_str(), taken.code().status().as_u16()), ("conflict", 409));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The head is not that of one request.
    MalformedRequest,
    /// The head is too large.
    HeadTooLarge,
    /// The body is not JSON.
    MalformedJson,
    /// The media type of the body is not JSON.
    UnsupportedMediaType,
    /// The body is too large.
    BodyTooLarge,
    /// The query string is too long.
    QueryTooLong,
    /// The query string has too many parameters.
    QueryTooComplex,
    /// An aggregate has more groups than the resource returns.
    TooManyGroups,
    /// The cursor is of another list, or not the service's.
    CursorInvalid,
    /// A value breaks a rule of the resource.
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
    /// No transition leads from the record's state to that of the request.
    IllegalTransition,
    /// The resource takes changes with an `Idempotency-Key` alone.
    IdempotencyKeyRequired,
    /// The `Idempotency-Key` was another request's.
    IdempotencyKeyReused,
    /// The first request with the `Idempotency-Key` has not ended.
    IdempotencyInFlight,
    /// A batch has more items than the resource takes.
    BatchTooLarge,
    /// The storage of this service does not support what the request asks for.
    UnsupportedHere,
    /// The audit log lacks entries to rebuild the record at that time.
    HistoryIncomplete,
    /// A constraint of the database refused a value.
    ConstraintFailed,
    /// `If-Match` names another version.
    PreconditionFailed,
    /// The database is busy or cannot be reached.
    Unavailable,
    /// The client sends too slowly.
    RequestTimeout,
    /// The request exceeded its time limit.
    Timeout,
    /// The request carries no credentials, or unreadable ones.
    AuthenticationFailed,
    /// The token is not one of this service's, or not of the kind that the route takes.
    InvalidToken,
    /// The token has expired.
    TokenExpired,
    /// The user name or the password is wrong.
    InvalidCredentials,
    /// The refresh token is refused.
    RefreshFailed,
    /// The principal is known, and lacks the access.
    PermissionDenied,
    /// The principal belongs to no tenant.
    TenantRequired,
    /// The database denies it to the service's user, or a policy of the database to the principal.
    DeniedByDatabase,
    /// There were too many attempts.
    TooManyRequests,
    /// Anything else.
    Internal,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 39] = [
        Self::MalformedRequest,
        Self::HeadTooLarge,
        Self::MalformedJson,
        Self::UnsupportedMediaType,
        Self::BodyTooLarge,
        Self::QueryTooLong,
        Self::ValidationFailed,
        Self::QueryTooComplex,
        Self::CursorInvalid,
        Self::TooManyGroups,
        Self::NotFound,
        Self::RouteNotFound,
        Self::MethodNotAllowed,
        Self::Conflict,
        Self::ReferenceNotFound,
        Self::Referenced,
        Self::NotDeleted,
        Self::IllegalTransition,
        Self::IdempotencyKeyRequired,
        Self::IdempotencyKeyReused,
        Self::IdempotencyInFlight,
        Self::BatchTooLarge,
        Self::UnsupportedHere,
        Self::HistoryIncomplete,
        Self::ConstraintFailed,
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
        Self::TenantRequired,
        Self::DeniedByDatabase,
        Self::TooManyRequests,
        Self::Internal,
    ];

    /// The codes that only a service with authentication returns.
    #[doc(hidden)]
    pub const OF_AUTHENTICATION: [Self; 8] = [
        Self::AuthenticationFailed,
        Self::InvalidToken,
        Self::TokenExpired,
        Self::InvalidCredentials,
        Self::RefreshFailed,
        Self::PermissionDenied,
        Self::TenantRequired,
        Self::TooManyRequests,
    ];

    /// The HTTP status, the `code` of a problem document, and its detail where that names nothing of the request; else one
    /// such detail.
    #[allow(clippy::too_many_lines, reason = "a row for each code")]
    const fn row(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::MalformedRequest => {
                (StatusCode::BAD_REQUEST, "malformed_request", "the request must have one `Host` header, found 2")
            }
            Self::HeadTooLarge => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "head_too_large",
                "the head must have at most 32768 bytes",
            ),
            Self::MalformedJson => (
                StatusCode::BAD_REQUEST,
                "malformed_json",
                "the body is not valid JSON: expected value at line 1 column 9",
            ),
            Self::UnsupportedMediaType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "the body must be application/json")
            }
            Self::BodyTooLarge => {
                (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", "the body must have at most 2097152 bytes")
            }
            Self::QueryTooLong => {
                (StatusCode::URI_TOO_LONG, "query_too_long", "the query string must have at most 8192 bytes")
            }
            Self::QueryTooComplex => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "query_too_complex",
                "the query string must have at most 200 parameters",
            ),
            Self::CursorInvalid => {
                (StatusCode::UNPROCESSABLE_ENTITY, "cursor_invalid", "cursor: is not a cursor of this list")
            }
            Self::TooManyGroups => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "too_many_groups",
                "there are more than 1000 groups: group by fewer fields, or narrow the condition",
            ),
            Self::ValidationFailed => (StatusCode::UNPROCESSABLE_ENTITY, "validation_failed", "a value is not valid"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", "the record is not found"),
            Self::RouteNotFound => (StatusCode::NOT_FOUND, "route_not_found", "this page does not exist"),
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "DELETE is not allowed on this route; allowed methods are GET, HEAD, OPTIONS",
            ),
            Self::Conflict => (StatusCode::CONFLICT, "conflict", "a value is taken by another record"),
            Self::ReferenceNotFound => {
                (StatusCode::CONFLICT, "reference_not_found", "a value refers to a record that does not exist")
            }
            Self::Referenced => (StatusCode::CONFLICT, "referenced", "other records refer to this one"),
            Self::NotDeleted => (StatusCode::CONFLICT, "not_deleted", "the record is not deleted"),
            Self::IllegalTransition => {
                (StatusCode::CONFLICT, "illegal_transition", "the state cannot change in this way")
            }
            Self::IdempotencyKeyRequired => (
                StatusCode::BAD_REQUEST,
                "idempotency_key_required",
                "a request for this operation needs the header Idempotency-Key",
            ),
            Self::IdempotencyKeyReused => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "idempotency_key_reused",
                "the Idempotency-Key was sent with another request: a new request needs a new key",
            ),
            Self::IdempotencyInFlight => (
                StatusCode::CONFLICT,
                "idempotency_in_flight",
                "the first request with this Idempotency-Key has not ended; try again later",
            ),
            Self::BatchTooLarge => {
                (StatusCode::UNPROCESSABLE_ENTITY, "batch_too_large", "ids: must have at most 1000 items, found 1001")
            }
            Self::UnsupportedHere => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "unsupported_here",
                "the storage of this service does not support atomic changes of several records: send one record per request",
            ),
            Self::HistoryIncomplete => {
                (StatusCode::CONFLICT, "history_incomplete", "the audit log does not cover the record at that time")
            }
            Self::ConstraintFailed => {
                (StatusCode::UNPROCESSABLE_ENTITY, "constraint_failed", "a value is refused by the database")
            }
            Self::PreconditionFailed => (
                StatusCode::PRECONDITION_FAILED,
                "precondition_failed",
                "the record's entity tag does not match If-Match",
            ),
            Self::Unavailable => {
                (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "the service is busy; try again later")
            }
            Self::RequestTimeout => (StatusCode::REQUEST_TIMEOUT, "request_timeout", "the body arrives too slowly"),
            Self::Timeout => (StatusCode::GATEWAY_TIMEOUT, "timeout", "the request took too long"),
            Self::AuthenticationFailed => (StatusCode::UNAUTHORIZED, "authentication_failed", "authentication failed"),
            Self::InvalidToken => (StatusCode::UNAUTHORIZED, "invalid_token", "invalid token"),
            Self::TokenExpired => (StatusCode::UNAUTHORIZED, "token_expired", "token expired"),
            Self::InvalidCredentials => (StatusCode::UNAUTHORIZED, "invalid_credentials", "invalid credentials"),
            Self::RefreshFailed => (StatusCode::UNAUTHORIZED, "refresh_failed", "invalid token"),
            Self::PermissionDenied => (StatusCode::FORBIDDEN, "permission_denied", "permission denied"),
            Self::TenantRequired => (StatusCode::FORBIDDEN, "tenant_required", "the token names no tenant"),
            Self::DeniedByDatabase => (StatusCode::FORBIDDEN, "denied_by_database", "the database does not allow this"),
            Self::TooManyRequests => {
                (StatusCode::TOO_MANY_REQUESTS, "too_many_requests", "too many attempts; try again later")
            }
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "internal error"),
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

    /// The detail of a problem, where that names nothing of the request; else an example of one.
    #[doc(hidden)]
    pub const fn detail(self) -> &'static str {
        self.row().2
    }

    /// The value of `WWW-Authenticate`: what the request lacked (RFC 6750, section 3).
    #[doc(hidden)]
    pub const fn challenge(self) -> Option<HeaderValue> {
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
            Self::PermissionDenied | Self::TenantRequired => {
                Some(HeaderValue::from_static("Bearer realm=\"api\", error=\"insufficient_scope\""))
            }
            _ => None,
        }
    }

    /// The `title` of a problem document: the reason phrase of RFC 9110.
    pub fn title(self) -> &'static str {
        match self.status() {
            // The http crate still has the phrases of RFC 7231 and RFC 4918.
            StatusCode::UNPROCESSABLE_ENTITY => "Unprocessable Content",
            StatusCode::PAYLOAD_TOO_LARGE => "Content Too Large",
            status => status.canonical_reason().unwrap_or("Error"),
        }
    }
}
