//! Structs that derive what others write for the same attributes' sake.

use renamed::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, ResourceEnum)]
#[serde(rename_all = "snake_case")]
#[crud(crate(::renamed))]
enum State {
    OnSale,
    SoldOut,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema, Resource)]
#[cfg_attr(sqlx_derive, derive(sqlx::FromRow))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[crud(crate(::renamed), filter, sort)]
struct Thing {
    id: i64,
    #[serde(rename = "title")]
    #[cfg_attr(sqlx_derive, sqlx(rename = "title"))]
    #[schema(min_length = 1)]
    #[crud(length(min = 1), column = "title")]
    name: String,
    #[serde(default)]
    stock: i32,
    #[serde(skip)]
    #[cfg_attr(sqlx_derive, sqlx(skip))]
    #[schema(ignore)]
    note: Option<String>,
}

const _: fn(State) -> renamed::column::Value = Column::into_value;
const _: [State; 2] = [State::OnSale, State::SoldOut];
