//! Data migrations: steps of the history of migrations that change records by code of the program.

mod definition;
mod progress;
mod run;
mod work;

pub use self::definition::DataMigration;
pub use self::progress::MigrationProgress;
pub(crate) use self::progress::{ProgressRecord, progress};
pub(crate) use self::run::Report;
