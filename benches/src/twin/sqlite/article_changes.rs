//! Creates of articles: plain, as an upsert, and once for each idempotency key.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, SecondsFormat, SubsecRound, TimeDelta, Utc};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use sqlx::sqlite::{Sqlite, SqliteRow};
use sqlx::{Executor, QueryBuilder, SqlitePool};

use crate::twin::article::{Article, NewArticle};
use crate::twin::error::ApiError;
use crate::twin::from_row::from_row;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateParams {
    on_conflict: Option<String>,
}

pub(super) async fn create(
    State(pool): State<SqlitePool>,
    params: Result<Query<CreateParams>, QueryRejection>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let Query(params) = params?;
    let upsert = match params.on_conflict.as_deref() {
        None => false,
        Some("sku") => true,
        Some(name) => return Err(ApiError::BadParameter(format!("on_conflict: no such unique field `{name}`"))),
    };
    let Json(new) = Json::<NewArticle>::from_bytes(&body)?;
    new.validate()?;
    let now = Utc::now().trunc_subsecs(6);
    match headers.get("idempotency-key") {
        Some(key) => create_once(&pool, key.as_bytes(), &new, upsert, &body, now).await,
        None => {
            let article = insert(&pool, &new, upsert, now).await?;
            let status = status(&article, now);
            Ok((status, [(header::LOCATION, location(&article))], Json(article)).into_response())
        }
    }
}

fn location(article: &Article) -> String {
    format!("/articles/{}", article.id)
}

/// An article that was there has another time of creation.
fn status(article: &Article, now: DateTime<Utc>) -> StatusCode {
    if article.created_at == now { StatusCode::CREATED } else { StatusCode::OK }
}

/// Inserts an article; with `upsert`, changes the one that has its `sku`, only in the fields of the body.
async fn insert(
    executor: impl Executor<'_, Database = Sqlite>,
    new: &NewArticle,
    upsert: bool,
    now: DateTime<Utc>,
) -> Result<Article, ApiError> {
    let mut query = QueryBuilder::new(
        "INSERT INTO articles (sku, name, description, price, stock, category_id, created_at, updated_at) VALUES (",
    );
    let mut values = query.separated(", ");
    values.push_bind(&new.sku).push_bind(&new.name).push_bind(new.description.as_ref().and_then(Option::as_deref));
    values.push_bind(new.price).push_bind(new.stock).push_bind(new.category_id).push_bind(now).push_bind(now);
    query.push(")");
    if upsert {
        query.push(
            " ON CONFLICT (sku) DO UPDATE SET name = excluded.name, price = excluded.price, stock = excluded.stock,
             category_id = excluded.category_id, updated_at = excluded.updated_at",
        );
        if new.description.is_some() {
            query.push(", description = excluded.description");
        }
    }
    query.push(" RETURNING *");
    Ok(query.build_query_as().fetch_one(executor).await?)
}

/// Stored answer.
#[derive(Debug)]
struct Answered {
    fingerprint: String,
    location: String,
    body: Vec<u8>,
}

from_row!(SqliteRow => Answered { fingerprint, location, body });

/// Creates an article unless the key is known; the key, the article and the answer are one transaction.
async fn create_once(
    pool: &SqlitePool,
    key: &[u8],
    new: &NewArticle,
    upsert: bool,
    body: &[u8],
    now: DateTime<Utc>,
) -> Result<Response, ApiError> {
    let request = Sha256::new().chain_update(b"POST /articles ").chain_update([u8::from(upsert)]).chain_update(body);
    let fingerprint = hex(request);
    // Callers are anonymous: they share an answer only where they send the same request.
    let key = hex(Sha256::new().chain_update(b"POST /articles ").chain_update(key).chain_update(&fingerprint));
    let expires = (now + TimeDelta::hours(24)).to_rfc3339_opts(SecondsFormat::Micros, true);
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    let claimed = sqlx::query(
        "INSERT INTO idempotency (key, fingerprint, expires_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
    );
    let claimed = claimed.bind(&key).bind(&fingerprint).bind(expires).execute(&mut *transaction).await?;
    if claimed.rows_affected() == 0 {
        let stored = sqlx::query_as("SELECT fingerprint, location, body FROM idempotency WHERE key = ?");
        let Answered { fingerprint: of, location, body } = stored.bind(&key).fetch_one(&mut *transaction).await?;
        if of != fingerprint {
            return Err(ApiError::BadParameter("the Idempotency-Key was sent with another request".to_owned()));
        }
        let headers = [(header::LOCATION, location), (header::CONTENT_TYPE, "application/json".to_owned())];
        return Ok((StatusCode::CREATED, headers, [("idempotency-replayed", "true")], body).into_response());
    }
    let article = insert(&mut *transaction, new, upsert, now).await?;
    let (status, location, json) = (status(&article, now), location(&article), serde_json::to_vec(&article)?);
    let answer = sqlx::query("UPDATE idempotency SET location = ?, body = ? WHERE key = ?");
    answer.bind(&location).bind(&json).bind(&key).execute(&mut *transaction).await?;
    transaction.commit().await?;
    let headers = [(header::LOCATION, location), (header::CONTENT_TYPE, "application/json".to_owned())];
    Ok((status, headers, json).into_response())
}

fn hex(digest: Sha256) -> String {
    use std::fmt::Write as _;
    digest.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
