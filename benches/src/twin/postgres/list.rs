//! Lists: filters, sort order, pagination and total.

use sqlx::{PgPool, Postgres, QueryBuilder};

use crate::twin::error::ApiError;
use crate::twin::page::{ListParams, Page};

pub(super) async fn page(pool: &PgPool, params: &ListParams) -> Result<Page, ApiError> {
    let (skip, limit) = params.range()?;
    let mut count = QueryBuilder::new("SELECT COUNT(*) FROM products");
    push_filters(&mut count, params);
    let total: i64 = count.build_query_scalar().fetch_one(pool).await?;

    let mut select = QueryBuilder::new("SELECT * FROM products");
    push_filters(&mut select, params);
    select.push(" ORDER BY ").push(params.order()?).push(" LIMIT ").push_bind(limit).push(" OFFSET ").push_bind(skip);
    let data = select.build_query_as().fetch_all(pool).await?;

    Ok(Page::new(data, total, skip, limit))
}

fn push_filters(query: &mut QueryBuilder<Postgres>, params: &ListParams) {
    query.push(" WHERE TRUE");
    if let Some(name) = &params.name {
        query.push(" AND name = ").push_bind(name);
    }
    if let Some(pattern) = &params.name_like {
        query.push(" AND name LIKE ").push_bind(like(pattern));
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

// `%` is the only wildcard: `_` and `\` are escaped.
pub(crate) fn like(pattern: &str) -> String {
    pattern.replace('\\', "\\\\").replace('_', "\\_")
}
