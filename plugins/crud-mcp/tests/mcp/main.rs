//! Agents, on every back end.

mod access;
mod answers;
mod log;
mod protection;
mod protocol;
mod start;
mod support;
mod tools;
