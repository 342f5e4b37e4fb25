//! [`ResourceRoutes`]: a resource's routes, for a router that the program builds.

use axum::Router;
use axum::extract::FromRef;
use axum::routing::MethodRouter;

use super::router;
use super::state::ServiceState;
use crate::model::descriptor::Operation;
use crate::model::resource::Resource;

/// The routes of every [`Resource`], for programs that build their own router.
pub trait ResourceRoutes: Resource {
    /// One operation as a route. The path of an operation on one record must end with the key's parameter.
    ///
    /// ```
    /// use crud_runtime::axum::Router;
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().migrate().await?;
    /// let app: Router = Router::new()
    ///     .route("/shelf", Book::route(Operation::List))
    ///     .route("/shelf/{id}", Book::route(Operation::Get))
    ///     .with_state(service.state()?);
    /// # Ok(()) }
    /// ```
    fn route<S>(operation: Operation) -> MethodRouter<S>
    where
        S: Clone + Send + Sync + 'static,
        ServiceState: FromRef<S>,
    {
        router::operation_route(Self::DESCRIPTOR, operation)
    }

    /// A router with all operations of the resource below `prefix`.
    ///
    /// ```
    /// use crud_runtime::axum::Router;
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().migrate().await?;
    /// let app: Router = Router::new().merge(Book::router("/shelf")).with_state(service.state()?);
    /// # Ok(()) }
    /// ```
    fn router<S>(prefix: &str) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
        ServiceState: FromRef<S>,
    {
        router::resource_router(Self::DESCRIPTOR, prefix)
    }
}

impl<R: Resource> ResourceRoutes for R {}
