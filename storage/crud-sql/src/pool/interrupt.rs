//! [`Interrupt`]: how the statement of a request that has gone is ended on its server.

use std::fmt;
use std::sync::Arc;

use crate::driver::{Connection, Driver};
use crate::storage::future::BoxFuture;

/// Interruption of the statement of a request that has gone, on its server by another connection.
pub(crate) trait Interrupt<D: Driver>: fmt::Debug + Send + Sync + 'static {
    /// Names a connection to its server; `None` where that is not needed.
    fn name<'a>(&'a self, connection: &'a mut Connection<D>) -> BoxFuture<'a, Result<Option<Arc<str>>, D::Error>>;

    /// Ends the statement that runs on the connection of this name, if there is one.
    fn interrupt(&self, name: Arc<str>) -> BoxFuture<'static, Result<(), D::Error>>;
}
