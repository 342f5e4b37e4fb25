//! Items that an expansion provides and every other folder reads: descriptors, columns, values, access and validation
//! rules.

pub mod access;
pub mod adapter_error;
pub mod changes;
pub mod clock;
pub mod column;
pub mod column_error;
pub mod descriptor;
pub mod json;
pub mod key;
pub mod list_text;
mod path_segment;
pub mod principal;
pub mod problem;
pub mod resource;
pub mod row;
pub mod scalar;
pub mod schema;
pub(crate) mod setters;
pub mod stored_value;
pub mod text;
mod unreadable_value;
pub mod validation;
pub mod value;
