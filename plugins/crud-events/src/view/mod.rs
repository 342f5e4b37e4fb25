//! The views: what a subscriber is told of entries.
//!
//! An event says what a record is now: a subscriber whose view has the record gets it whole, and one whose view had it before
//! the change, and has it no longer, learns that it is removed. Other subscribers learn nothing. A change of a record that decides
//! which others a view has (a membership), and one whose former values the log does not tell, is a `reset`: the subscriber lists
//! again. So is a change of the subscriber's own membership of a tenant, by which it may have other rights.

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
