//! Code that handlers share.

pub(crate) mod authorization;
pub(crate) mod body_reader;
pub(crate) mod chunked;
pub(crate) mod operation_override;
pub(crate) mod precondition;
pub(crate) mod rate_limit;
pub(crate) mod request;
pub(crate) mod response;

pub(crate) use self::authorization::{authorize_role, require_access};
pub(crate) use self::body_reader::BodyReader;
pub(crate) use self::request::ResourceRequest;
