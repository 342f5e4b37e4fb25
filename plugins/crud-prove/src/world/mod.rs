//! The generated records: of each resource, some for each person, in its tenant, with its claims and its ownership.

mod draft;
mod generate;
mod generated;
mod order;
mod pattern;
mod person;
mod record;
mod sample;
mod served;

pub(crate) use draft::Variant;
pub(crate) use generate::generate;
pub(crate) use generated::World;
pub(crate) use person::{PASSWORD, STRANGER};
pub(crate) use record::Record;
pub(crate) use sample::word_of;
pub(crate) use served::Served;
