//! The secret of cursors and of the program's keys: the program's, or one that the servers of a database share.

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

/// The secret of the program or of the database.
#[derive(Clone, Default)]
pub(crate) struct CursorSecret {
    given: Option<Arc<[u8]>>,
    known: Arc<Known>,
}

/// The secret of the database and the key of cursors, once they are known.
#[derive(Default)]
struct Known {
    secret: OnceCell<Vec<u8>>,
    cursors: OnceCell<CursorKey>,
}

impl CursorSecret {
    /// The key of the program's own secret.
    pub(crate) fn given(secret: &[u8]) -> Self {
        Self { given: Some(secret.into()), ..Self::default() }
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

    /// Whether the program has given a secret.
    pub(crate) fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// The key. Without a secret of the program, one secret is made for all servers of the database.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn key(&self, app: &App) -> Result<&CursorKey, Problem> {
        let key = self.known.cursors.get_or_try_init(|| async { self.derive(app, CURSORS).await });
        key.await
    }

    /// The key of this name, which is that of every server of the database.
    ///
    /// # Errors
    /// When the database fails.
    async fn derive(&self, app: &App, name: &str) -> Result<[u8; 32], Problem> {
        let secret = match &self.given {
            Some(secret) => secret,
            None => self.known.secret.get_or_try_init(|| shared(app)).await?.as_slice(),
        };
        Ok(derived(secret, name))
    }
}

impl App {
    /// Derives a key of 32 bytes from the service's secret and a name, by HMAC-SHA-256. Every server of the database derives the
    /// same. The secret is `CRUD_SECRET`, [`ServerOptions::secret`](crate::ServerOptions::secret) or one in the table
    /// `crud_secrets`. It signs what the service gives to clients and gets back, such as links that expire.
    ///
    /// The service must state [`ExtensionOptions::secret_keys`](crate::ExtensionOptions::secret_keys), so that the
    /// table exists.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)] struct Part { id: i64 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().extend(|options| options.secret_keys()).migrate().await?;
    /// let app = service.app();
    /// let key: [u8; 32] = app.secret_key("links").await?;
    /// assert_eq!(app.secret_key("links").await?, key);
    /// assert_ne!(app.secret_key("invitations").await?, key);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `internal` where the service does not state `secret_keys`; when the database fails.
    pub async fn secret_key(&self, name: &str) -> Result<[u8; 32], Problem> {
        let missing = || Problem::internal("the service has no keys: call `ExtensionOptions::secret_keys`");
        let secret = self.shared_value::<CursorSecret>().ok_or_else(missing)?;
        // The prefix separates the program's purposes from the service's own.
        secret.derive(self, &format!("key:{name}")).await
    }
}

/// The key of a purpose, so that a secret can serve for several.
fn derived(secret: &[u8], purpose: &str) -> [u8; 32] {
    let mut code = Hmac::<Sha256>::new_from_slice(secret).expect("a key of any length");
    code.update(purpose.as_bytes());
    code.finalize().into_bytes().into()
}

/// The secret that the servers of the database share.
async fn shared(app: &App) -> Result<Vec<u8>, Problem> {
    let secrets = app.own_store::<Secret>();
    loop {
        if let Some(secret) = secrets.find(CURSORS).await? {
            return Ok(secret.value);
        }
        let mut value = vec![0; 32];
        getrandom::fill(&mut value).map_err(|error| Problem::internal(error.to_string()))?;
        // `None`: another server has made the secret since.
        if let Some(created) = secrets.create_if_absent(NewSecret { id: CURSORS.to_owned(), value }).await? {
            return Ok(created.value);
        }
    }
}
