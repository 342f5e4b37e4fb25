//! [`ListParameters`]: the filters, order and page that a request asks for.

use std::fmt;
use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::http::body::malformed;
use crate::http::handler::require_access;
use crate::http::param::header::prefer::Prefer;
use crate::http::param::list::{Json, ListContext, PROGRAM, parse, parse_search};
use crate::http::routing::describe::{DescribeArgument, Described};
use crate::http::routing::route_context::RouteContext;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::query::visibility::{FieldVisibility, Visibility};
use crate::query::{ListQuery, Scope, Select};

/// The filters, the order and the page of a request's query string, as the resource's generated list reads them: for a
/// route that lists.
///
/// They can name the fields that the sender of the request sees, in this and other resources. Errors are those of the
/// generated list. Only the generated list takes `expand` and cursors.
///
/// ```
/// use crud_runtime::Page;
/// use crud_runtime::routing::{Context, ListParameters, get};
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(filter, sort, pagination)]
/// struct Part { id: i64, name: String, stock: i32 }
///
/// /// The parts that are to be ordered: GET /parts/low?name__ilike=b%25&limit=5
/// async fn low(ctx: Context, parameters: ListParameters<Part>) -> crud_runtime::Result<Page<Part>> {
///     ctx.store::<Part>().page(parameters.select().filter(Part::FIELDS.stock.lt(10))).await
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>();
/// let service = service.route("/parts/low", get(low));
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

impl<S: Send + Sync, R: Resource> FromRequestParts<S> for ListParameters<R> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let context = RouteContext::of(&parts.extensions)?;
        let missing = || Problem::internal("the route has no parameters of this list");
        // Conditions have indexes of columns, which mean other columns in another resource.
        let is_own = context.described.list.is_some_and(|list| std::ptr::eq(list, R::DESCRIPTOR));
        let read = context.read.get().filter(|_| is_own);
        let query = read.and_then(|read| read.list.clone()).ok_or_else(missing)?;
        Ok(Self { query, resource: PhantomData })
    }
}

impl<S, R: Resource> DescribeArgument<S> for ListParameters<R> {
    fn describe(described: &mut Described) {
        let other = described.list.replace(R::DESCRIPTOR);
        described.note("ListParameters", other, R::DESCRIPTOR);
    }
}

/// Reads the parameters from the query string; in place of a generated search, from the body.
///
/// # Errors
/// Errors of the generated list.
pub(in crate::http::routing) fn read(
    context: &RouteContext,
    resource: &'static Descriptor,
    search: Option<&[u8]>,
) -> Result<ListQuery, Problem> {
    let mounted = context.state.mounted_resource(resource);
    let pagination = mounted.map_or(resource.pagination, |mounted| mounted.options().pagination);
    let principal = context.identity.principal.as_deref();
    let view = FieldVisibility::new(resource, principal);
    let visibility = Visibility { principal, enforcement: context.state.enforcement(), reached: None };
    let limits = context.state.limits().query;
    let list_context = ListContext { resource, pagination, view: &view, visibility, limits, takes: PROGRAM };
    let list = match search {
        Some(body) => parse_search(list_context, &Json::read(body).map_err(|error| malformed(&error))?)?,
        None => parse(list_context, &context.query, Prefer::parse(&context.headers).lenient)?,
    };
    let list = list.known()?;
    if list.scope != Scope::Active && list.scope != Scope::default_of(resource) {
        require_access(&context.state, &context.identity, Operation::Restore, resource)?;
    }
    Ok(list.query)
}
