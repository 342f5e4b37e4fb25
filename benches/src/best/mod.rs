//! The best program for the same work that can be written by hand: SQLite called directly, rows rendered as bytes, one
//! writer that commits changes in groups. It is of this table alone, and has no field, check or header that its answers do
//! not need.

mod change;
pub(crate) mod postgres;
mod read;
mod record;
mod writer;

pub(crate) use self::record::COLUMNS;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::de::DeserializeOwned;
use tokio::net::TcpListener;

use self::change::Change;
use self::read::Reader;
use self::writer::Writer;
use crate::twin::error::ApiError;
use crate::twin::page::ListParams;

/// The two ways to the database.
#[derive(Debug)]
struct Database {
    reader: Reader,
    writer: Writer,
}

/// Serves a database of the derived service until `shutdown` completes.
pub(crate) async fn serve(
    url: &str,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let path = url.trim_start_matches("sqlite://").to_owned();
    let writer = Writer::start(&path)?;
    let reader = Reader::new(path, writer.total());
    let routes = Router::new()
        .route("/products", get(list).post(create))
        .route("/products/{id}", get(one).put(update))
        .route("/products/batch", post(batch))
        .layer(middleware::from_fn(log))
        .with_state(Arc::new(Database { reader, writer }));
    axum::serve(listener, routes).with_graceful_shutdown(shutdown).await?;
    Ok(())
}

/// Logs a line for each request.
async fn log(request: Request, next: Next) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let response = next.run(request).await;
    tracing::info!(%method, %uri, status = response.status().as_u16(), "request");
    response
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}

async fn one(State(database): State<Arc<Database>>, Path(id): Path<i64>) -> Result<Response, ApiError> {
    Ok(json(StatusCode::OK, database.reader.one(id)?))
}

async fn list(
    State(database): State<Arc<Database>>,
    parameters: Result<Query<ListParams>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(parameters) = parameters?;
    Ok(json(StatusCode::OK, database.reader.list(&parameters)?))
}

async fn create(State(database): State<Arc<Database>>, headers: HeaderMap, body: Bytes) -> Result<Response, ApiError> {
    let change = Change::create(read_body(&headers, &body)?)?;
    let done = database.writer.write(change).await?;
    let mut response = json(StatusCode::CREATED, done.json);
    if let Ok(location) = HeaderValue::from_str(&format!("/products/{}", done.id)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

async fn update(
    State(database): State<Arc<Database>>,
    Path(id): Path<i64>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let change = Change::update(id, read_body(&headers, &body)?)?;
    Ok(json(StatusCode::OK, database.writer.write(change).await?.json))
}

async fn batch(State(database): State<Arc<Database>>, headers: HeaderMap, body: Bytes) -> Result<Response, ApiError> {
    let change = Change::batch(read_body(&headers, &body)?)?;
    Ok(json(StatusCode::OK, database.writer.write(change).await?.json))
}

fn read_body<T: DeserializeOwned>(headers: &HeaderMap, body: &Bytes) -> Result<T, ApiError> {
    if headers.get(header::CONTENT_TYPE).is_none_or(|given| given != "application/json") {
        return Err(ApiError::BadParameter("the body must be application/json".to_owned()));
    }
    Ok(Json::from_bytes(body)?.0)
}
