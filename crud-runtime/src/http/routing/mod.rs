//! Own routes: axum's handlers with the access, limits, errors and document of generated ones.
//!
//! [`route`] makes a route of a function whose [`arguments`] axum's extractors take from the request and whose [`answer`] is
//! a response; [`describe`] has both for the document, and [`service`] answers requests.

pub(crate) mod answer;
pub(crate) mod argument;
pub(crate) mod bypass;
pub(crate) mod context;
#[cfg(feature = "auth")]
pub(crate) mod cookie_session;
pub(crate) mod describe;
pub(crate) mod function;
pub(crate) mod handler;
pub(crate) mod mounted;
pub(crate) mod next;
pub(crate) mod prepare;
pub(crate) mod records;
pub(crate) mod route;
pub(crate) mod route_context;
pub(crate) mod rule;
pub(crate) mod service;
#[cfg(feature = "auth")]
mod session;
