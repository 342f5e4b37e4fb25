//! The benchmark's products, derived.

use crud_events::Events;
use crud_runtime::access::Access;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use own_adapter::Memory;
use tokio::net::TcpListener;

use crate::seed;

/// A group of products.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), sort(name))]
pub(crate) struct Category {
    pub(crate) id: i64,
    #[crud(unique)]
    pub(crate) name: String,
    pub(crate) description: Option<String>,
}

/// A product in the catalogue.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(name, price, stock, category_id),
    sort(name, price, created_at),
    default_sort(desc(created_at)),
    pagination(default_limit = 20, max_limit = 100)
)]
pub(crate) struct Product {
    pub(crate) id: i64,
    #[crud(length(min = 1, max = 200))]
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    #[crud(range(min = 0))]
    pub(crate) price: f64,
    pub(crate) stock: i32,
    #[crud(references(Category))]
    pub(crate) category_id: i64,
    #[crud(created_at)]
    pub(crate) created_at: DateTime<Utc>,
    #[crud(updated_at)]
    pub(crate) updated_at: DateTime<Utc>,
}

/// A product with every capability of lists and changes.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(name, price, stock, category_id, category::name),
    sort(name, price, created_at, category::name),
    default_sort(desc(created_at)),
    pagination(default_limit = 20, max_limit = 100),
    search(name, description),
    export,
    idempotency,
    upsert(sku)
)]
pub(crate) struct Article {
    pub(crate) id: i64,
    #[crud(unique, length(min = 1, max = 40))]
    pub(crate) sku: String,
    #[crud(length(min = 1, max = 200))]
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    #[crud(range(min = 0))]
    pub(crate) price: f64,
    pub(crate) stock: i32,
    #[crud(references(Category, expand))]
    pub(crate) category_id: i64,
    #[crud(created_at)]
    pub(crate) created_at: DateTime<Utc>,
    #[crud(updated_at)]
    pub(crate) updated_at: DateTime<Utc>,
}

/// A line of a long list, which is read by cursors.
#[derive(Debug, Clone, Resource)]
#[crud(default_sort(desc(created_at)), pagination(default_limit = 20, max_limit = 100, cursor))]
pub(crate) struct Entry {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) price: f64,
    #[crud(created_at)]
    pub(crate) created_at: DateTime<Utc>,
}

/// The resource with batches and an audit log.
mod audited {
    use super::{Category, DateTime, Resource, Utc};

    /// A product in the catalogue, every change of which is logged.
    #[derive(Debug, Clone, Resource)]
    #[crud(
        filter(name, price, stock, category_id),
        sort(name, price, created_at),
        default_sort(desc(created_at)),
        pagination(default_limit = 20, max_limit = 100),
        batch,
        audit
    )]
    pub(crate) struct Product {
        pub(crate) id: i64,
        #[crud(length(min = 1, max = 200))]
        pub(crate) name: String,
        pub(crate) description: Option<String>,
        #[crud(range(min = 0))]
        pub(crate) price: f64,
        pub(crate) stock: i32,
        #[crud(references(Category))]
        pub(crate) category_id: i64,
        #[crud(created_at)]
        pub(crate) created_at: DateTime<Utc>,
        #[crud(updated_at)]
        pub(crate) updated_at: DateTime<Utc>,
    }
}

/// Creates the tables and indexes in an empty database.
pub(crate) async fn create_schema(url: &str, audited: bool) -> anyhow::Result<()> {
    service(url, audited).await.map(drop)
}

/// Serves until `shutdown` completes.
pub(crate) async fn serve(
    url: &str,
    audited: bool,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> anyhow::Result<()> {
    service(url, audited).await?.serve_on(listener, shutdown).await?;
    Ok(())
}

/// Serves with an audit log and its events until `shutdown` completes. Every stream is of one address; readers may have a
/// [`token`].
pub(crate) async fn serve_followed(
    url: &str,
    with_tokens: bool,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> anyhow::Result<()> {
    let events = Events::new().resource::<audited::Product>().streams(STREAMS).streams_of_one(STREAMS);
    let service = Service::connect(url).await?;
    let public = |access: crud_runtime::AccessOptions| access.default_access(Access::Public);
    let service = if with_tokens { service.auth(auth()?).access(public) } else { service };
    resources(service, true).plugin(events)?.migrate().await?.serve_on(listener, shutdown).await?;
    Ok(())
}

fn auth() -> anyhow::Result<Auth> {
    Ok(Auth::builder().secret("a secret of at least thirty-two bytes").build()?)
}

/// The token of a reader.
pub(crate) fn token() -> anyhow::Result<String> {
    Ok(auth()?.access_token(&Principal::new("1").with_roles(["staff"]))?)
}

/// Most streams of a server.
const STREAMS: usize = 20_000;

/// Serves records in memory until `shutdown` completes.
pub(crate) async fn serve_memory(
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> anyhow::Result<()> {
    let service = Service::from_adapter(Memory::new()).resource::<Category>().resource::<Product>().migrate().await?;
    seed::fill_store(&service.app()).await?;
    service.serve_on(listener, shutdown).await?;
    Ok(())
}

async fn service(url: &str, audited: bool) -> anyhow::Result<Service> {
    Ok(resources(Service::connect(url).await?, audited).migrate().await?)
}

fn resources(service: Service, audited: bool) -> Service {
    let service = service.resource::<Category>();
    if audited {
        service.resource::<audited::Product>()
    } else {
        service.resource::<Product>().resource::<Article>().resource::<Entry>()
    }
}
