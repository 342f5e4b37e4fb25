//! Access that each route of a service needs: its table, the names in it, and what a principal may use and see.

pub(crate) mod explain;
pub(crate) mod names;
pub(crate) mod rules;
pub(crate) mod table;
