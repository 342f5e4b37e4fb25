//! [`ApiKeys`]: keys of programs that call a service.

mod arguments;
mod commands;
mod holder;
mod key_text;
mod last_use;
mod new_key;
mod routes;
mod source;
mod table;

use std::sync::Arc;

use crud_runtime::adapter::BoxFuture;
use crud_runtime::routing::Routes;
use crud_runtime::utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use crud_runtime::{Error, Model, Plugin, PluginCommand, Result, Service, ServiceState};

use self::last_use::LastUses;
use self::table::ApiKey;

/// The name of the security scheme in the document.
const SCHEME: &str = "apiKey";

/// API keys, for programs that call a service: a build server, a door's sensor.
///
/// A user creates a key at `POST /auth/keys`, with some of the user's own roles and permissions. Requests that send it
/// as `Authorization: Bearer ck_…` act as the user, limited to these. See the [README](crate).
///
/// ```no_run
/// use crud_accounts::ApiKeys;
/// use crud_runtime::auth::Auth;
/// use crud_runtime::prelude::*;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite://shop.db").await?.auth(Auth::from_env()?).plugin(ApiKeys::new())?;
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
#[must_use = "keys count by `Service::plugin`"]
pub struct ApiKeys;

impl ApiKeys {
    /// A plugin with keys at `/auth/keys`.
    pub const fn new() -> Self {
        Self
    }
}

impl Plugin for ApiKeys {
    fn name(&self) -> &'static str {
        "keys"
    }

    fn install(&self, service: Service) -> Result<Service> {
        let bearer = Http::builder().scheme(HttpAuthScheme::Bearer).bearer_format("ck_…");
        let scheme = SecurityScheme::Http(bearer.description(Some("An API key: `ck_…`.")).build());
        let uses = Arc::new(LastUses::default());
        let find = move |state, parts| source::principal(state, parts, uses.clone());
        Ok(service.table::<ApiKey>().access(|access| access.principal_source(SCHEME, scheme, find)))
    }

    fn routes(&self, model: &Model) -> Result<Routes> {
        Ok(model.path("/auth/keys").map_or_else(Routes::new, |path| routes::at(&path)))
    }

    fn ready<'a>(&'a self, state: &'a ServiceState) -> BoxFuture<'a, Result<()>> {
        let lacks_users =
            || Error::Setup("API keys are of users of the service: add `Service::auth` with a secret".into());
        Box::pin(async move {
            let auth = state.auth().ok_or_else(lacks_users)?;
            auth.current_principal("").await.map(drop).map_err(|_| lacks_users())
        })
    }

    fn commands(&self) -> Vec<PluginCommand> {
        commands::all()
    }
}
