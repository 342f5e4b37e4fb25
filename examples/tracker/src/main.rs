//! Serves the tracker on the database of `DATABASE_URL`, by default `sqlite://tracker.db`. `JWT_SECRET_KEY` signs tokens;
//! `ADMIN_PASSWORD` is that of the first user, `admin`, who makes teams, users and the first member of each team.

use std::env;

use crud_admin::Admin;
use crud_events::Events;
use crud_mcp::Mcp;
use crud_runtime::{Result, Service};
use tracker::{Comment, Issue, auth, tracker};

#[tokio::main]
async fn main() -> Result<()> {
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://tracker.db".to_owned());
    let service = tracker(Service::connect(&database).await?.auth(auth().rotate_refresh_tokens().build()?));
    let service = service.plugin(Admin::new().role("member"))?.plugin(Mcp::new().writes())?;
    let service = service.plugin(Events::new().resource::<Issue>().resource::<Comment>())?.migrate().await?;
    if let Ok(password) = env::var("ADMIN_PASSWORD") {
        service.users().create_first("admin", &password, ["operator"]).await?;
    }
    service.serve(env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned())).await
}
