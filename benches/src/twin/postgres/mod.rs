//! The twin on PostgreSQL: every change and its audit entry in one transaction.

mod audit;
mod list;

pub(crate) use self::list::like;

use std::str::FromStr;

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::{DateTime, SubsecRound, Utc};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{PgConnection, PgPool};
use tokio::net::TcpListener;

use super::error::ApiError;
use super::log;
use super::model::{Created, NewProduct, NewProducts, Product, ProductPatch};
use super::page::{ListParams, Page};

/// The body limit of a batch, equal to the derived service's.
const BATCH_BODY: usize = 16 * 1024 * 1024;

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

async fn connect(url: &str) -> anyhow::Result<PgPool> {
    let options = PgConnectOptions::from_str(url)?.options([("statement_timeout", "30s"), ("lock_timeout", "5s")]);
    Ok(PgPoolOptions::new().max_connections(10).test_before_acquire(false).connect_with(options).await?)
}

fn router(pool: PgPool) -> Router {
    let batch = post(create_products).layer(DefaultBodyLimit::max(BATCH_BODY));
    let routes = Router::new()
        .route("/products", get(list_products).post(create_product))
        .route("/products/batch", batch)
        .route("/products/{id}", get(get_product).put(update_product));
    log(routes).with_state(pool)
}

async fn list_products(
    State(pool): State<PgPool>,
    params: Result<Query<ListParams>, QueryRejection>,
) -> Result<Json<Page>, ApiError> {
    let Query(params) = params?;
    Ok(Json(list::page(&pool, &params).await?))
}

async fn get_product(
    State(pool): State<PgPool>,
    id: Result<Path<i64>, PathRejection>,
) -> Result<Json<Product>, ApiError> {
    let Path(id) = id?;
    let product = sqlx::query_as("SELECT * FROM products WHERE id = $1").bind(id).fetch_optional(&pool).await?;
    product.map(Json).ok_or(ApiError::NotFound(id))
}

async fn create_product(
    State(pool): State<PgPool>,
    body: Result<Json<NewProduct>, JsonRejection>,
) -> Result<impl IntoResponse, ApiError> {
    let Json(new) = body?;
    new.validate()?;
    let mut transaction = pool.begin().await?;
    let product = create(&mut transaction, &new, now()).await?;
    transaction.commit().await?;
    let location = format!("/products/{}", product.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(product)))
}

async fn create_products(
    State(pool): State<PgPool>,
    body: Result<Json<NewProducts>, JsonRejection>,
) -> Result<Json<Created>, ApiError> {
    let Json(NewProducts { items: new }) = body?;
    let now = now();
    let mut items = Vec::with_capacity(new.len());
    let mut transaction = pool.begin().await?;
    for new in &new {
        new.validate()?;
        items.push(create(&mut transaction, new, now).await?);
    }
    transaction.commit().await?;
    Ok(Json(Created { created: items.len(), items }))
}

/// Inserts a product and its audit entry.
async fn create(connection: &mut PgConnection, new: &NewProduct, now: DateTime<Utc>) -> Result<Product, ApiError> {
    let product: Product = sqlx::query_as(
        "INSERT INTO products (name, description, price, stock, category_id, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING *",
    )
    .bind(&new.name)
    .bind(&new.description)
    .bind(new.price)
    .bind(new.stock)
    .bind(new.category_id)
    .bind(now)
    .fetch_one(&mut *connection)
    .await?;
    audit::created(connection, &product).await?;
    Ok(product)
}

async fn update_product(
    State(pool): State<PgPool>,
    id: Result<Path<i64>, PathRejection>,
    body: Result<Json<ProductPatch>, JsonRejection>,
) -> Result<Json<Product>, ApiError> {
    let Path(id) = id?;
    let Json(patch) = body?;
    patch.validate()?;
    let mut transaction = pool.begin().await?;
    let before: Product = sqlx::query_as("SELECT * FROM products WHERE id = $1 FOR UPDATE")
        .bind(id)
        .fetch_optional(&mut *transaction)
        .await?
        .ok_or(ApiError::NotFound(id))?;
    let mut product = before.clone();
    patch.apply(&mut product);
    if product == before {
        return Ok(Json(before));
    }
    product.updated_at = now();
    sqlx::query(
        "UPDATE products SET name = $2, description = $3, price = $4, stock = $5, category_id = $6, updated_at = $7
         WHERE id = $1",
    )
    .bind(id)
    .bind(&product.name)
    .bind(&product.description)
    .bind(product.price)
    .bind(product.stock)
    .bind(product.category_id)
    .bind(product.updated_at)
    .execute(&mut *transaction)
    .await?;
    audit::updated(&mut transaction, &before, &product).await?;
    transaction.commit().await?;
    Ok(Json(product))
}

/// The current time in microseconds, the precision of storage.
fn now() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(6)
}
