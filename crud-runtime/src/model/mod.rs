//! Items that an expansion provides and every other folder reads: descriptors, columns, values, access and validation
//! rules.

pub mod access;
pub(crate) mod actor;
pub(crate) mod adapter_error;
pub(crate) mod changes;
pub(crate) mod clock;
pub(crate) mod column;
pub(crate) mod column_error;
pub mod completion;
pub mod descriptor;
pub(crate) mod json;
pub(crate) mod network;
pub(crate) mod principal;
pub(crate) mod problem;
pub(crate) mod resource;
pub(crate) mod row;
pub(crate) mod scalar;
pub(crate) mod schema;
pub(crate) mod stored_value;
pub mod text;
pub(crate) mod validation;
pub(crate) mod value;
