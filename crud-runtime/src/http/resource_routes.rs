//! [`ResourceRoutes`]: a resource's routes for a router of the program's own.

use axum::Router;
use axum::extract::FromRef;
use axum::routing::MethodRouter;

use super::router;
use super::state::ServiceState;
use crate::model::descriptor::Operation;
use crate::model::resource::Resource;

/// The routes of every [`Resource`], for programs that lay their routes themselves.
pub trait ResourceRoutes: Resource {
    /// One operation as a route, for programs that lay their routes themselves. A path whose operation is for
    /// one record ends with the key's parameter.
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
        router::route(Self::DESCRIPTOR, operation)
    }

    /// All operations below `prefix`, for programs that lay their routes themselves.
    fn router<S>(prefix: &str) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
        ServiceState: FromRef<S>,
    {
        router::resource_router(Self::DESCRIPTOR, prefix)
    }
}

impl<R: Resource> ResourceRoutes for R {}
