//! Access that each route of a service needs: its table, and the names in it.

pub(crate) mod names;
pub(crate) mod rules;
pub(crate) mod table;
