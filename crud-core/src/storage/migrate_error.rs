//! [`MigrateError`]: why a database could not be made ready for the resources.

use std::path::PathBuf;

use crate::model::adapter_error::AdapterError;

/// Error of a database that could not be made ready for the resources.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// The database contradicts the structs: every difference, a line each, such as
    /// ``table `products`, column `price`: is TEXT, must be REAL``.
    #[error("the database does not fit the resources:\n  {}", .0.join("\n  "))]
    Mismatch(Vec<String>),
    /// Storage lacks the [capability](crate::adapter::Capabilities::migrations).
    #[error("this storage has no migrations")]
    Unsupported,
    /// The directory of migrations cannot be read or written.
    #[error("the migrations in `{}` cannot be used: {reason}", directory.display())]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// Reason why the directory cannot be read or written.
        reason: String,
    },
    /// Migrations of the directory have not been applied: their files' names.
    #[error("the database is behind: {} not been applied", has(.0))]
    Behind(Vec<String>),
    /// The database has migrations that the directory lacks: their versions.
    #[error("the database is ahead: {} been applied, and {} not in the directory of migrations", has(.0), if .0.len() == 1 { "is" } else { "are" })]
    Ahead(Vec<String>),
    /// A file is not applied, and one with a later version is: files are applied in order.
    #[error(
        "`{name}` is out of order: it is not applied, and the newer `{newest}` is. Where the first is your branch's, `crud \
         migrate rebase {name}` puts it behind all others; where it came with a merge, `crud migrate revert` the newer one, \
         and apply both"
    )]
    OutOfOrder {
        /// The file's name.
        name: String,
        /// The name of the newest applied file.
        newest: String,
    },
    /// Files were changed after they had been applied: their names.
    #[error("{} been changed after it was applied: put it back as it was, and write another migration", has(.0))]
    Changed(Vec<String>),
    /// A migration stopped after some of its statements, on a database that cannot roll back DDL, or in a file that
    /// runs in no transaction. Applying or reverting it again continues with the statement at which it stopped.
    #[error(
        "`{0}` is applied or reverted in part: another process is running it, or the last run was interrupted; run it \
         again, and if this error is returned again, repair the database and delete the row from `_crud_migrations`"
    )]
    Interrupted(String),
    /// Some shards lack a migration that others have.
    #[error("`{name}` is not applied in {}: `crud migrate apply` applies it there", .shards.iter().map(|shard| format!("the shard `{shard}`")).collect::<Vec<_>>().join(", "))]
    Lacking {
        /// The file's name.
        name: String,
        /// The shards that lack it.
        shards: Vec<String>,
    },
    /// A data migration is not finished: the structs may read values that it has not written yet.
    #[error(
        "`{name}` is applied or reverted in part: {progress}. Another process is running this data migration, or its last run \
         was interrupted: `crud migrate apply` goes on there, beside another process too, and the program starts when it has \
         ended"
    )]
    Unfinished {
        /// The file's name.
        name: String,
        /// Number of the records that are done.
        progress: String,
    },
    /// Each statement may run in another session, but the lock on the history belongs to one session.
    #[error(
        "the database is behind a pooler of transactions, such as pgbouncer with `pool_mode = transaction`, and migrations need \
         one session, for the lock on their history: use the URL of the server itself"
    )]
    Pooled,
    /// At a start, the creation of an index on a table in use was ended by a timeout that the service cannot change.
    #[error(
        "an index of `{table}` takes longer than the statement timeout, which a service behind a pooler, or on a pool of the \
         program's, does not change: run `{statement}` on the server itself, and start again"
    )]
    IndexTimeout {
        /// The table.
        table: &'static str,
        /// The statement that creates the index.
        statement: String,
    },
    /// A migration cannot be applied or reverted. Its changes are rolled back, unless the database cannot roll back DDL.
    #[error("`{name}` failed: {reason}")]
    Failed {
        /// The file's name.
        name: String,
        /// The database's message.
        reason: String,
    },
    /// The database failed.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
}

/// `` `a`, `b` have ``.
fn has(names: &[String]) -> String {
    let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{} {}", list.join(", "), if names.len() == 1 { "has" } else { "have" })
}
