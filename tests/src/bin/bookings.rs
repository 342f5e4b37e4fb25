//! Serves the bookings, for tests that kill the process.

use std::env;

use crud_runtime::{Result, Service};

#[tokio::main]
async fn main() -> Result<()> {
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite::memory:".to_owned());
    let address = env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned());
    crud_tests::bookings::bookings(Service::connect(&database).await?).migrate().await?.serve(&address).await
}
