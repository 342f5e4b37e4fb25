#![doc = include_str!("../README.md")]

mod attach;
mod check;
mod column;
mod commands;
mod disposition;
mod field;
mod file;
mod file_service;
mod files;
mod inspect;
mod link;
mod marker;
mod media_type;
mod options;
mod range;
mod receive;
mod refusal;
mod removals;
mod routes;
mod size;
mod storage;
mod sweep;
mod table;
mod transfers;
mod truth;
mod turns;

pub use file::File;
pub use files::Files;
pub use inspect::{Inspected, Verdict};
pub use object_store;
pub use options::FileOptions;
