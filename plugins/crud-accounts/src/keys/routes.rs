//! The routes of a user's own keys: `POST` and `GET /auth/keys`, `DELETE /auth/keys/{id}`.

use crud_runtime::access::Access;
use crud_runtime::auth::Principal;
use crud_runtime::axum::Json;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Path, Route, Routes, Status, Valid, delete, get, post};
use crud_runtime::utoipa::{self, ToSchema};
use serde::Serialize;

use super::new_key::NewKey;
use super::table::ApiKey;

/// The body that makes a key.
#[derive(Debug, Schema)]
struct ApiKeyCreate {
    /// The name, such as `ci-server`: letters, digits, `-`, `_` and `.`. The audit log has it.
    #[crud(length(min = 1, max = 50))]
    name: String,
    /// The roles of the key, each of which the user has. One of `roles` and `permissions` is stated.
    roles: Option<Vec<String>>,
    /// The permissions of the key, each of which the user has.
    permissions: Option<Vec<String>>,
    /// The time from which on the key is refused; none if left out.
    expires_at: Option<DateTime<Utc>>,
}

/// A key in the path.
#[derive(Debug, Schema)]
struct ApiKeyPath {
    /// The `id` of the key.
    #[crud(length(max = 12))]
    id: String,
}

/// An API key of the user, without its text.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ApiKey)]
struct ShownKey {
    /// The id, which is the second part of the key's text.
    id: String,
    /// The name, such as `ci-server`.
    name: String,
    /// The roles of the key, as far as the user has them.
    roles: Vec<String>,
    /// The permissions of the key, as far as the user has them.
    permissions: Vec<String>,
    /// The time from which on the key is refused.
    expires_at: Option<DateTime<Utc>>,
    /// The time of the last request, to the minute.
    last_used_at: Option<DateTime<Utc>>,
    /// The time at which the key was made.
    created_at: DateTime<Utc>,
}

/// A new API key with its text, which no further answer has.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NewApiKey)]
struct ShownNewKey {
    /// The text: `Authorization: Bearer ck_…` authenticates requests.
    key: String,
    #[serde(flatten)]
    shown: ShownKey,
}

/// The API keys of the user.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ApiKeys)]
struct ShownKeys {
    /// The keys, by name.
    data: Vec<ShownKey>,
}

impl From<ApiKey> for ShownKey {
    fn from(key: ApiKey) -> Self {
        let ApiKey { id, name, roles, permissions, expires_at, last_used_at, created_at, .. } = key;
        Self { id, name, roles, permissions, expires_at, last_used_at, created_at }
    }
}

/// The routes below this path.
pub(super) fn at(path: &str) -> Routes {
    let own = |route: Route, id: &str, summary: &str| {
        let route = route.access(Access::Authenticated).personal().no_store();
        route.operation_id(id).summary(summary).tags(["Authentication"])
    };
    let make = own(post(make), "createApiKey", "Make an API key")
        .description("Makes a key for programs, within the rights of the user. Its text is in this answer alone.")
        .problems([Code::Conflict]);
    let list = own(get(list), "listApiKeys", "List own API keys").description("The keys of the user, by name.");
    let revoke = own(delete(revoke), "revokeApiKey", "Revoke an API key")
        .description("Removes a key of the user: its next request is refused on every server.")
        .problems([Code::NotFound]);
    let routes = Routes::new().route(path, make).route(path, list);
    routes.route(format!("{path}/{{id}}"), revoke)
}

/// The user that sends a request, who is one of the service's own.
async fn user(ctx: &Context) -> Result<Principal, Problem> {
    let sender = ctx.principal().ok_or_else(|| Problem::of(Code::AuthenticationFailed))?;
    let found = ctx.auth()?.current_principal(sender.subject()).await?;
    let missing = || Problem::new(Code::PermissionDenied, "API keys are for users of this service");
    found.map(|_| sender.clone()).ok_or_else(missing)
}

async fn make(ctx: Context, body: Valid<ApiKeyCreate>) -> Result<Status<201, Json<ShownNewKey>>, Problem> {
    let ApiKeyCreate { name, roles, permissions, expires_at } = body.0;
    let user = user(&ctx).await?;
    let new = NewKey { name, roles, permissions, expires_at };
    let (made, key) = new.make(&ctx.app().unscoped(), &user).await?;
    tracing::info!(user = user.subject(), key = made.id, name = made.name, "an API key is made");
    Ok(Status(Json(ShownNewKey { key, shown: made.into() })))
}

async fn list(ctx: Context) -> Result<Json<ShownKeys>, Problem> {
    let user = user(&ctx).await?;
    let of_user = ApiKey::FIELDS.user.eq(user.subject()).order_by(ApiKey::FIELDS.name.asc());
    let keys = ctx.unscoped_store::<ApiKey>().list(of_user).await?;
    Ok(Json(ShownKeys { data: keys.into_iter().map(ShownKey::from).collect() }))
}

async fn revoke(ctx: Context, path: Path<ApiKeyPath>) -> Result<(), Problem> {
    let user = user(&ctx).await?;
    let keys = ctx.unscoped_store::<ApiKey>();
    let own = keys.find(path.id.as_str()).await?.filter(|key| key.user == user.subject());
    let own = own.ok_or_else(|| Problem::of(Code::NotFound))?;
    keys.delete(own.id).await?;
    tracing::info!(user = user.subject(), key = path.id, "an API key is revoked");
    Ok(())
}
