//! The rules of the booking of rooms, over HTTP: each person of the seed logs in, and sends its token. They run on SQLite, and in
//! the long part on each back end with SQL.
//!
//! | Topic | Modules |
//! |---|---|
//! | Who has a time, who waits for it | `races`, `waiting` |
//! | Bookings that recur, days of a location's clock, links without a login | `series`, `links` |
//! | Companies, guests, invitations | `people` |
//! | Sensors, agents, proofs | `programs` |
//!
//! The document database is not among them: spans that exclude each other need transactions of several calls.

mod links;
mod people;
mod programs;
mod races;
mod series;
mod waiting;
mod world;
