//! [`Status`] and [`Located`]: answers with a status that the document has, and with the path of what was created.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::{Answer, deferred};
use crate::http::routing::describe::{Described, DescribedStatus};
use crate::model::problem::Problem;

/// An answer with a status of success that the document has: `Status<202, Json<Ticket>>`. The status of `(StatusCode,
/// T)` is known only when the handler runs: the document says `2XX`.
///
/// ```
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Status, post};
/// # use crud_runtime::prelude::*;
///
/// /// The work is queued: 202.
/// async fn queue() -> Status<202, Json<u64>> {
///     Status(Json(7))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.route("/tickets", post(queue));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Status<const STATUS: u16, T>(pub T);

/// The status of this number.
fn status<const STATUS: u16>() -> StatusCode {
    const {
        let has_body = STATUS >= 200 && STATUS < 300 && STATUS != 204 && STATUS != 205;
        assert!(has_body, "expected a status of success with a body, such as 200, 201 or 202");
    }
    StatusCode::from_u16(STATUS).unwrap_or_default()
}

impl<const STATUS: u16, T: Answer<M>, M> Answer<(M,)> for Status<STATUS, T> {
    fn into_answer(self) -> Response {
        let is_failure = self.0.is_failure();
        let response = self.0.into_answer();
        if is_failure { response } else { (status::<STATUS>(), response).into_response() }
    }

    fn is_failure(&self) -> bool {
        self.0.is_failure()
    }

    fn describe(described: &mut Described) {
        T::describe(described);
        described.status = Some(DescribedStatus::Is(status::<STATUS>()));
    }
}

/// An answer with the path of what was created, as the header `Location`: the path below the service's mount, such as
/// `/tickets/7`.
///
/// ```
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Located, Status, post};
/// # use crud_runtime::prelude::*;
/// async fn queue() -> Located<Status<201, Json<u64>>> {
///     Located("/tickets/7".into(), Status(Json(7)))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.route("/tickets", post(queue));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Located<T>(pub String, pub T);

impl<T: Answer<M>, M> Answer<(M,)> for Located<T> {
    fn into_answer(self) -> Response {
        let Self(path, answer) = self;
        let is_failure = answer.is_failure();
        let response = answer.into_answer();
        if is_failure {
            return response;
        }
        let status = response.status();
        let mut located = deferred::response(move |context| {
            let location = HeaderValue::from_str(&format!("{}{path}", context.mount)).map_err(Problem::internal)?;
            let mut response = deferred::write(response, context)?;
            response.headers_mut().insert(header::LOCATION, location);
            Ok(response)
        });
        *located.status_mut() = status;
        located
    }

    fn is_failure(&self) -> bool {
        self.1.is_failure()
    }

    fn describe(described: &mut Described) {
        T::describe(described);
        described.has_location = true;
    }
}
