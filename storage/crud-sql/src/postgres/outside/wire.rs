//! [`Wire`]: a driver of tests, without a server.

use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::task::yield_now;

use super::{Cell, DriverError, Parameter, PostgresDriver, QueryResult};
use crate::storage::adapter::BoxFuture;

/// Note of a connection that is opened.
const CONNECT: &str = "connect";

/// A driver that pipelines, and notes what it sends. Its connections are closed all at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Wire {
    sent: Arc<Mutex<Vec<String>>>,
    is_closed: Arc<AtomicBool>,
}

impl Wire {
    fn note(&self, text: &str) {
        self.sent.lock().unwrap().push(text.to_owned());
    }

    /// The notes, in order.
    pub(super) fn sent(&self) -> Vec<String> {
        self.sent.lock().unwrap().clone()
    }

    /// Number of connections that were opened.
    pub(super) fn connects(&self) -> usize {
        self.sent().iter().filter(|sent| *sent == CONNECT).count()
    }

    /// Closes the connections, as a server does that stops.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }
}

impl PostgresDriver for Wire {
    type Connection = Self;
    type Row = ();

    fn connect(&self) -> BoxFuture<'_, Result<Self, DriverError>> {
        Box::pin(async move {
            self.note(CONNECT);
            yield_now().await;
            self.is_closed.store(false, Ordering::Relaxed);
            Ok(self.clone())
        })
    }

    fn share(connection: &Self) -> Option<Self> {
        Some(connection.clone())
    }

    fn is_open(connection: &Self) -> bool {
        !connection.is_closed.load(Ordering::Relaxed)
    }

    fn query<'a>(
        connection: &'a mut Self,
        statement: &'a str,
        _: &'a [Parameter],
    ) -> BoxFuture<'a, Result<QueryResult<()>, DriverError>> {
        connection.note(statement);
        Box::pin(ready(Ok(QueryResult { rows: Vec::new(), changed: 0 })))
    }

    fn batch<'a>(connection: &'a mut Self, statements: &'a str) -> BoxFuture<'a, Result<(), DriverError>> {
        connection.note(statements);
        Box::pin(ready(Ok(())))
    }

    fn columns((): &()) -> usize {
        0
    }

    fn cell((): &(), _: usize) -> Result<Cell<'_>, DriverError> {
        Err(DriverError::new("a row has no columns"))
    }
}
