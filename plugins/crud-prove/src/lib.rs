#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod callers;
mod client;
mod command;
mod proof;
mod report;
mod rules;
mod ways;
mod world;

pub use command::check;
pub use proof::Proof;
pub use report::{Difference, Report};
