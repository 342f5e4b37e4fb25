//! [`OperationRoute`]: a method and a path of a resource, with everything in which routes differ.

use std::borrow::Cow;

use axum::http::Method;
use axum::response::Response;

use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::operation_doc::OperationDoc;
use crate::http::handler::ResourceRequest;
use crate::http::request_policy::RequestPolicy;
use crate::model::access::{Access, Enforcement};
use crate::model::descriptor::{Descriptor, ManyToMany, Operation, Transition};
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;

/// Answers a request that may use the operation.
pub(crate) type Handler = fn(Box<ResourceRequest>) -> BoxFuture<'static, Result<Response, Problem>>;

/// Writes an operation of the document.
pub(crate) type Document = fn(&DocumentedResource<'_>, &OperationRoute) -> OperationDoc;

/// A route of a resource.
#[derive(Debug, Clone)]
pub(crate) struct OperationRoute {
    pub(crate) method: Method,
    /// The path below the resource's prefix.
    pub(crate) path: &'static str,
    /// The operation of the route, which decides its access, whether `operations` offers it, and which handler of the
    /// program replaces it.
    pub(crate) operation: Operation,
    /// The transition that the route makes, with the column of its state.
    pub(crate) transition: Option<(usize, &'static Transition)>,
    /// The relation whose links the route serves.
    pub(crate) links: Option<&'static ManyToMany>,
    /// Check whether a resource that offers the operation has the route.
    pub(crate) is_of: fn(&Descriptor) -> bool,
    pub(crate) policy: RequestPolicy,
    /// The names of the query's parameters; `None` where the handler reads the whole query.
    pub(crate) parameters: Option<&'static [&'static str]>,
    pub(crate) body: Body,
    pub(crate) extent: Extent,
    /// Whether a handler of the program in the operation's place answers the route.
    pub(crate) is_replaced: bool,
    /// The parameters that need the access of another operation too.
    pub(crate) more_access: fn(&Descriptor) -> Vec<(String, Operation)>,
    pub(crate) handler: Handler,
    /// The id in the document: `{one}` stands for the name of a record, `{many}` for that of several.
    pub(crate) id: Cow<'static, str>,
    pub(crate) document: Document,
}

/// The body that an operation reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    None,
    /// JSON of the size of a record.
    Json,
    /// JSON that may be absent.
    OptionalJson,
    /// JSON of the size of a batch.
    Batch,
    /// A file of records.
    File,
}

/// The records that an operation changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// One record, and none that refers to it.
    One,
    /// Several records, which the answer has.
    Batch,
    /// Any other records.
    Any,
}

/// The handler that calls an `async fn` with the request and further arguments.
macro_rules! handler {
    ($function:path $(, $argument:expr)*) => {
        |request| ::std::boxed::Box::pin($function(request $(, $argument)*))
    };
}
pub(super) use handler;

impl OperationRoute {
    /// A route without parameters and body.
    pub(super) fn new(
        method: Method,
        path: &'static str,
        operation: Operation,
        id: impl Into<Cow<'static, str>>,
        handler: Handler,
        document: Document,
    ) -> Self {
        Self {
            method,
            path,
            operation,
            transition: None,
            links: None,
            is_of: |_| true,
            policy: RequestPolicy::new(operation.is_read()),
            parameters: Some(&[]),
            body: Body::None,
            extent: Extent::Any,
            is_replaced: true,
            more_access: |_| Vec::new(),
            handler,
            id: id.into(),
            document,
        }
    }

    /// The operation on the resource whose access requests need. The routes of links need the access to see the record,
    /// and that of the junction besides.
    pub(crate) const fn access(&self) -> Operation {
        if self.links.is_some() { Operation::Get } else { self.operation }
    }

    /// Whether the route's answers are the same for every sender.
    pub(crate) fn is_open(&self, resource: &Descriptor, enforcement: Enforcement) -> bool {
        // Linked records may need more access than the record.
        let rules = enforcement.effective(&resource.access);
        resource.is_open(&rules, self.operation) && self.transition_access().is_none() && self.links.is_none()
    }

    /// Whether a principal has the access that the route needs; `None` is a request without a token.
    pub(crate) fn admits(
        &self,
        resource: &Descriptor,
        enforcement: Enforcement,
        principal: Option<&Principal>,
    ) -> bool {
        match self.transition_access() {
            Some(access) => access.admits(principal) || !enforcement.applies(true),
            None => enforcement.admits(&resource.access, self.access(), principal),
        }
    }

    /// The access of the route's transition, where it states one.
    fn transition_access(&self) -> Option<Access> {
        self.transition.and_then(|(_, transition)| transition.access)
    }

    /// Whether requests of the route name a record.
    pub(crate) fn is_of_record(&self) -> bool {
        self.path.contains("{id}")
    }
}
