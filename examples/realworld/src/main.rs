//! Serves Conduit's API.

use std::env;

use crud_runtime::prelude::*;

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://realworld.db".to_owned());
    let address = env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned());
    let secret = env::var("JWT_SECRET_KEY").unwrap_or_else(|_| "a secret for trying the example out".to_owned());
    realworld::service(Service::connect(&database).await?, &secret)?.migrate().await?.serve(&address).await
}
