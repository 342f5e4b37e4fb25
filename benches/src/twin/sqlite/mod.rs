//! The twin on SQLite.

mod article_changes;
mod articles;
mod entries;
mod export;
mod list;

pub(crate) use self::list::glob;

use std::str::FromStr;

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use chrono::{SubsecRound, Utc};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{QueryBuilder, SqlitePool};
use tokio::net::TcpListener;

use super::error::ApiError;
use super::log;
use super::model::{NewProduct, Product, ProductPatch};
use super::page::{ListParams, Page};

/// Creates the tables and indexes in an empty database.
pub(crate) async fn create_schema(url: &str) -> anyhow::Result<()> {
    let pool = connect(url).await?;
    sqlx::raw_sql(include_str!("schema.sql")).execute(&pool).await?;
    pool.close().await;
    Ok(())
}

/// Serves until `shutdown` completes.
pub(crate) async fn serve(
    url: &str,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let pool = connect(url).await?;
    axum::serve(listener, router(pool)).with_graceful_shutdown(shutdown).await?;
    Ok(())
}

async fn connect(url: &str) -> anyhow::Result<SqlitePool> {
    let options = SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal);
    let pool = SqlitePoolOptions::new().max_connections(8).test_before_acquire(false).connect_with(options).await?;
    Ok(pool)
}

fn router(pool: SqlitePool) -> Router {
    let routes = Router::new()
        .route("/products", get(list_products).post(create_product))
        .route("/products/{id}", get(get_product).put(update_product))
        .route("/articles", get(articles::list).post(article_changes::create))
        .route("/articles/{id}", get(articles::one))
        .route("/articles/export", get(export::export))
        .route("/entries", get(entries::list));
    log(routes).with_state(pool)
}

async fn list_products(
    State(pool): State<SqlitePool>,
    params: Result<Query<ListParams>, QueryRejection>,
) -> Result<Json<Page>, ApiError> {
    let Query(params) = params?;
    Ok(Json(list::page(&pool, &params).await?))
}

async fn get_product(
    State(pool): State<SqlitePool>,
    id: Result<Path<i64>, PathRejection>,
) -> Result<Json<Product>, ApiError> {
    let Path(id) = id?;
    let product = sqlx::query_as("SELECT * FROM products WHERE id = ?").bind(id).fetch_optional(&pool).await?;
    product.map(Json).ok_or(ApiError::NotFound(id))
}

async fn create_product(
    State(pool): State<SqlitePool>,
    body: Result<Json<NewProduct>, JsonRejection>,
) -> Result<impl IntoResponse, ApiError> {
    let Json(new) = body?;
    new.validate()?;
    let product: Product = sqlx::query_as(
        "INSERT INTO products (name, description, price, stock, category_id, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) RETURNING *",
    )
    .bind(&new.name)
    .bind(&new.description)
    .bind(new.price)
    .bind(new.stock)
    .bind(new.category_id)
    .bind(Utc::now().trunc_subsecs(6))
    .fetch_one(&pool)
    .await?;
    let location = format!("/products/{}", product.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(product)))
}

async fn update_product(
    State(pool): State<SqlitePool>,
    id: Result<Path<i64>, PathRejection>,
    body: Result<Json<ProductPatch>, JsonRejection>,
) -> Result<Json<Product>, ApiError> {
    let Path(id) = id?;
    let Json(patch) = body?;
    patch.validate()?;
    let mut query = QueryBuilder::new("UPDATE products SET updated_at = ");
    query.push_bind(Utc::now().trunc_subsecs(6));
    if let Some(name) = &patch.name {
        query.push(", name = ").push_bind(name);
    }
    if let Some(description) = &patch.description {
        query.push(", description = ").push_bind(description);
    }
    if let Some(price) = patch.price {
        query.push(", price = ").push_bind(price);
    }
    if let Some(stock) = patch.stock {
        query.push(", stock = ").push_bind(stock);
    }
    if let Some(category_id) = patch.category_id {
        query.push(", category_id = ").push_bind(category_id);
    }
    query.push(" WHERE id = ").push_bind(id).push(" RETURNING *");
    let product = query.build_query_as().fetch_optional(&pool).await?;
    product.map(Json).ok_or(ApiError::NotFound(id))
}
