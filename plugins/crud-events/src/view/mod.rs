//! The views: which messages a subscriber gets about entries.
//!
//! An event has the record as it is now. A subscriber whose view has the record gets it whole. One whose view had it
//! only before the change gets its removal. Other subscribers get nothing. A `reset` makes the subscriber list again.
//! It is sent if the log lacks the former values of a change, or if a record changes that decides which others a view
//! has (a membership). A change of the subscriber's own membership of a tenant sends one too.

mod concerned;
#[cfg(test)]
mod model;
mod past;
mod paths;
mod render;
mod snapshot;
mod views;

pub(crate) use self::concerned::{Concerned, Since};
pub(crate) use self::render::Told;
pub(crate) use self::snapshot::Snapshot;
#[cfg(feature = "webhooks")]
pub(crate) use self::views::Rendered;
pub(crate) use self::views::Views;
