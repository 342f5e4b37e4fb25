//! [`Locked`]: the record of an item's route, locked.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::http::handler::precondition::Precondition;
use crate::http::routing::argument::dereferences;
use crate::http::routing::describe::{DescribeArgument, Described};
use crate::http::routing::route_context::RouteContext;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Problem;
use crate::model::resource::Writable;
use crate::model::row::{Row, RowSink};
use crate::storage::adapter::BoxFuture;
use crate::storage::decide::{RecordState, state};
use crate::storage::write::Guard;
use crate::store::writer::related_scopes::Lookup;

/// The record that the path of an item's route names, locked in a transaction that the handler's success commits.
///
/// 404 when there is no such record, or when it is soft-deleted or another owner's; 403 when a `scope(write, …)` does
/// not have it; 412 when `If-Match` names another version.
///
/// An extractor of the program that takes a locked record has to describe it too, by `<Locked<Part> as
/// DescribeArgument<S>>::describe`: the route reads the body before it locks. Without that, requests are 500
/// `internal`.
///
/// ```
/// use crud_runtime::error::{Code, Problem};
/// use crud_runtime::routing::{Context, Locked, Record, post};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Part { id: i64, stock: i32 }
///
/// /// Takes one part. Two requests for the last one cannot both have it.
/// async fn take(ctx: Context, part: Locked<Part>) -> crud_runtime::Result<Record<Part>> {
///     if part.stock == 0 {
///         return Err(Problem::new(Code::Conflict, "there is none").into());
///     }
///     Ok(Record(ctx.store::<Part>().update(part.id, PartPatch::default().stock(part.stock - 1)).await?))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().route("/parts/{id}/take", post(take));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Locked<R>(R);

impl<R> Locked<R> {
    /// The record.
    pub fn into_inner(self) -> R {
        self.0
    }
}

dereferences!(Locked);

impl<S: Send + Sync, R: Writable> FromRequestParts<S> for Locked<R> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let mut record = None;
        lock(parts, R::DESCRIPTOR, &mut |row| {
            record = Some(R::from_row(row)?);
            Ok(())
        })
        .await?;
        let missing = || Problem::internal("the record was not read");
        record.map(Self).ok_or_else(missing)
    }
}

/// Locks the record of a route, which `read` gets if its guard admits it.
///
/// # Errors
/// The guard's refusal; a record that is not there; errors of storage.
fn lock<'a>(
    parts: &'a Parts,
    resource: &'static Descriptor,
    read: &'a mut Read<'a>,
) -> BoxFuture<'a, Result<(), Problem>> {
    Box::pin(async move {
        let context = RouteContext::of(&parts.extensions)?;
        check_described(&context, resource)?;
        let id = context.id.get().cloned().ok_or_else(|| Problem::internal("the route names no record"))?;
        let transaction = context.begin().await?;
        if context.identity.records.has_related() {
            let looked_up = Lookup::within(&transaction).prepare(resource, &context.identity.records, &id).await;
            looked_up.map_err(|error| Problem::from_adapter(resource, error))?;
        }
        let guard = Precondition::new(resource, &context.identity, &context.headers, &mut Changes::new());
        let mut sink =
            Sink { resource, guard: guard.as_deref().map(|guard| guard as &dyn Guard), read, found: Found::Missing };
        let locked = transaction.lock(resource, &id, context.identity.records.tenant(), &mut sink).await;
        locked.map_err(|error| Problem::from_adapter(resource, error))?;
        match (sink.found, guard) {
            (Found::Admitted, _) => Ok(()),
            (Found::Refused, Some(guard)) => Err(guard.refusal()),
            _ => Err(Problem::record_not_found(resource, &id)),
        }
    })
}

/// Checks that the route expects the lock: the record belongs to its resource, the body is read, and its method may
/// change something.
///
/// # Errors
/// `internal` for an argument that takes the record and does not describe it.
fn check_described(context: &RouteContext, resource: &'static Descriptor) -> Result<(), Problem> {
    let described = &context.described;
    if described.locks && described.records.iter().any(|known| std::ptr::eq(*known, resource)) {
        return Ok(());
    }
    let name = resource.name;
    Err(Problem::internal(format!(
        "an argument takes `Locked<{name}>` and does not describe it: call `<Locked<{name}> as DescribeArgument<S>>::describe` in \
         its `describe`"
    )))
}

impl<S, R: Writable> DescribeArgument<S> for Locked<R> {
    const LOCKS: bool = true;

    fn describe(described: &mut Described) {
        described.locks = true;
        described.records.push(R::DESCRIPTOR);
    }
}

/// A reader of the record that is locked.
type Read<'r> = dyn FnMut(&dyn Row) -> Result<(), AdapterError> + Send + 'r;

struct Sink<'g> {
    resource: &'static Descriptor,
    guard: Option<&'g dyn Guard>,
    read: &'g mut Read<'g>,
    found: Found,
}

/// The active record of the path.
enum Found {
    Missing,
    Refused,
    Admitted,
}

impl RowSink for Sink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        if state(self.resource, row)? == RecordState::Deleted {
            return Ok(());
        }
        let admitted = self.guard.map_or(Ok(true), |guard| guard.admits(row))?;
        self.found = if admitted { Found::Admitted } else { Found::Refused };
        if admitted { (self.read)(row) } else { Ok(()) }
    }
}
