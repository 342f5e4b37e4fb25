//! The store that programs call, and its arguments and results.

pub(crate) mod increment;
pub(crate) mod page;
pub(crate) mod store;
pub(crate) mod tenant_store;
pub(crate) mod unsaid;
pub(crate) mod writes;
