//! Pages by cursors.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderName, header};
use axum::response::{AppendHeaders, IntoResponse};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, SqlitePool};

use crate::twin::cursor::Cursor;
use crate::twin::error::ApiError;
use crate::twin::from_row::from_row;
use crate::twin::page;

/// Lists that a cursor is valid for.
const LIST: &str = "entries -created_at,-id";

#[derive(Debug, Serialize)]
struct Entry {
    id: i64,
    name: String,
    price: f64,
    created_at: DateTime<Utc>,
}

from_row!(SqliteRow => Entry { id, name, price, created_at });

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryParams {
    cursor: Option<String>,
    skip: Option<i64>,
    limit: Option<i64>,
}

#[derive(Debug, Serialize)]
struct CursorPage {
    data: Vec<Entry>,
    total: Option<i64>,
    total_relation: Option<&'static str>,
    page: Option<i64>,
    pages: Option<i64>,
    limit: i64,
    skip: i64,
    next_cursor: Option<String>,
    prev_cursor: Option<String>,
}

pub(super) async fn list(
    State(pool): State<SqlitePool>,
    params: Result<Query<EntryParams>, QueryRejection>,
) -> Result<impl IntoResponse, ApiError> {
    let Query(params) = params?;
    let (skip, limit) = page::range(params.skip, params.limit)?;
    let from = params.cursor.as_deref().map(|token| Cursor::open(LIST, token)).transpose()?;
    if from.is_some() && params.skip.is_some() {
        return Err(ApiError::BadParameter("skip: is not a parameter beside `cursor`".to_owned()));
    }
    let total: Option<i64> = match from {
        Some(_) => None,
        None => Some(sqlx::query_scalar("SELECT COUNT(*) FROM entries").fetch_one(&pool).await?),
    };
    let is_backward = from.as_ref().is_some_and(|from| from.backward);
    let mut query = QueryBuilder::new("SELECT * FROM entries");
    if let Some(Cursor { created_at, id, .. }) = &from {
        query.push(if is_backward { " WHERE (created_at, id) > (" } else { " WHERE (created_at, id) < (" });
        query.push_bind(created_at).push(", ").push_bind(id).push(")");
    }
    query.push(if is_backward { " ORDER BY created_at, id" } else { " ORDER BY created_at DESC, id DESC" });
    query.push(" LIMIT ").push_bind(limit + 1).push(" OFFSET ").push_bind(skip);
    let mut data: Vec<Entry> = query.build_query_as().fetch_all(&pool).await?;
    let full = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = data.len() > full;
    data.truncate(full);
    if is_backward {
        data.reverse();
    }
    let (prev, next) = if is_backward { (more, true) } else { (from.is_some(), more) };
    let cursor = |backward, entry: Option<&Entry>| {
        let cursor = entry.map(|entry| Cursor {
            backward,
            created_at: entry.created_at.to_rfc3339_opts(SecondsFormat::Micros, true),
            id: entry.id,
        });
        cursor.map(|cursor| cursor.seal(LIST)).transpose()
    };
    let next_cursor = cursor(false, data.last().filter(|_| next))?;
    let prev_cursor = cursor(true, data.first().filter(|_| prev))?;
    let mut links: Vec<(HeaderName, String)> = Vec::with_capacity(2);
    for (token, relation) in [(&next_cursor, "next"), (&prev_cursor, "prev")] {
        if let Some(token) = token {
            links.push((header::LINK, format!("</entries?limit={limit}&cursor={token}>; rel=\"{relation}\"")));
        }
    }
    let page = CursorPage {
        data,
        total,
        total_relation: total.map(|_| "eq"),
        page: total.map(|_| skip / limit + 1),
        pages: total.map(|total| (total + limit - 1) / limit),
        limit,
        skip,
        next_cursor,
        prev_cursor,
    };
    Ok((AppendHeaders(links), Json(page)))
}
