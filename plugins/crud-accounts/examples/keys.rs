//! A service whose users make API keys, with the admin page: `DATABASE_URL=sqlite://keys.db ADMIN_PASSWORD=… cargo run --example
//! keys`, then `http://localhost:8000/admin`.

use std::env;

use crud_accounts::ApiKeys;
use crud_admin::Admin;
use crud_runtime::access::Role;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;

/// A part of the stock.
#[derive(Debug, Clone, Resource)]
#[crud(audit, pagination, access(all(role("editor"))))]
struct Part {
    id: i64,
    name: String,
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let variable = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let service = Service::connect(&variable("DATABASE_URL", "sqlite://keys.db")).await?.auth(Auth::from_env()?);
    let service = service.plugin(ApiKeys::new())?.plugin(Admin::new())?.resource::<Part>();
    let service = service.access(|access| access.role(Role::new("admin").implies("editor"))).migrate().await?;
    let password = variable("ADMIN_PASSWORD", "correct horse battery");
    service.users().create_first("admin", &password, ["admin"]).await?;
    service.serve(&variable("BIND", "127.0.0.1:8000")).await
}
