//! Written migrations, on each back end: the difference between structs and a database becomes SQL, which is reviewed,
//! applied and reverted.
//!
//! | Promise | Modules |
//! |---|---|
//! | A changed struct is migrated, and reverted without loss | `round_trip`, `lossless` |
//! | A renamed field keeps its values, a new required one is filled in | `renames` |
//! | Branches that each bring a migration are merged, and files keep their hashes | `branches` |
//! | A start on a table that contradicts its struct names the commands that change it | `mended` |
//! | A renamed struct keeps its table, which a migration renames later | `table_names` |
//! | Several structs of one table are one description of it | `shared_tables` |
//! | Tables that a service created get a migration that creates them | `baseline` |
//! | Tables that refer to each other are created | `mutual` |
//! | A change that existing records may violate is checked against them | `constraints` |
//! | Several properties of a column change at once | `widened` |
//! | Numbers that become decimals keep their values | `decimals` |
//! | Unique text becomes unique in any letter case, and back | `case_insensitive` |
//! | An index that a foreign key needs is replaced | `unique_references` |
//! | Files are applied as they are written | `files` |
//! | Any change of structs is applied and reverted without loss | `property` |
//! | A program is migrated release by release, and each record is as it must be | `story` |
//! | Files of a partitioned table are ones that PostgreSQL takes | `partitioned` |
//! | Indexes of part of the records follow the struct | `partial` |
//! | Views and triggers that read a renamed column are created again | `dependents` |
//! | SQLite tables are rebuilt with all that belongs to them | `rebuild` |
//! | Data migrations run in order with the files, each batch once | `data_migrations` |
//! | The status of a database and its directory is reported | `history` |
//! | Views are created after their tables, and made anew | `views` |
//! | Statements are shown before they are written, and an author's are applied | `own_statements` |
//! | The service's own tables are created and completed | `own_tables` |
//! | A plugin's next version is migrated by the program's files | `plugin_tables` |
//! | The index of a full-text search follows the struct | `search` |
//! | Requests do not wait behind a change that waits for a lock | `locks` |
//! | Databases of the last version are opened by this one | `upgrade` |
//! | Two versions of a program run on one database while it changes | `rolling`, `verdicts` |
//! | The SQL is what was reviewed | `golden` |
//! | An author's directory, requests meanwhile | `checkout`, `load` |
#![allow(missing_docs)] // helpers of a test binary

mod baseline;
mod branches;
mod case_insensitive;
mod checkout;
mod constraints;
mod data_migrations;
mod decimals;
mod dependents;
mod files;
mod golden;
mod history;
mod load;
mod locks;
mod lossless;
mod mended;
mod mutual;
mod own_statements;
mod own_tables;
mod partial;
mod partitioned;
mod plugin_tables;
mod property;
mod rebuild;
mod renames;
mod rolling;
mod round_trip;
mod search;
mod shared_tables;
mod story;
mod support;
mod table_names;
mod unique_references;
mod upgrade;
mod verdicts;
mod views;
mod widened;
