//! API keys, on every back end.

mod attacks;
mod rights;
mod routes;
mod shop;
mod tenants;
