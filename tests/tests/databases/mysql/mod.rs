//! MySQL and MariaDB: tables, errors, sessions and transactions.
//!
//! | Promise | Modules |
//! |---|---|
//! | Tables are created, and rejected where they differ | `migrations` |
//! | Indexes serve the lists they are meant for | `indexes` |
//! | Errors and unreadable values are reported in terms of the resource | `errors` |
//! | A user that may read, or change records alone, is enough; what it may not do is 403 | `poor_users` |
//! | Session settings are the service's | `connections` |
//! | A transaction that the server ended is noticed, by no statement more | `transactions` |

mod connections;
mod errors;
mod indexes;
mod migrations;
mod poor_users;
mod support;
mod transactions;
