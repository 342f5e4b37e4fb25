//! A service with webhooks and the admin page: `DATABASE_URL=sqlite://hooks.db ADMIN_PASSWORD=… HOOKS_TO=127.0.0.1:9000 cargo
//! run --example hooks --features webhooks`, then `http://localhost:8000/admin`.

use std::env;

use crud_admin::Admin;
use crud_events::{Events, Webhooks};
use crud_runtime::access::Role;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;

/// A product of the shop.
#[derive(Debug, Clone, Resource)]
#[crud(audit, filter, sort, pagination, access(read(public), write(role("editor"))))]
struct Product {
    id: i64,
    name: String,
    price: i64,
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let variable = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let service = Service::connect(&variable("DATABASE_URL", "sqlite://hooks.db")).await?.auth(Auth::from_env()?);
    // A receiver on this machine; those of the internet need no such line.
    let webhooks = Webhooks::new().allow_http_to(variable("HOOKS_TO", "127.0.0.1:9000"));
    let events = Events::new().resource::<Product>().webhooks(webhooks);
    let service = service.plugin(events)?.plugin(Admin::new())?.resource::<Product>();
    let service = service.access(|access| access.role(Role::new("admin").implies("editor"))).migrate().await?;
    let password = variable("ADMIN_PASSWORD", "correct horse battery");
    service.users().create_first("admin", &password, ["admin"]).await?;
    service.serve(&variable("BIND", "127.0.0.1:8000")).await
}
