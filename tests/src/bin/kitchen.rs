//! Serves the kitchen sink, for tests that need a separate process; with authentication where `JWT_SECRET_KEY` is set,
//! with changes that have idempotency keys where `WITH_PAYMENTS` is, and with the admin page where `WITH_ADMIN` is.

use std::env;
use std::time::Duration;

use crud_admin::Admin;
use crud_runtime::auth::Auth;
use crud_runtime::{Result, Service};
use crud_tests::kitchen::Payment;

#[tokio::main]
async fn main() -> Result<()> {
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite::memory:".to_owned());
    let replicas = env::var("DATABASE_READ_URL").unwrap_or_default();
    let address = env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned());
    let mut service = Service::connect(&database).await?.replicas(&replicas).await?;
    // Tests read several responses in turn: the last waits for the others.
    service = service.limits(|limits| limits.body_timeout(Duration::from_mins(1)));
    if env::var_os("JWT_SECRET_KEY").is_some() {
        service = service.auth(Auth::builder().login_attempts(100_000, Duration::from_mins(1)).build()?);
    }
    if env::var_os("WITH_PAYMENTS").is_some() {
        service = service.resource::<Payment>();
    }
    if env::var_os("WITH_ADMIN").is_some() {
        service = service.plugin(Admin::new())?;
    }
    crud_tests::kitchen::kitchen(service).migrate().await?.serve(&address).await
}
