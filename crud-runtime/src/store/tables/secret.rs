//! The secret of cursors: the program's, or one that the servers of a database share.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::sync::OnceCell;

use crate::Resource;
use crate::model::problem::Problem;
use crate::storage::error::{Error, Result};
use crate::store::app::App;
use crate::store::cursor::CursorKey;

/// A secret, in the table `crud_secrets`.
#[derive(Debug, Clone, Resource)]
#[crud(table("crud_secrets", new), prefix = "/_service/secrets")]
pub(crate) struct Secret {
    /// Purpose of the secret.
    #[crud(length(max = 255))]
    id: String,
    value: Vec<u8>,
}

/// The name of the secret of cursors.
const CURSORS: &str = "cursors";

/// The key of cursors, once it is known.
#[derive(Clone, Default)]
pub(crate) struct CursorSecret {
    given: Option<Arc<[u8]>>,
    key: Arc<OnceCell<CursorKey>>,
}

impl CursorSecret {
    /// The key of the program's own secret.
    pub(crate) fn given(secret: &[u8]) -> Self {
        Self { given: Some(secret.into()), key: Arc::default() }
    }

    /// The key of the secret in the variable `CRUD_SECRET`, if there is one.
    pub(crate) fn from_environment() -> Self {
        std::env::var("CRUD_SECRET").map_or_else(|_| Self::default(), |secret| Self::given(secret.as_bytes()))
    }

    /// The key of a secret that ends with the process.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub(crate) fn random() -> Result<Self> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| Error::Setup(error.to_string()))?;
        Ok(Self::given(&secret))
    }

    /// Refuses a secret that can be guessed.
    ///
    /// # Errors
    /// [`Error::Setup`].
    pub(crate) fn check(&self) -> Result<()> {
        if self.given.as_ref().is_some_and(|secret| secret.len() < 32) {
            return Err(Error::Setup(
                "the secret of cursors (`secret` of `Service::server`, CRUD_SECRET) needs 32 bytes".to_owned(),
            ));
        }
        Ok(())
    }

    /// Whether the program has given one.
    pub(crate) fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// The key. Without a secret of the program, it is made once for all servers of the database.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn key(&self, app: &App) -> Result<&CursorKey, Problem> {
        let key = self.key.get_or_try_init(|| async {
            match &self.given {
                Some(secret) => Ok(derived(secret)),
                None => shared(app).await.map(|secret| derived(&secret)),
            }
        });
        Ok(key.await?)
    }
}

/// The secret's own key for cursors, so that it can serve for something else too.
fn derived(secret: &[u8]) -> CursorKey {
    let mut code = Hmac::<Sha256>::new_from_slice(secret).expect("a key of any length");
    code.update(CURSORS.as_bytes());
    code.finalize().into_bytes().into()
}

/// The secret that the servers of the database share.
async fn shared(app: &App) -> Result<Vec<u8>> {
    let secrets = app.own_store::<Secret>();
    loop {
        if let Some(secret) = secrets.find(CURSORS).await? {
            return Ok(secret.value);
        }
        let mut value = vec![0; 32];
        getrandom::fill(&mut value).map_err(|error| Problem::internal(error.to_string()))?;
        // Where there is one now, another server has made it since.
        if let Some(created) = secrets.create_if_absent(NewSecret { id: CURSORS.to_owned(), value }).await? {
            return Ok(created.value);
        }
    }
}
