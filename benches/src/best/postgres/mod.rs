//! The best program for PostgreSQL: statements pipelined on a few shared connections, a page and its total in one round
//! trip, concurrent changes and their entries in one statement. As `single`, it sends one statement for each change, and waits
//! for it before the next one on the connection, as drivers without pipelining do.

mod create;
mod group;
mod read;
mod session;
mod single;
mod update;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use tokio::net::TcpListener;

use self::create::Creates;
use self::group::{GROUP, Group};
use self::read::Reader;
use self::session::Session;
use self::single::Single;
use self::update::Updates;
use super::{json, log, read_body};
use crate::twin::error::ApiError;
use crate::twin::model::{NewProduct, NewProducts, ProductPatch};
use crate::twin::page::ListParams;

/// Number of connections for creates of `single`, and of those for updates.
const CONNECTIONS: usize = 5;

#[derive(Debug)]
struct Database {
    reader: Reader,
    creates: Vec<Group<NewProduct>>,
    /// Number of creates so far: creates take turns on their connections.
    created: AtomicUsize,
    /// Updates: of one record, all on one connection, one after another.
    updates: Vec<Group<(i64, ProductPatch)>>,
    batches: Creates,
}

/// Serves a database of the derived service until `shutdown` completes; with `is_single`, by one statement for each change.
pub(crate) async fn serve(
    url: &str,
    is_single: bool,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let mut database = Database {
        reader: Reader::open(url).await?,
        creates: Vec::new(),
        created: AtomicUsize::new(0),
        updates: Vec::new(),
        batches: Creates::new(Session::open(url).await?),
    };
    if is_single {
        for _ in 0..CONNECTIONS {
            database.creates.push(Group::start(Single::new(Session::open(url).await?), 1));
            database.updates.push(Group::start(Single::new(Session::open(url).await?), 1));
        }
    } else {
        database.creates.push(Group::start(Creates::new(Session::open(url).await?), GROUP));
        database.updates.push(Group::start(Updates::new(Session::open(url).await?), GROUP));
    }
    let routes = Router::new()
        .route("/products", get(list).post(create))
        .route("/products/{id}", get(one).put(update))
        .route("/products/batch", post(batch))
        .layer(middleware::from_fn(log))
        .with_state(Arc::new(database));
    axum::serve(listener, routes).with_graceful_shutdown(shutdown).await?;
    Ok(())
}

async fn one(State(database): State<Arc<Database>>, Path(id): Path<i64>) -> Result<Response, ApiError> {
    Ok(json(StatusCode::OK, database.reader.one(id).await?))
}

async fn list(
    State(database): State<Arc<Database>>,
    parameters: Result<Query<ListParams>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(parameters) = parameters?;
    Ok(json(StatusCode::OK, database.reader.list(&parameters).await?))
}

async fn create(State(database): State<Arc<Database>>, headers: HeaderMap, body: Bytes) -> Result<Response, ApiError> {
    let new: NewProduct = read_body(&headers, &body)?;
    new.validate()?;
    let connection = database.created.fetch_add(1, Ordering::Relaxed) % database.creates.len();
    let (id, body) = database.creates[connection].run(new).await?;
    let mut response = json(StatusCode::CREATED, body);
    if let Ok(location) = HeaderValue::from_str(&format!("/products/{id}")) {
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
    let patch: ProductPatch = read_body(&headers, &body)?;
    patch.validate()?;
    let connection = usize::try_from(id).unwrap_or_default() % database.updates.len();
    Ok(json(StatusCode::OK, database.updates[connection].run((id, patch)).await?.1))
}

async fn batch(State(database): State<Arc<Database>>, headers: HeaderMap, body: Bytes) -> Result<Response, ApiError> {
    let NewProducts { items } = read_body(&headers, &body)?;
    items.iter().try_for_each(NewProduct::validate)?;
    let made = database.batches.all(&items).await?;
    let mut body = format!("{{\"created\":{},\"items\":[", items.len()).into_bytes();
    for (index, (_, record)) in made.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(record);
    }
    body.extend_from_slice(b"]}");
    Ok(json(StatusCode::OK, body))
}
