//! [`Code`]: the table of all failures of requests, each with its status and code.

use http::{HeaderValue, StatusCode};

/// Writes the enum from a table. A row has the HTTP status, the `code` of a problem document, and the detail; where
/// details name parts of the request, an example of one.
macro_rules! codes {
    (
        $(#[$about:meta])*
        pub enum Code {
            $($(#[$doc:meta])* $code:ident: $status:ident, $name:literal, $detail:literal;)+
        }
    ) => {
        $(#[$about])*
        pub enum Code {
            $($(#[$doc])* $code,)+
        }

        impl Code {
            /// Every code.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$code),+];

            const fn row(self) -> (StatusCode, &'static str, &'static str) {
                match self {
                    $(Self::$code => (StatusCode::$status, $name, $detail),)+
                }
            }
        }
    };
}

codes! {
    /// A condition that makes a request fail, with its status and code.
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
        /// The head of the request is malformed, such as one with two `Host` headers.
        MalformedRequest: BAD_REQUEST, "malformed_request", "the request must have one `Host` header, found 2";
        /// The head is too large.
        HeadTooLarge: REQUEST_HEADER_FIELDS_TOO_LARGE, "head_too_large", "the head must have at most 32768 bytes";
        /// The body is not JSON.
        MalformedJson: BAD_REQUEST, "malformed_json", "the body is not valid JSON: expected value at line 1 column 9";
        /// The media type of the body is not JSON.
        UnsupportedMediaType: UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "the body must be application/json";
        /// The body is too large.
        BodyTooLarge: PAYLOAD_TOO_LARGE, "body_too_large", "the body must have at most 2097152 bytes";
        /// The query string is too long.
        QueryTooLong: URI_TOO_LONG, "query_too_long", "the query string must have at most 8192 bytes";
        /// A value breaks a rule of the resource.
        ValidationFailed: UNPROCESSABLE_ENTITY, "validation_failed", "a value is not valid";
        /// The query string has too many parameters.
        QueryTooComplex: UNPROCESSABLE_ENTITY, "query_too_complex", "the query string must have at most 200 parameters";
        /// The cursor is of another list, or not from this service.
        CursorInvalid: UNPROCESSABLE_ENTITY, "cursor_invalid", "cursor: is not a cursor of this list";
        /// An aggregate has more groups than the resource returns.
        TooManyGroups: UNPROCESSABLE_ENTITY, "too_many_groups",
            "there are more than 1000 groups: group by fewer fields, or narrow the condition";
        /// There is no such record.
        NotFound: NOT_FOUND, "not_found", "the record is not found";
        /// There is no such route.
        RouteNotFound: NOT_FOUND, "route_not_found", "this page does not exist";
        /// The route exists, but not for this method.
        MethodNotAllowed: METHOD_NOT_ALLOWED, "method_not_allowed",
            "DELETE is not allowed on this route; allowed methods are GET, HEAD, OPTIONS";
        /// A unique value is taken.
        Conflict: CONFLICT, "conflict", "a value is taken by another record";
        /// A reference points to no record.
        ReferenceNotFound: CONFLICT, "reference_not_found", "a value refers to a record that does not exist";
        /// Other records refer to this one.
        Referenced: CONFLICT, "referenced", "other records refer to this one";
        /// A record that is not deleted can be neither restored nor purged.
        NotDeleted: CONFLICT, "not_deleted", "the record is not deleted";
        /// No transition leads from the record's state to the requested one.
        IllegalTransition: CONFLICT, "illegal_transition", "the state cannot change in this way";
        /// The tenant would lose its last member with a role that one member must keep.
        LastMember: CONFLICT, "last_member",
            "this is the last member with the role `owner`: give it to another member first";
        /// The resource takes changes with an `Idempotency-Key` alone.
        IdempotencyKeyRequired: BAD_REQUEST, "idempotency_key_required",
            "a request for this operation needs the header Idempotency-Key";
        /// The `Idempotency-Key` was another request's.
        IdempotencyKeyReused: UNPROCESSABLE_ENTITY, "idempotency_key_reused",
            "the Idempotency-Key was sent with another request: a new request needs a new key";
        /// The first request with the `Idempotency-Key` has not ended.
        IdempotencyInFlight: CONFLICT, "idempotency_in_flight",
            "the first request with this Idempotency-Key has not ended; try again later";
        /// A batch has more items than the resource takes.
        BatchTooLarge: UNPROCESSABLE_ENTITY, "batch_too_large", "ids: must have at most 1000 items, found 1001";
        /// The storage of this service does not support what the request asks for.
        UnsupportedHere: UNPROCESSABLE_ENTITY, "unsupported_here",
            "the storage of this service does not support atomic changes of several records: send one record per request";
        /// The audit log lacks entries to rebuild the record at that time.
        HistoryIncomplete: CONFLICT, "history_incomplete", "the audit log does not cover the record at that time";
        /// The bytes of a former file are removed.
        HistoryGone: GONE, "history_gone", "the file that the record had at that time is removed";
        /// The file has no bytes in the range.
        RangeNotSatisfiable: RANGE_NOT_SATISFIABLE, "range_not_satisfiable", "the file has no bytes in this range";
        /// A constraint of the database refused a value.
        ConstraintFailed: UNPROCESSABLE_ENTITY, "constraint_failed", "a value is refused by the database";
        /// `If-Match` names another version.
        PreconditionFailed: PRECONDITION_FAILED, "precondition_failed",
            "the record's entity tag does not match If-Match";
        /// The database is busy or cannot be reached.
        Unavailable: SERVICE_UNAVAILABLE, "unavailable", "the service is busy; try again later";
        /// The client sends too slowly.
        RequestTimeout: REQUEST_TIMEOUT, "request_timeout", "the body arrives too slowly";
        /// The request exceeded its time limit.
        Timeout: GATEWAY_TIMEOUT, "timeout", "the request took too long";
        /// The request carries no credentials, or unreadable ones.
        AuthenticationFailed: UNAUTHORIZED, "authentication_failed", "authentication failed";
        /// The token is not one of this service's, or not of the kind that the route takes.
        InvalidToken: UNAUTHORIZED, "invalid_token", "invalid token";
        /// The token has expired.
        TokenExpired: UNAUTHORIZED, "token_expired", "token expired";
        /// The user name or the password is wrong.
        InvalidCredentials: UNAUTHORIZED, "invalid_credentials", "invalid credentials";
        /// The refresh token is refused.
        RefreshFailed: UNAUTHORIZED, "refresh_failed", "invalid token";
        /// The principal is known, and lacks the access.
        PermissionDenied: FORBIDDEN, "permission_denied", "permission denied";
        /// The principal belongs to no tenant.
        TenantRequired: FORBIDDEN, "tenant_required", "the token names no tenant";
        /// The database denies the statement to the service's user, or a policy of the database denies it to the
        /// principal.
        DeniedByDatabase: FORBIDDEN, "denied_by_database", "the database does not allow this";
        /// There were too many attempts.
        TooManyRequests: TOO_MANY_REQUESTS, "too_many_requests", "too many attempts; try again later";
        /// Anything else.
        Internal: INTERNAL_SERVER_ERROR, "internal", "internal error";
    }
}

impl Code {
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

    /// The HTTP status.
    pub const fn status(self) -> StatusCode {
        self.row().0
    }

    /// The `code` of a problem document, such as `validation_failed`.
    pub const fn as_str(self) -> &'static str {
        self.row().1
    }

    /// The detail of problems with this code; where details name parts of the request, an example of one.
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
