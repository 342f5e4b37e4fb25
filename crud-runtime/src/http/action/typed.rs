//! [`Typed`] and [`Located`]: replies with JSON of a type, and with the place of what was made.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::argument::{ActionRequest, Described, DescribedReply};
use super::reply::Reply;
use crate::http::handler::response;
use crate::http::openapi::to_schema::typed;
use crate::model::problem::Problem;

/// JSON of a type that the document describes, with a status of success: 200, or the second parameter.
///
/// The type derives `Serialize` and utoipa's `ToSchema`; its schema and those that it refers to are in the document by their
/// names. A [`Page`](crate::Page) of such a type has its JSON too.
///
/// ```
/// use crud_runtime::action::{Action, Ctx, Typed};
/// # use crud_runtime::prelude::*;
/// # use crud_runtime::utoipa::openapi::{Object, RefOr, Schema as Described};
/// # use crud_runtime::utoipa::{PartialSchema, ToSchema};
///
/// #[derive(serde::Serialize)] // and utoipa::ToSchema
/// struct Ticket { number: u64 }
/// # impl PartialSchema for Ticket {
/// #     fn schema() -> RefOr<Described> {
/// #         Object::builder().property("number", u64::schema()).required("number").into()
/// #     }
/// # }
/// # impl ToSchema for Ticket {}
///
/// /// The work is queued: 202.
/// async fn queue(_: Ctx) -> crud_runtime::Result<Typed<Ticket, 202>> {
///     Ok(Typed(Ticket { number: 7 }))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.route(Action::post("/tickets").handler(queue));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Typed<T, const STATUS: u16 = 200>(pub T);

/// The status of this number.
fn status<const STATUS: u16>() -> StatusCode {
    const {
        let has_body = STATUS >= 200 && STATUS < 300 && STATUS != 204 && STATUS != 205;
        assert!(has_body, "expected a status of success with a body, such as 200, 201 or 202");
    }
    StatusCode::from_u16(STATUS).unwrap_or_default()
}

impl<T: Serialize + ToSchema + Send, const STATUS: u16> Reply for Typed<T, STATUS> {
    async fn render(self, _: &ActionRequest) -> Result<Response, Problem> {
        Ok(response::json(status::<STATUS>(), serde_json::to_vec(&self.0).map_err(Problem::internal)?))
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Typed(status::<STATUS>(), typed::<T>);
    }
}

/// A reply with the path of what was made, as the header `Location`: the path below the service's mount, such as
/// `/tickets/7`.
///
/// ```
/// use crud_runtime::action::{Action, Ctx, Json, Located};
/// # use crud_runtime::prelude::*;
/// async fn queue(_: Ctx) -> crud_runtime::Result<Located<Json<u64>>> {
///     Ok(Located("/tickets/7".into(), Json(7)))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.route(Action::post("/tickets").handler(queue));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Located<R>(pub String, pub R);

impl<R: Reply> Reply for Located<R> {
    async fn render(self, request: &ActionRequest) -> Result<Response, Problem> {
        let Self(path, reply) = self;
        let location = HeaderValue::from_str(&format!("{}{path}", request.mount)).map_err(Problem::internal)?;
        let mut response = reply.render(request).await?;
        response.headers_mut().insert(header::LOCATION, location);
        Ok(response)
    }

    fn describe(described: &mut Described) {
        R::describe(described);
        described.has_location = true;
    }
}
