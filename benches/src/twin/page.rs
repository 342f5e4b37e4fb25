//! The parameters and the page of a list.

use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::model::Product;

const DEFAULT_LIMIT: i64 = 20;
const MAX_LIMIT: i64 = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    pub(crate) name: Option<String>,
    #[serde(rename = "name__like")]
    pub(crate) name_like: Option<String>,
    pub(crate) price: Option<f64>,
    #[serde(rename = "price__gt")]
    pub(crate) price_gt: Option<f64>,
    #[serde(rename = "price__lt")]
    pub(crate) price_lt: Option<f64>,
    pub(crate) stock: Option<i32>,
    #[serde(rename = "stock__gt")]
    pub(crate) stock_gt: Option<i32>,
    #[serde(rename = "stock__lt")]
    pub(crate) stock_lt: Option<i32>,
    pub(crate) category_id: Option<i64>,
    pub(crate) sort: Option<String>,
    skip: Option<i64>,
    limit: Option<i64>,
}

#[derive(Debug, Serialize)]
#[allow(clippy::struct_field_names)] // the names of the JSON
pub(crate) struct Page<T = Product> {
    data: Vec<T>,
    total: i64,
    total_relation: &'static str,
    page: i64,
    pages: i64,
    limit: i64,
    skip: i64,
}

impl ListParams {
    /// The offset and the limit.
    pub(crate) fn range(&self) -> Result<(i64, i64), ApiError> {
        range(self.skip, self.limit)
    }

    /// The ORDER BY clause.
    pub(crate) fn order(&self) -> Result<String, ApiError> {
        order(self.sort.as_deref().unwrap_or("-created_at"), "id", |name| {
            Some(match name {
                "name" => "name",
                "price" => "price",
                "created_at" => "created_at",
                _ => return None,
            })
        })
    }
}

/// The offset and the limit that a request gives.
pub(crate) fn range(skip: Option<i64>, limit: Option<i64>) -> Result<(i64, i64), ApiError> {
    let (skip, limit) = (skip.unwrap_or(0), limit.unwrap_or(DEFAULT_LIMIT));
    if skip < 0 {
        return Err(ApiError::BadParameter("skip: must not be negative".to_owned()));
    }
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ApiError::BadParameter(format!("limit: must be between 1 and {MAX_LIMIT}")));
    }
    Ok((skip, limit))
}

/// An ORDER BY clause, such as `created_at DESC, id DESC`: the columns of `sort`, then the id in the last one's direction.
pub(crate) fn order(sort: &str, id: &str, column: impl Fn(&str) -> Option<&'static str>) -> Result<String, ApiError> {
    let mut order = String::new();
    let mut direction = "";
    for key in sort.split(',') {
        let (name, descending) = key.strip_prefix('-').map_or((key, false), |name| (name, true));
        let column = column(name).ok_or_else(|| ApiError::BadParameter(format!("sort: no such field `{name}`")))?;
        direction = if descending { " DESC" } else { "" };
        order.extend([column, direction, ", "]);
    }
    order.extend([id, direction]);
    Ok(order)
}

impl<T> Page<T> {
    pub(crate) fn new(data: Vec<T>, total: i64, skip: i64, limit: i64) -> Self {
        Self {
            data,
            total,
            total_relation: "eq",
            page: skip / limit + 1,
            pages: (total + limit - 1) / limit,
            limit,
            skip,
        }
    }
}
