//! Code that handlers share, and the handlers of the service's own routes.

#[cfg(feature = "auth")]
pub(crate) mod auth;
pub(crate) mod authorization;
pub(crate) mod body_reader;
pub(crate) mod chunked;
#[cfg(feature = "auth")]
mod current_user;
pub(crate) mod idempotent;
#[cfg(feature = "jobs")]
pub(crate) mod jobs;
pub(crate) mod precondition;
pub(crate) mod read_again;
mod reading;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod unread;
#[cfg(feature = "auth")]
pub(crate) mod users;
mod writing;

pub(crate) use self::authorization::{authorize_action, authorize_role, require_access};
pub(crate) use self::body_reader::BodyReader;
pub(crate) use self::request::{Replacement, ResourceRequest};
