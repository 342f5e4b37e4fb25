//! Streams of events over HTTP: Server-Sent Events, and long polls.

mod document;
mod frame;
mod group;
mod hub;
mod limits;
mod live;
mod position;
mod renewals;
mod request;
mod routes;
mod subscription;
pub(crate) mod ticket;

pub(crate) use self::routes::all as routes;

use self::hub::Hub;
use self::limits::Limits;

/// State that the streams of a service share.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    pub(crate) hub: Hub,
    pub(crate) limits: Limits,
}
