//! [`BoxFuture`] and [`AdapterFuture`]: the futures of object-safe traits.

use std::future::Future;
use std::pin::Pin;

use crate::model::adapter_error::AdapterError;

/// A boxed future, so that [`Adapter`](super::adapter::Adapter) is object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A [`BoxFuture`] of storage: `T`, or the database's error.
pub type AdapterFuture<'a, T> = BoxFuture<'a, Result<T, AdapterError>>;
