//! Export: every article as a line of JSON, read 500 at a time; no connection is held while a client reads.

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use bytes::Bytes;
use chrono::SecondsFormat;
use futures_util::stream::try_unfold;
use sqlx::{QueryBuilder, SqlitePool};

use crate::twin::article::Article;
use crate::twin::error::ApiError;

/// The number of records that one statement reads.
const CHUNK: usize = 500;

/// The place after which the next chunk begins.
type Place = Option<(String, i64)>;

pub(super) async fn export(State(pool): State<SqlitePool>) -> Result<impl IntoResponse, ApiError> {
    let first = chunk(&pool, &None).await?;
    let chunks = try_unfold((Some(first), pool), |(ready, pool)| async move {
        let Some((bytes, next)) = ready else { return Ok(None) };
        let following = match next {
            Some(_) => Some(chunk(&pool, &next).await?),
            None => None,
        };
        Ok::<_, ApiError>(Some((bytes, (following, pool))))
    });
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"articles.ndjson\""),
    ];
    Ok((headers, Body::from_stream(chunks)))
}

/// The lines after a place, and the place of the last one if the chunk is full.
async fn chunk(pool: &SqlitePool, after: &Place) -> Result<(Bytes, Place), ApiError> {
    let mut query = QueryBuilder::new("SELECT * FROM articles");
    if let Some((created_at, id)) = after {
        query.push(" WHERE (created_at, id) < (").push_bind(created_at).push(", ").push_bind(id).push(")");
    }
    query.push(" ORDER BY created_at DESC, id DESC LIMIT 500");
    let articles: Vec<Article> = query.build_query_as().fetch_all(pool).await?;
    let mut lines = Vec::with_capacity(256 * articles.len());
    for article in &articles {
        serde_json::to_writer(&mut lines, article)?;
        lines.push(b'\n');
    }
    let full = articles.last().filter(|_| articles.len() == CHUNK);
    let place = full.map(|last| (last.created_at.to_rfc3339_opts(SecondsFormat::Micros, true), last.id));
    Ok((lines.into(), place))
}
