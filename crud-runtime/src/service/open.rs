//! The database of a service.

use std::sync::Arc;

use super::builder::Service;
use crate::storage::adapter::Adapter;
use crate::storage::administration::{Storage, halves};
use crate::storage::backends;
use crate::storage::error::{Error, Result};
use crate::storage::layers::call_spans::CallSpans;
use crate::storage::layers::table_overrides::OverriddenTables;

/// # Database
///
/// The database of a service, and its replicas.
impl Service {
    /// A service on the database of a URL: `sqlite://shop.db` (created when missing), `sqlite::memory:`,
    /// `postgres://user:password@host/shop`, `mysql://user:password@host/shop` or `mongodb://user:password@host/shop`.
    ///
    /// # Errors
    /// [`Error::Setup`] when the URL names no database that this build knows, [`Error::Database`] when it cannot
    /// be opened.
    pub async fn connect(url: &str) -> Result<Self> {
        Ok(Self::on(backends::connect(url).await?))
    }

    /// A service on a pool of sqlx's that the program already has: `SqlitePool` (with the feature `sqlite-pool`), `PgPool` or
    /// `MySqlPool`. `SQLite`'s connections must have foreign keys on, which sqlx does by default.
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
    pub fn from_pool(pool: impl crate::storage::pool::Pool) -> Self {
        Self::from_adapter(pool.into_adapter())
    }

    /// A service on any storage.
    pub fn from_adapter(adapter: impl Storage) -> Self {
        Self::on(Arc::new(adapter))
    }

    /// Puts a layer around the storage of records, such as one that counts calls: an
    /// [`AdapterLayer`](crate::adapter::AdapterLayer). Later layers are around earlier ones. Call it before
    /// [`auth`](Self::auth), which keeps its users in the storage that the service has then. Tables, indexes and migrations
    /// are those of the database, and replicas have no layer.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use crud_runtime::SessionVariables;
    /// use crud_runtime::adapter::{Adapter, AdapterFuture, AdapterLayer, Key, RowSink};
    /// use crud_runtime::column::Value;
    /// use crud_runtime::descriptor::Descriptor;
    /// # use crud_runtime::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct LoggedGets(Arc<dyn Adapter>);
    ///
    /// impl AdapterLayer for LoggedGets {
    ///     fn inner(&self) -> &dyn Adapter {
    ///         &*self.0
    ///     }
    ///
    ///     fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
    ///         Some(Arc::new(Self(self.0.session(variables)?)))
    ///     }
    ///
    ///     fn get<'a>(
    ///         &'a self,
    ///         resource: &'static Descriptor,
    ///         id: &'a Key,
    ///         tenant: Option<&'a Value>,
    ///         sink: &'a mut dyn RowSink,
    ///     ) -> AdapterFuture<'a, bool> {
    ///         println!("get {} {id:?}", resource.name);
    ///         self.0.get(resource, id, tenant, sink)
    ///     }
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite://shop.db").await?.storage_layer(LoggedGets);
    /// # Ok(()) }
    /// ```
    pub fn storage_layer<A: Adapter>(mut self, layer: impl FnOnce(Arc<dyn Adapter>) -> A) -> Self {
        self.adapter = Arc::new(layer(self.adapter));
        self
    }

    /// Sends reads over HTTP to PostgreSQL replicas: URLs separated by spaces or commas, each of one server or of several
    /// (`postgres://a,b/shop`; a comma in a password is `%2C`). A server that is the primary gets no reads this way, so
    /// that the list of all servers will do. An empty text changes nothing.
    ///
    /// Responses may then be as old as [`replica_lag`](crate::Limits::replica_lag) allows. A client that must read its own writes
    /// sends the `X-Session-Token` header of the response to its change. An unreachable or lagging replica gets no reads
    /// until it recovers; without a fresh replica, reads go to the primary. Writes with their reads, logins, and the
    /// program's own [`Store`](crate::store::typed::store::Store)s always use the primary.
    ///
    /// ```no_run
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let replicas = std::env::var("DATABASE_READ_URL").unwrap_or_default();
    /// let service = Service::connect("postgres://primary/shop").await?.replicas(&replicas).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setup`] when the service's database has no replicas or a URL is not one of PostgreSQL's,
    /// [`Error::Database`] when the primary does not answer. A replica may be away.
    pub async fn replicas(mut self, urls: &str) -> Result<Self> {
        for url in replica_urls(urls) {
            let replicas = backends::replicas(&url)?;
            let traced = |replica| {
                let (adapter, administration) = halves(replica);
                let overridden = OverriddenTables::new(adapter, self.overrides.clone());
                (Arc::new(CallSpans::new(Arc::new(overridden))) as Arc<dyn Adapter>, administration)
            };
            let replicas: Vec<_> = replicas.into_iter().map(traced).collect();
            self.replicas.extend(replicas);
        }
        if self.replicas.is_empty() {
            return Ok(self);
        }
        let has_replicas = self.adapter.capabilities().replicas;
        if !has_replicas || self.adapter.position().await.map_err(Error::Database)?.is_none() {
            return Err(Error::Setup("the database of this service has no replicas".to_owned()));
        }
        Ok(self)
    }
}

/// The URLs of a list. What follows a comma and has no scheme is another host of the same URL.
fn replica_urls(list: &str) -> Vec<String> {
    let mut urls: Vec<String> = Vec::new();
    for word in list.split_whitespace() {
        for (index, part) in word.split(',').filter(|part| !part.is_empty()).enumerate() {
            match urls.last_mut() {
                Some(url) if index > 0 && !part.contains("://") => {
                    url.push(',');
                    url.push_str(part);
                }
                _ => urls.push(part.to_owned()),
            }
        }
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_replicas_has_urls_of_several_hosts() {
        assert_eq!(
            replica_urls(" postgres://a/x,postgres://b/x  postgres://c/x"),
            ["postgres://a/x", "postgres://b/x", "postgres://c/x"]
        );
        assert_eq!(
            replica_urls("postgres://a,b/x?port=1, postgres://c/x?host=d,e"),
            ["postgres://a,b/x?port=1", "postgres://c/x?host=d,e"]
        );
        assert_eq!(replica_urls(" , "), [""; 0]);
    }
}
