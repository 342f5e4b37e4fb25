//! Serves the booking of rooms on the database of `DATABASE_URL`, by default `sqlite://booking.db`, which it fills with two
//! companies when it is empty. `JWT_SECRET_KEY` signs tokens: without it, logins end with the process.

use std::env::var;

use booking::{auth, booking, seed};
use crud_accounts::Accounts;
use crud_files::Files;
use crud_runtime::prelude::*;

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let setting = |name, default: &str| var(name).unwrap_or_else(|_| default.to_owned());
    let address = setting("BIND", "127.0.0.1:8000");
    let random = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let auth = auth().secret(setting("JWT_SECRET_KEY", &random)).build()?;
    let service = Service::connect(&setting("DATABASE_URL", "sqlite://booking.db")).await?.auth(auth);
    let service = service.server(|server| server.public_url(&setting("PUBLIC_URL", "http://localhost:8000")));
    let service = booking(service, Files::local("booking.files"), Accounts::new())?.migrate().await?;
    seed::fill_if_empty(&service.app()).await?;
    service.serve(address).await
}
