//! [`RouteOptions`]: a route of the program without its handler.

use axum::Router;
use axum::http::Method;

use crate::http::description::operation_doc::{AddedResponses, DescribeOperation, OperationDoc};
use crate::http::routing::context::Context;
use crate::http::routing::rule::RouteRule;
use crate::model::descriptor::{Deprecation, RateLimit};
use crate::model::problem::{Code, Problem};
use crate::storage::future::BoxFuture;

/// A route of the program without its handler: what it needs, its limits, and its description in the document.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option for itself")]
pub(crate) struct RouteOptions {
    pub(crate) method: Method,
    /// The access that the program states.
    pub(crate) access: Option<RouteRule>,
    pub(crate) check: Option<Check>,
    /// Whether the route refuses principals that act for a user.
    pub(crate) is_personal: bool,
    /// Whether the handler itself identifies the sender.
    pub(crate) identifies_sender: bool,
    /// The largest size of the body, in bytes, if the service's limit is not smaller.
    pub(crate) body_limit: Option<usize>,
    /// For a route of streams, the minimum rate of a body that the handler reads as a stream, in bytes a second.
    pub(crate) streams: Option<u32>,
    /// The media types of a raw body in the document.
    pub(crate) body_types: Vec<&'static str>,
    /// The media types of a raw answer in the document.
    pub(crate) answer_types: Vec<&'static str>,
    /// The limit of the requests of one caller.
    pub(crate) rate_limit: Option<RateLimit>,
    /// The deprecation of the route, if it is deprecated.
    pub(crate) deprecation: Option<Deprecation>,
    /// The label of the route's button, where pages for people show one.
    pub(crate) button: Option<String>,
    /// Whether caches must not store the responses.
    pub(crate) no_store: bool,
    /// The member of an object that the handler's body and its answer are in.
    pub(crate) envelope: Option<&'static str>,
    /// Whether the document leaves the route out.
    pub(crate) is_undocumented: bool,
    pub(crate) tags: Vec<String>,
    pub(crate) operation_id: Option<String>,
    pub(crate) summary: String,
    pub(crate) description: String,
    /// The problems of the handler, if the program declares them.
    pub(crate) problems: Option<Vec<Code>>,
    /// For a route of the service itself, changes its description in the document.
    pub(crate) rewording: Option<Rewording>,
    /// The responses that the program adds to the document.
    pub(crate) responses: Vec<AddedResponses>,
    /// The program's change of the operation in the document.
    pub(crate) description_of: Option<DescribeOperation>,
    /// Layers around the handler, the first one the innermost.
    pub(crate) layers: Vec<PutLayer>,
}

/// The program's check of a request whose access is admitted, before its parameters and its body are read.
pub(crate) type Check = Box<dyn Fn(Context) -> BoxFuture<'static, Result<(), Problem>> + Send + Sync>;

/// A change of the description of an operation in the document.
pub(crate) type Rewording = Box<dyn Fn(OperationDoc) -> OperationDoc + Send + Sync>;

/// Puts a layer around the handler of a route.
pub(crate) type PutLayer = Box<dyn Fn(Router) -> Router + Send + Sync>;
