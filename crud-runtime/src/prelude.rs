//! Everything that a file of resources needs: `use crud_runtime::prelude::*;`

pub use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
pub use crud_macros::{Resource, ResourceEnum};
pub use rust_decimal::Decimal;
pub use uuid::Uuid;

pub use crate::column::Column;
pub use crate::descriptor::Operation;
pub use crate::query::Query;
pub use crate::resource::Resource;
pub use crate::service::Service;
pub use crate::store::Store;
