//! Webhooks, on every SQL back end.

mod addresses;
mod clocks;
mod hostile;
mod killed;
mod matrix;
mod order;
mod panics;
mod process;
mod queue;
mod receiver;
mod retries;
mod rotation;
mod routes;
mod servers;
mod shop;
mod strangers;
