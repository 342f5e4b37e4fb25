//! Lists: filters, order, pages and the total.

use serde::{Deserialize, Serialize};
use sqlx::sqlite::Sqlite;
use sqlx::{QueryBuilder, SqlitePool};

use super::error::ApiError;
use super::model::Product;

const DEFAULT_LIMIT: i64 = 20;
const MAX_LIMIT: i64 = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    name: Option<String>,
    #[serde(rename = "name__like")]
    name_like: Option<String>,
    price: Option<f64>,
    #[serde(rename = "price__gt")]
    price_gt: Option<f64>,
    #[serde(rename = "price__lt")]
    price_lt: Option<f64>,
    stock: Option<i32>,
    #[serde(rename = "stock__gt")]
    stock_gt: Option<i32>,
    #[serde(rename = "stock__lt")]
    stock_lt: Option<i32>,
    category_id: Option<i64>,
    sort: Option<String>,
    skip: Option<i64>,
    limit: Option<i64>,
}

#[derive(Debug, Serialize)]
#[allow(clippy::struct_field_names)] // as JSON has them
pub(super) struct Page {
    data: Vec<Product>,
    total: i64,
    page: i64,
    pages: i64,
    limit: i64,
    skip: i64,
}

pub(super) async fn page(pool: &SqlitePool, params: &ListParams) -> Result<Page, ApiError> {
    let skip = params.skip.unwrap_or(0);
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if skip < 0 {
        return Err(ApiError::BadParameter("skip: must not be negative".to_owned()));
    }
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ApiError::BadParameter(format!("limit: must be between 1 and {MAX_LIMIT}")));
    }

    let mut count = QueryBuilder::new("SELECT COUNT(*) FROM products");
    push_filters(&mut count, params);
    let total: i64 = count.build_query_scalar().fetch_one(pool).await?;

    let mut select = QueryBuilder::new("SELECT * FROM products");
    push_filters(&mut select, params);
    push_order(&mut select, params.sort.as_deref().unwrap_or("-created_at"))?;
    select.push(" LIMIT ").push_bind(limit).push(" OFFSET ").push_bind(skip);
    let data = select.build_query_as().fetch_all(pool).await?;

    Ok(Page { data, total, page: skip / limit + 1, pages: (total + limit - 1) / limit, limit, skip })
}

fn push_filters(query: &mut QueryBuilder<Sqlite>, params: &ListParams) {
    query.push(" WHERE TRUE");
    if let Some(name) = &params.name {
        query.push(" AND name = ").push_bind(name);
    }
    if let Some(pattern) = &params.name_like {
        query.push(" AND name GLOB ").push_bind(glob(pattern));
    }
    if let Some(price) = params.price {
        query.push(" AND price = ").push_bind(price);
    }
    if let Some(price) = params.price_gt {
        query.push(" AND price > ").push_bind(price);
    }
    if let Some(price) = params.price_lt {
        query.push(" AND price < ").push_bind(price);
    }
    if let Some(stock) = params.stock {
        query.push(" AND stock = ").push_bind(stock);
    }
    if let Some(stock) = params.stock_gt {
        query.push(" AND stock > ").push_bind(stock);
    }
    if let Some(stock) = params.stock_lt {
        query.push(" AND stock < ").push_bind(stock);
    }
    if let Some(category_id) = params.category_id {
        query.push(" AND category_id = ").push_bind(category_id);
    }
}

fn push_order(query: &mut QueryBuilder<Sqlite>, sort: &str) -> Result<(), ApiError> {
    query.push(" ORDER BY ");
    let mut direction = "";
    for key in sort.split(',') {
        let (name, descending) = key.strip_prefix('-').map_or((key, false), |name| (name, true));
        let column = match name {
            "name" => "name",
            "price" => "price",
            "created_at" => "created_at",
            _ => return Err(ApiError::BadParameter(format!("sort: no such field `{name}`"))),
        };
        direction = if descending { " DESC, " } else { ", " };
        query.push(column).push(direction);
    }
    query.push("id").push(direction.trim_end_matches(", "));
    Ok(())
}

// SQLite's LIKE ignores case; GLOB does not, and its wildcards can be taken literally in brackets.
fn glob(pattern: &str) -> String {
    let mut glob = String::with_capacity(pattern.len());
    for character in pattern.chars() {
        match character {
            '%' => glob.push('*'),
            '*' | '?' | '[' => glob.extend(['[', character, ']']),
            other => glob.push(other),
        }
    }
    glob
}
