//! Tasks of the program beside requests.

use std::future::Future;

use super::builder::Service;
use crate::http::state::ServiceState;
use crate::storage::future::BoxFuture;

/// Makes a task of the program from the state.
pub(super) type BesideTask = Box<dyn Fn(ServiceState) -> BoxFuture<'static, ()> + Send + Sync>;

/// # Tasks
///
/// Tasks that run as long as the service.
impl Service {
    /// Runs a task beside requests, from the start until the service drains: it is dropped then, at an `.await`. Work
    /// that must not be cut short belongs in a transaction or a [job](Self::job). In [`test`](Self::test), neither
    /// tasks nor jobs run.
    ///
    /// ```
    /// use std::time::Duration;
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().beside(|state| async move { loop {
    ///     let books = state.app().store::<Book>().count(Select::all()).await;
    ///     println!("{books:?}");
    ///     tokio::time::sleep(Duration::from_mins(1)).await;
    /// } });
    /// # let _ = service; Ok(()) }
    /// ```
    pub fn beside<F, W>(mut self, task: F) -> Self
    where
        F: Fn(ServiceState) -> W + Send + Sync + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        self.beside.push(Box::new(move |state| Box::pin(task(state))));
        self
    }
}
