//! The names that a file of resources needs: `use crud_runtime::prelude::*;`

pub use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
pub use crud_macros::{Resource, ResourceEnum, Schema};
pub use rust_decimal::Decimal;
pub use uuid::Uuid;

pub use crate::http::layer::cors::Cors;
pub use crate::http::router::ResourceRoutes;
pub use crate::model::column::Column;
pub use crate::model::descriptor::{Operation, RequestContext};
pub use crate::model::principal::Principal;
pub use crate::model::problem::Problem;
pub use crate::model::resource::{Resource, Writable};
pub use crate::model::schema::Schema;
pub use crate::query::Select;
pub use crate::service::builder::Service;
pub use crate::store::app::App;
pub use crate::store::hooks::changed::Changed;
pub use crate::store::hooks::changeset::Changeset;
pub use crate::store::hooks::context::HookContext;
pub use crate::store::transaction::Tx;
pub use crate::store::typed::increment::{Increment, SetSome};
pub use crate::store::typed::store::Store;
