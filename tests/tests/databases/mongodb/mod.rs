//! MongoDB: documents, their members beside the columns, and changes that are finished later.
//!
//! | Promise | Modules |
//! |---|---|
//! | Values are stored as the documentation says, and documents that do not fit are reported by their key | `documents` |
//! | Collections, indexes and descriptions are created; another struct's documents count by the new rules | `migrations` |
//! | What a crash interrupts is finished, and no reader sees half of a change | `interrupted` |
//! | Errors are reported in terms of the resource | `errors` |
//! | Where the server has transactions, writes of several records are atomic, and the server's labels are followed | `transactions` |

mod documents;
mod errors;
mod interrupted;
mod migrations;
mod support;
mod transactions;
