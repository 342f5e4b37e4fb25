//! Rules for every database server; `SQLite` has one writer and no connections to lose.
//!
//! | Promise | Modules |
//! |---|---|
//! | Each of many concurrent changes gets its own result | `concurrency` |
//! | Writers of the same records neither lose changes nor deadlock | `writers` |
//! | A database that cannot be opened is named with what to mend | `unreachable` |
//! | Broken connections and blocked locks end in an answer | `connections` |

mod concurrency;
mod connections;
mod unreachable;
mod writers;
