//! The table of the last good copies of issuers' keys.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::Resource;
use crate::model::clock::Clock;
use crate::storage::adapter::Adapter;
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::typed::store::Store;

/// A row of the table `auth_issuers`.
#[derive(Debug, Clone, Resource)]
#[crud(table("auth_issuers", new), prefix = "/auth/issuers")]
pub(crate) struct IssuerCopy {
    /// The URL of the issuer.
    #[crud(length(max = 255))]
    id: String,
    /// The issuer's keys, as a JWKS document.
    pub(super) keys: String,
    pub(super) fetched_at: DateTime<Utc>,
}

/// The largest size of a document that is stored, in characters.
const MAX_STORED: usize = 60_000;

/// The last good copies, in the service's database.
#[derive(Debug)]
pub(super) struct LastCopies(Store<IssuerCopy>);

impl LastCopies {
    pub(super) fn new(adapter: &Arc<dyn Adapter>, clock: &Clock) -> Self {
        Self(App::internal(adapter.clone(), clock).own_store())
    }

    /// The last good copy of an issuer's keys.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn find(&self, issuer: &str) -> Result<Option<IssuerCopy>> {
        self.0.find(issuer).await
    }

    /// Stores a good copy of an issuer's keys.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn store(&self, issuer: &str, keys: &str, fetched_at: DateTime<Utc>) -> Result<()> {
        if keys.len() > MAX_STORED {
            return Ok(());
        }
        let new = NewIssuerCopy { id: issuer.to_owned(), keys: keys.to_owned(), fetched_at };
        if self.0.create_if_absent(new).await?.is_some() {
            return Ok(());
        }
        let patch = IssuerCopyPatch::default().keys(keys.to_owned()).fetched_at(fetched_at);
        self.0.update(issuer.to_owned(), patch).await.map(drop)
    }
}
