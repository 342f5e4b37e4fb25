//! Tables: what resources want, what a database has, and the statements between the two.
//!
//! `ddl` writes the definitions of tables: `folded` those of columns for indexes without regard to letter case, `foreign_key` the
//! columns of references. `comparison` finds how a table of the catalogue differs from its resource, `renames` what has a former
//! name still, `view` how views differ. `plan` is what a service creates by itself. `script` writes the statements of a migration
//! by the database's `alteration`, and `history` applies migrations and records them.

#[cfg(feature = "migrations")]
pub(crate) mod alteration;
pub(crate) mod comparison;
pub(crate) mod ddl;
pub(crate) mod driver;
mod folded;
pub(crate) mod foreign_key;
#[cfg(feature = "migrations")]
pub(crate) mod history;
pub(crate) mod plan;
pub(crate) mod renames;
#[cfg(feature = "migrations")]
pub(crate) mod script;
pub(crate) mod view;
