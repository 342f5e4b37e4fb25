#![doc = include_str!("../README.md")]

mod adapter;
mod list;
mod order;
mod predicate;
mod references;
mod tables;
mod transaction;
mod unique;
mod write;

pub use adapter::Memory;
