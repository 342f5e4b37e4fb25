//! Tables: what resources want, what a database has, and the statements between the two.
//!
//! `ddl` writes the definitions of tables: `folded` those of columns for indexes without regard to letter case, `foreign_key` the
//! columns of references. `comparison` finds how a table of the catalogue differs from its resource, and what has a former
//! name still, `view` how views differ. `plan` is what a service creates by itself. The `planner` of a migration finds each `change`,
//! as data, which is written by the database's `migration_driver`, and `history` applies migrations and records them.

#[cfg(feature = "migrations")]
pub(crate) mod change;
pub(crate) mod comparison;
pub(crate) mod ddl;
pub(crate) mod driver;
mod folded;
pub(crate) mod foreign_key;
#[cfg(feature = "migrations")]
pub(crate) mod history;
#[cfg(feature = "migrations")]
pub(crate) mod migration_driver;
pub(crate) mod plan;
#[cfg(feature = "migrations")]
pub(crate) mod planner;
pub(crate) mod view;
