//! The generated records: some of each resource for each person, with the person's tenant, claims and ownership.

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
