//! The views: which messages a subscriber gets about entries.
//!
//! An event has the record as it is now. A subscriber whose view has the record gets it whole. One whose view had it
//! only before the change gets its removal. Other subscribers get nothing. Some changes are a `reset`, after which the
//! subscriber lists again: a change of a record that decides which others a view has (a membership), a change whose
//! former values the log lacks, and a change of the subscriber's own membership of a tenant.

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
