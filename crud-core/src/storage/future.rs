//! [`BoxFuture`]: the futures of object-safe traits.

use std::future::Future;
use std::pin::Pin;

/// A boxed future, so that [`Adapter`](super::adapter::Adapter) is object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
