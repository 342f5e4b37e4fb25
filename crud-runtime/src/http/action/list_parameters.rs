//! [`ListParameters`]: the filters, order and page that a request asks for.

use std::fmt;
use std::marker::PhantomData;

use axum::http::Method;

use super::argument::{ActionRequest, Argument, Described};
use crate::http::body::malformed;
use crate::http::handler::require_access;
use crate::http::param::header::prefer::Prefer;
use crate::http::param::list::{Json, ListContext, ListRequest, PROGRAM, parse, parse_search};
use crate::model::descriptor::Operation;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::query::reach::Reach;
use crate::query::visibility::FieldVisibility;
use crate::query::{ListQuery, Scope, Select};

/// The filters, the order and the page of a request's query string, as the resource's generated list reads them: for a
/// route that lists.
///
/// They can name the fields that the sender of the request sees, and those of other resources that it reaches. Errors are
/// those of the generated list. `expand` and cursors are left to that.
///
/// ```
/// use crud_runtime::Page;
/// use crud_runtime::action::{Action, Ctx, ListParameters};
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(filter, sort, pagination)]
/// struct Part { id: i64, name: String, stock: i32 }
///
/// /// The parts that are to be ordered: GET /parts/low?name__ilike=b%25&limit=5
/// async fn low(ctx: Ctx, parameters: ListParameters<Part>) -> crud_runtime::Result<Page<Part>> {
///     ctx.store::<Part>().page(parameters.select().filter(Part::FIELDS.stock.lt(10))).await
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>();
/// let service = service.action::<Part>(Action::get("low").handler(low));
/// # Ok(()) }
/// ```
pub struct ListParameters<R> {
    query: ListQuery,
    resource: PhantomData<fn() -> R>,
}

impl<R: Resource> ListParameters<R> {
    /// The records that the request asks for; conditions of the program come on top.
    pub fn select(self) -> Select<R> {
        Select::requested(self.query)
    }
}

impl<R: Resource> fmt::Debug for ListParameters<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ListParameters").field(&self.query).finish()
    }
}

impl<R: Resource> Argument for ListParameters<R> {
    async fn prepare(request: &mut ActionRequest) -> Result<(), Problem> {
        let list = read::<R>(request).await?;
        if list.scope != Scope::Active && list.scope != Scope::default_of(R::DESCRIPTOR) {
            require_access(&request.state, &request.identity, Operation::Restore, R::DESCRIPTOR)?;
        }
        request.list = Some(list.query);
        Ok(())
    }

    async fn take(request: &mut ActionRequest) -> Result<Self, Problem> {
        let missing = || Problem::internal("a handler takes the parameters of a list twice");
        Ok(Self { query: request.list.take().ok_or_else(missing)?, resource: PhantomData })
    }

    fn describe(described: &mut Described) {
        described.list = Some(R::DESCRIPTOR);
    }
}

/// Reads the parameters from the query string; in place of a generated search, from the body.
async fn read<R: Resource>(request: &mut ActionRequest) -> Result<ListRequest, Problem> {
    let resource = R::DESCRIPTOR;
    let replaces_list = request.replaced.as_ref().is_some_and(|replaced| replaced.operation == Operation::List);
    let is_search = replaces_list && request.parts.method == Method::POST;
    if is_search {
        let limit = request.state.limits().search_body();
        request.raw_body = Some(request.body_reader.json(&request.parts, limit).await?);
    }
    let mounted = request.state.mounted_resource(resource);
    let pagination = mounted.map_or(resource.pagination, |mounted| mounted.options().pagination);
    let principal = request.identity.principal.as_deref();
    let view = FieldVisibility::new(resource, principal);
    let reach = Reach { principal, enforcement: request.state.enforcement() };
    let limits = request.state.limits().query;
    let context = ListContext { resource, pagination, view: &view, reach, limits, takes: PROGRAM };
    let list = match request.raw_body.as_ref().filter(|_| is_search) {
        Some(body) => parse_search(context, &Json::read(body).map_err(|error| malformed(&error))?)?,
        None => {
            let is_lenient = Prefer::parse(&request.parts.headers).lenient;
            parse(context, request.parts.uri.query().unwrap_or_default(), is_lenient)?
        }
    };
    list.known()
}
