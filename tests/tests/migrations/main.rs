//! Written migrations, on each back end: the difference between structs and a database becomes SQL, which is reviewed,
//! applied and reverted.
//!
//! | Promise | Modules |
//! |---|---|
//! | A changed struct is migrated, and reverted without loss | `round_trip`, `lossless` |
//! | A renamed field keeps its values, a new required one is filled in | `renames` |
//! | Tables that a service created get a migration that creates them | `baseline` |
//! | A change that existing records may violate is checked against them | `constraints` |
//! | Indexes of part of the records follow the struct | `partial` |
//! | SQLite tables are rebuilt with all that belongs to them | `rebuild` |
//! | The status of a database and its directory is reported | `history` |
//! | Views are created after their tables, and made anew | `views` |
//! | The service's own tables are created and completed | `own_tables` |
//! | The index of a full-text search follows the struct | `search` |
//! | Two versions of a program run on one database while it changes | `rolling`, `verdicts` |
//! | The SQL is what was reviewed | `golden` |
#![allow(missing_docs)] // helpers of a test binary

mod baseline;
mod constraints;
mod golden;
mod history;
mod lossless;
mod own_tables;
mod partial;
mod rebuild;
mod renames;
mod rolling;
mod round_trip;
mod search;
mod support;
mod verdicts;
mod views;
