//! Lists of articles: conditions in JSON, words, references, `expand`.

use std::collections::{BTreeSet, HashMap};

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use sqlx::sqlite::Sqlite;
use sqlx::{QueryBuilder, SqlitePool};

use super::glob;
use crate::twin::article::{Article, ArticleParams, Category, Condition};
use crate::twin::error::ApiError;
use crate::twin::page::Page;

pub(super) async fn one(
    State(pool): State<SqlitePool>,
    id: Result<Path<i64>, PathRejection>,
) -> Result<Json<Article>, ApiError> {
    let Path(id) = id?;
    let article = sqlx::query_as("SELECT * FROM articles WHERE id = ?").bind(id).fetch_optional(&pool).await?;
    article.map(Json).ok_or(ApiError::NotFound(id))
}

pub(super) async fn list(
    State(pool): State<SqlitePool>,
    params: Result<Query<ArticleParams>, QueryRejection>,
) -> Result<Json<Page<Article>>, ApiError> {
    let Query(params) = params?;
    let ((skip, limit), order, expands) = (params.range()?, params.order()?, params.expands_category()?);
    let (condition, words) = (params.condition()?, params.words()?);
    let is_joined = params.category_name_startswith.is_some() || order.contains("categories.");
    let filtered = |select: &str| {
        let mut query = QueryBuilder::new(select);
        query.push(" FROM articles");
        if is_joined {
            query.push(" JOIN categories ON categories.id = articles.category_id");
        }
        query.push(" WHERE TRUE");
        if let Some(condition) = &condition {
            query.push(" AND ");
            push_condition(&mut query, condition);
        }
        if let Some(start) = &params.category_name_startswith {
            query.push(" AND categories.name GLOB ").push_bind(format!("{}*", glob(start).replace('*', "[*]")));
        }
        if let Some(words) = &words {
            query.push(" AND articles.id IN (SELECT rowid FROM articles_words WHERE articles_words MATCH ");
            query.push_bind(words.clone()).push(")");
        }
        query
    };
    let total: i64 = filtered("SELECT COUNT(*)").build_query_scalar().fetch_one(&pool).await?;
    let mut select = filtered("SELECT articles.*");
    select.push(" ORDER BY ").push(order).push(" LIMIT ").push_bind(limit).push(" OFFSET ").push_bind(skip);
    let mut data: Vec<Article> = select.build_query_as().fetch_all(&pool).await?;
    if expands {
        expand_category(&pool, &mut data).await?;
    }
    Ok(Json(Page::new(data, total, skip, limit)))
}

/// Puts each article's category beside it, by one statement for the whole page.
async fn expand_category(pool: &SqlitePool, articles: &mut [Article]) -> Result<(), ApiError> {
    let ids: BTreeSet<i64> = articles.iter().map(|article| article.category_id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let mut query = QueryBuilder::new("SELECT * FROM categories WHERE id IN (");
    let mut separated = query.separated(", ");
    for id in ids {
        separated.push_bind(id);
    }
    query.push(")");
    let categories: Vec<Category> = query.build_query_as().fetch_all(pool).await?;
    let categories: HashMap<i64, Category> = categories.into_iter().map(|category| (category.id, category)).collect();
    for article in articles {
        article.category = categories.get(&article.category_id).cloned();
    }
    Ok(())
}

/// Writes that all members of a condition hold.
fn push_condition(query: &mut QueryBuilder<Sqlite>, condition: &Condition) {
    query.push("(TRUE");
    for member in &condition.and {
        query.push(" AND ");
        push_condition(query, member);
    }
    if !condition.or.is_empty() {
        query.push(" AND (FALSE");
        for alternative in &condition.or {
            query.push(" OR ");
            push_condition(query, alternative);
        }
        query.push(")");
    }
    if let Some(condition) = &condition.not {
        query.push(" AND NOT ");
        push_condition(query, condition);
    }
    if let Some(name) = &condition.name {
        query.push(" AND articles.name = ").push_bind(name.clone());
    }
    for (operator, price) in [(" = ", condition.price), (" > ", condition.price_gt), (" < ", condition.price_lt)] {
        if let Some(price) = price {
            query.push(" AND articles.price").push(operator).push_bind(price);
        }
    }
    for (operator, stock) in [(" = ", condition.stock), (" > ", condition.stock_gt), (" < ", condition.stock_lt)] {
        if let Some(stock) = stock {
            query.push(" AND articles.stock").push(operator).push_bind(stock);
        }
    }
    if let Some(category) = condition.category_id {
        query.push(" AND articles.category_id = ").push_bind(category);
    }
    query.push(")");
}
