//! Code that handlers share, and the handlers of the service's own routes.

pub(crate) mod as_of;
pub(crate) mod audit_logs;
#[cfg(feature = "auth")]
pub(crate) mod auth;
pub(crate) mod authorization;
pub(crate) mod body_reader;
pub(crate) mod chunked;
pub(crate) mod cursor_page;
pub(crate) mod idempotent;
#[cfg(feature = "jobs")]
pub(crate) mod jobs;
pub(crate) mod last_move;
pub(crate) mod page;
pub(crate) mod precondition;
pub(crate) mod read_again;
mod reading;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod unknown_texts;
pub(crate) mod unread;
#[cfg(feature = "auth")]
pub(crate) mod users;
mod writing;
pub(crate) mod written;

pub(crate) use self::audit_logs::list as audit_logs;
pub(crate) use self::authorization::{authorize_action, authorize_role, require_access};
pub(crate) use self::body_reader::BodyReader;
pub(crate) use self::cursor_page::invalid_cursor;
pub(crate) use self::request::{Replacement, ResourceRequest};
