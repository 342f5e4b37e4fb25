//! [`RouteOptions`]: a route of the program without its handler.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::http::Method;

use super::check::Check;
use super::rule::RouteRule;
use crate::http::openapi::words::{AddedResponses, DescribeOperation, Words};
use crate::model::descriptor::{Deprecation, RateLimit};
use crate::model::problem::Code;

/// A route of the program without its handler: what it needs, its limits, and its words in the document.
#[derive(Debug)]
pub(crate) struct RouteOptions {
    pub(crate) method: Method,
    /// The access that the program states.
    pub(crate) access: Option<RouteRule>,
    pub(crate) check: Option<Check>,
    /// The largest size of the body, in bytes, where the service's is not smaller.
    pub(crate) body_limit: usize,
    /// The limit of the requests of one caller.
    pub(crate) rate_limit: Option<RateLimit>,
    /// The deprecation of the route, if it is deprecated.
    pub(crate) deprecation: Option<Deprecation>,
    /// Whether caches must not store its responses.
    pub(crate) no_store: bool,
    /// The member of an object that the handler's body and its answer are in.
    pub(crate) envelope: Option<&'static str>,
    pub(crate) is_documented: bool,
    pub(crate) tags: Vec<String>,
    pub(crate) operation_id: Option<String>,
    pub(crate) summary: String,
    pub(crate) description: String,
    /// The problems of the handler, if the program declares them.
    pub(crate) problems: Option<Vec<Code>>,
    /// Changes its words in the document, of a route that is the service's own.
    pub(crate) rewording: Option<Rewording>,
    /// The responses that the program adds to the document.
    pub(crate) responses: Vec<AddedResponses>,
    /// Changes its operation in the document, as the program says.
    pub(crate) description_of: Option<DescribeOperation>,
    /// Layers around the handler, the first one the innermost.
    pub(crate) layers: Vec<PutLayer>,
}

impl RouteOptions {
    pub(super) const fn new(method: Method) -> Self {
        Self {
            method,
            access: None,
            check: None,
            body_limit: usize::MAX,
            rate_limit: None,
            deprecation: None,
            no_store: false,
            envelope: None,
            is_documented: true,
            tags: Vec::new(),
            operation_id: None,
            summary: String::new(),
            description: String::new(),
            problems: None,
            rewording: None,
            responses: Vec::new(),
            description_of: None,
            layers: Vec::new(),
        }
    }
}

/// A change of the words of an operation in the document.
#[derive(Clone)]
#[cfg_attr(not(any(feature = "auth", feature = "jobs")), allow(dead_code))]
pub(crate) struct Rewording(pub(crate) Arc<dyn Fn(Words) -> Words + Send + Sync>);

impl fmt::Debug for Rewording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rewording")
    }
}

/// Puts a layer around the handler of a route.
#[derive(Clone)]
pub(crate) struct PutLayer(pub(crate) Arc<dyn Fn(Router) -> Router + Send + Sync>);

impl fmt::Debug for PutLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PutLayer")
    }
}
