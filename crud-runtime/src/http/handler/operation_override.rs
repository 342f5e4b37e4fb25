//! [`OperationOverride`]: a handler of the program in place of a generated operation.

use std::sync::Arc;

use axum::response::Response;

use super::request::ResourceRequest;
use crate::http::state::ServiceState;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;

/// A handler of the program in place of a generated operation.
pub(crate) trait OperationOverride: Send + Sync {
    /// Answers a request that may use the operation.
    fn respond(
        &self,
        operation: Operation,
        request: Box<ResourceRequest>,
    ) -> BoxFuture<'static, Result<Response, Problem>>;
}

/// An operation that a handler of the program answers.
pub(crate) struct OverriddenOperation {
    pub(crate) resource: &'static Descriptor,
    pub(crate) operation: Operation,
    pub(crate) handler: Arc<dyn OperationOverride>,
}

/// The operations of a service that handlers of the program answer: an extension of its state.
#[derive(Clone)]
pub(crate) struct OperationOverrides(Arc<[OverriddenOperation]>);

impl OperationOverrides {
    pub(crate) fn new(all: impl IntoIterator<Item = OverriddenOperation>) -> Self {
        Self(all.into_iter().collect())
    }

    /// The handler of the program in place of a generated operation, if there is one.
    pub(crate) fn find(
        state: &ServiceState,
        resource: &'static Descriptor,
        operation: Operation,
    ) -> Option<Arc<dyn OperationOverride>> {
        let Self(all) = state.parts().extensions.get()?;
        let mut found =
            all.iter().filter(|found| found.operation == operation && std::ptr::eq(found.resource, resource));
        found.next().map(|found| found.handler.clone())
    }
}
