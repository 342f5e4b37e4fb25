//! [`Bypass`]: a way to an operation that bypasses a handler in its place.

/// A way to an operation that bypasses a handler in its place ([`Service::replace`](crate::Service::replace)).
///
/// ```
/// use crud_runtime::axum::response::Response;
/// use crud_runtime::routing::{Bypass, Next, handler};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(batch)]
/// struct Book { id: i64, title: String }
///
/// async fn create(next: Next) -> crud_runtime::Result<Response> {
///     Ok(next.run().await?)
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
/// // Batches create records too, and the generated ones are meant.
/// let service = service.replace::<Book>(Operation::Create, handler(create)).keep_generated::<Book>(Bypass::Many);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bypass {
    /// The operation that does the same to many records: a batch, or a restore or purge of many, that is not replaced too.
    Many,
    /// The export, which reads like the list.
    Export,
    /// The aggregates, which group the records of the list.
    Aggregate,
    /// Past records by `?as_of=`, and the log of all resources: both show entries of the history.
    Log,
    /// The import, which creates, and updates by `on_conflict`.
    Import,
    /// The routes of transitions, which update.
    Transitions,
    /// Updates, which restore where the resource has `auto_restore_on_update`.
    Updates,
    /// Removals of records that records of this resource refer to. With `on_delete(cascade)` they remove the referring
    /// records too, with `on_delete(set_null)` they change them.
    Cascades,
    /// Bodies of other resources that write records of this one: `nested` of `has_many`.
    Nested,
    /// Links of other resources that are records of this one: `many_to_many`.
    Links,
    /// Requests for other resources that show fields of this one: in expanded records, conditions and orders.
    Relations,
}
