#![doc = include_str!("../README.md")]

mod adapter;
mod condition;
mod list;
mod order;
mod references;
mod tables;
mod unique;
mod write;

pub use adapter::Memory;
