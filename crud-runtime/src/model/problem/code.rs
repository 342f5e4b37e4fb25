//! [`Code`]: the one table of what goes wrong with a request, with status and code.

use axum::http::{HeaderValue, StatusCode};

/// A condition that makes a request fail. The one table of these, with status and code.
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
    /// There were too many attempts.
    TooManyRequests,
    /// Anything else.
    Internal,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 37] = [
        Self::MalformedRequest,
        Self::HeadTooLarge,
        Self::MalformedJson,
        Self::UnsupportedMediaType,
        Self::BodyTooLarge,
        Self::QueryTooLong,
        Self::ValidationFailed,
        Self::QueryTooComplex,
        Self::CursorInvalid,
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
        Self::TooManyRequests,
        Self::Internal,
    ];

    /// The codes that only a service with authentication returns.
    pub(crate) const OF_AUTHENTICATION: [Self; 8] = [
        Self::AuthenticationFailed,
        Self::InvalidToken,
        Self::TokenExpired,
        Self::InvalidCredentials,
        Self::RefreshFailed,
        Self::PermissionDenied,
        Self::TenantRequired,
        Self::TooManyRequests,
    ];

    /// The HTTP status and the `code` of a problem document.
    const fn row(self) -> (StatusCode, &'static str) {
        match self {
            Self::MalformedRequest => (StatusCode::BAD_REQUEST, "malformed_request"),
            Self::HeadTooLarge => (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "head_too_large"),
            Self::MalformedJson => (StatusCode::BAD_REQUEST, "malformed_json"),
            Self::UnsupportedMediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
            Self::QueryTooLong => (StatusCode::URI_TOO_LONG, "query_too_long"),
            Self::QueryTooComplex => (StatusCode::UNPROCESSABLE_ENTITY, "query_too_complex"),
            Self::CursorInvalid => (StatusCode::UNPROCESSABLE_ENTITY, "cursor_invalid"),
            Self::ValidationFailed => (StatusCode::UNPROCESSABLE_ENTITY, "validation_failed"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Self::RouteNotFound => (StatusCode::NOT_FOUND, "route_not_found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::Conflict => (StatusCode::CONFLICT, "conflict"),
            Self::ReferenceNotFound => (StatusCode::CONFLICT, "reference_not_found"),
            Self::Referenced => (StatusCode::CONFLICT, "referenced"),
            Self::NotDeleted => (StatusCode::CONFLICT, "not_deleted"),
            Self::IllegalTransition => (StatusCode::CONFLICT, "illegal_transition"),
            Self::IdempotencyKeyRequired => (StatusCode::BAD_REQUEST, "idempotency_key_required"),
            Self::IdempotencyKeyReused => (StatusCode::UNPROCESSABLE_ENTITY, "idempotency_key_reused"),
            Self::IdempotencyInFlight => (StatusCode::CONFLICT, "idempotency_in_flight"),
            Self::BatchTooLarge => (StatusCode::UNPROCESSABLE_ENTITY, "batch_too_large"),
            Self::UnsupportedHere => (StatusCode::UNPROCESSABLE_ENTITY, "unsupported_here"),
            Self::HistoryIncomplete => (StatusCode::CONFLICT, "history_incomplete"),
            Self::ConstraintFailed => (StatusCode::UNPROCESSABLE_ENTITY, "constraint_failed"),
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
            Self::TenantRequired => (StatusCode::FORBIDDEN, "tenant_required"),
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

    /// The value of `WWW-Authenticate`: what the request lacked (RFC 6750, section 3).
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
