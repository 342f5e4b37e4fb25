//! Webhooks, on every SQL back end.

mod addresses;
mod hostile;
mod queue;
mod receiver;
mod retries;
mod rotation;
mod routes;
mod servers;
mod shop;
