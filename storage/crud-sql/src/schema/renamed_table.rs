//! [`RenamedTable`]: a table that has its former name still.

use super::table::Table;
use crate::model::descriptor::Descriptor;

/// A table that is there by its former name, and not by its own.
#[derive(Debug)]
pub(crate) struct RenamedTable {
    pub(crate) resource: &'static Descriptor,
    pub(crate) from: &'static str,
    #[cfg_attr(not(feature = "migrations"), allow(dead_code))]
    pub(crate) table: Table,
}
