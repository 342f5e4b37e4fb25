//! [`Problem`]: the problem documents of RFC 9457, with the table of their codes.

mod code;
mod field_error;
mod field_errors;

pub use code::Code;
pub use field_error::{FieldError, Part, pointer_token};
pub use field_errors::FieldErrors;

use std::fmt;
use std::time::Duration;

use super::adapter_error::BoxError;
use super::descriptor::Descriptor;

/// A problem document (RFC 9457), `application/problem+json`: the body of every error answer.
///
/// Your own handlers can return one too: it is an axum response.
///
/// ```
/// use crud_runtime::error::{Code, Problem};
///
/// let problem = Problem::new(Code::NotFound, "Basket with id 7 not found");
/// assert_eq!(problem.code().status().as_u16(), 404);
/// ```
#[derive(Debug)]
pub struct Problem(Box<Details>);

/// The contents of a problem.
#[derive(Debug)]
pub struct Details {
    pub code: Code,
    pub detail: String,
    pub errors: Vec<FieldError>,
    pub retry_after: Option<Duration>,
    pub source: Option<BoxError>,
}

impl Problem {
    /// A problem with one sentence.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Details { code, detail: detail.into(), errors: Vec::new(), retry_after: None, source: None }))
    }

    /// A problem with the detail of its code.
    #[doc(hidden)]
    pub fn of(code: Code) -> Self {
        Self::new(code, code.detail())
    }

    /// A problem with field errors; the first one and the number of others make the detail.
    pub fn with_errors(code: Code, errors: impl IntoIterator<Item = FieldError>) -> Self {
        let mut list = FieldErrors::default();
        errors.into_iter().for_each(|error| list.push(error));
        list.into_problem(code)
    }

    /// 422 `validation_failed` with these field errors.
    pub fn validation(errors: impl IntoIterator<Item = FieldError>) -> Self {
        Self::with_errors(Code::ValidationFailed, errors)
    }

    /// 404 `not_found`: there is no record with this id.
    pub fn record_not_found(resource: &Descriptor, id: impl fmt::Display) -> Self {
        Self::new(Code::NotFound, format!("{} with id {id} not found", resource.name))
    }

    /// The principal may not do this: 403 `permission_denied`, or 401 `authentication_failed` for a request without a
    /// principal.
    #[doc(hidden)]
    pub fn denied(is_anonymous: bool) -> Self {
        Self::of(if is_anonymous { Code::AuthenticationFailed } else { Code::PermissionDenied })
    }

    /// 500 `internal`: an unexpected failure, whose cause is logged and not returned.
    pub fn internal(source: impl Into<BoxError>) -> Self {
        Self::with_source(Code::Internal, Code::Internal.detail(), source)
    }

    #[doc(hidden)]
    pub fn with_source(code: Code, detail: &str, source: impl Into<BoxError>) -> Self {
        let mut problem = Self::new(code, detail);
        problem.0.source = Some(source.into());
        problem
    }

    /// The problem of a batch with these bad items: the code of the first one, and the field errors of all.
    #[doc(hidden)]
    pub fn from_items(items: impl IntoIterator<Item = (usize, Problem)>) -> Self {
        Self::from_parts(items.into_iter().map(|(index, problem)| (Part::Index(index), problem)))
    }

    /// The problem of a body with bad parts: the code of the first one, and the field errors of all.
    #[doc(hidden)]
    pub fn from_parts(parts: impl IntoIterator<Item = (Part, Problem)>) -> Self {
        let mut list = FieldErrors::default();
        let mut code = None;
        let mut cause = None;
        for (part, problem) in parts {
            code.get_or_insert(problem.0.code);
            let Details { code, detail, errors, source, .. } = *problem.0;
            cause = cause.or(source);
            if errors.is_empty() {
                list.push(FieldError::whole(code.as_str(), detail).in_part(part));
            } else {
                for error in errors {
                    list.push(error.in_part(part));
                }
            }
        }
        let mut problem = list.into_problem(code.unwrap_or(Code::Internal));
        problem.0.source = cause;
        problem
    }

    /// The problem of a body with bad parts at these JSON Pointers: the code of the first one, and the field errors of
    /// all. A failure of the service is returned by itself.
    #[doc(hidden)]
    pub fn from_pointers(parts: impl IntoIterator<Item = (String, Problem)>) -> Self {
        let (mut list, mut code) = (FieldErrors::default(), None);
        for (pointer, problem) in parts {
            if problem.0.code.status().is_server_error() {
                return problem;
            }
            code.get_or_insert(problem.0.code);
            let Details { code, detail, errors, .. } = *problem.0;
            if errors.is_empty() {
                list.push(FieldError::pointer(pointer, code.as_str(), detail));
            } else {
                for error in errors {
                    list.push(error.inside(&pointer));
                }
            }
        }
        list.into_problem(code.unwrap_or(Code::Internal))
    }

    /// Adds the time after which to try again: `Retry-After`, in whole seconds.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// The contents of the problem.
    #[doc(hidden)]
    pub fn into_details(self) -> Details {
        *self.0
    }

    /// The problem's code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The problem's sentence: the `detail` of the document.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The problem's field errors.
    pub fn errors(&self) -> &[FieldError] {
        &self.0.errors
    }
}

impl From<Details> for Problem {
    fn from(details: Details) -> Self {
        Self(Box::new(details))
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
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
