//! Serves the tracker on the database of `DATABASE_URL`, by default `sqlite://tracker.db`. `JWT_SECRET_KEY` signs tokens;
//! `ADMIN_PASSWORD` is that of the first user, `admin`, who makes teams, users and the first member of each team.
//!
//! With `SHARD_BY=tenant` the teams may be in several databases: the service has no stream of events then. `tracker move URL` moves
//! all records to another database, and ends.

use std::env;

use crud_admin::Admin;
use crud_events::Events;
use crud_mcp::Mcp;
use crud_runtime::{Result, Service};
use tracker::{Comment, Issue, auth, tracker};

#[tokio::main]
async fn main() -> Result<()> {
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://tracker.db".to_owned());
    let is_sharded = env::var("SHARD_BY").is_ok_and(|by| by == "tenant");
    let service = Service::connect(&database).await?;
    let service = if is_sharded { service.shard_by_tenant() } else { service };
    let service = tracker(service.auth(auth().rotate_refresh_tokens().build()?));
    let service = service.plugin(Admin::new().role("member"))?.plugin(Mcp::new().writes())?;
    let events = Events::new().resource::<Issue>().resource::<Comment>();
    let service = if is_sharded { service } else { service.plugin(events)? };
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [command, url] = arguments.as_slice()
        && command == "move"
    {
        println!("{}", service.move_to(url).await?);
        return Ok(());
    }
    let service = service.migrate().await?;
    if let Ok(password) = env::var("ADMIN_PASSWORD") {
        service.users().create_first("admin", &password, ["operator"]).await?;
    }
    service.serve(env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned())).await
}
