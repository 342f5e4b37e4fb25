//! A service with accounts: `cargo run --example people`, then <http://localhost:8000/account/sign-up>. Mails are in the log.
//!
//! `DATABASE_URL` and `BIND` are the database and the address; the user `admin@example.com`, with the password
//! `correct horse battery`, invites.

use std::env;

use crud_accounts::Accounts;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let value = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let bind = value("BIND", "127.0.0.1:8000");
    let url = bind.replace("127.0.0.1", "http://localhost");
    let auth = Auth::builder().secret(value("JWT_SECRET_KEY", "a secret of this example, which is public"));
    let accounts = Accounts::new().public_url(url).second_factor_for(["admin"]).home("/docs");
    let service = Service::connect(&value("DATABASE_URL", "sqlite://people.db?mode=rwc"))
        .await?
        .title("People")
        .auth(auth.logout().rotate_refresh_tokens().build()?)
        .plugin(accounts)?;
    let service = service.migrate().await?;
    service.users().create_first("admin@example.com", "correct horse battery", ["admin"]).await?;
    service.serve(&bind).await
}
