//! A service with accounts: `cargo run --example people`, then <http://localhost:8000/account/sign-up>. Mails are in the log.
//!
//! `DATABASE_URL` and `BIND` are the database and the address; the user `admin@example.com`, with the password
//! `correct horse battery`, invites. With `ISSUER`, people sign in with that issuer too, as its client `people`.

use std::env;

use crud_accounts::Accounts;
use crud_admin::Admin;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let value = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let bind = value("BIND", "127.0.0.1:8000");
    let url = bind.replace("127.0.0.1", "http://localhost");
    let auth = Auth::builder().secret(value("JWT_SECRET_KEY", "a secret of this example, which is public"));
    let accounts = Accounts::new().public_url(url).second_factor_for(["admin"]).home("/docs");
    #[cfg(feature = "oidc")]
    let accounts = with_issuer(accounts);
    let service = Service::connect(&value("DATABASE_URL", "sqlite://people.db?mode=rwc"))
        .await?
        .title("People")
        .auth(auth.logout().rotate_refresh_tokens().build()?)
        .plugin(accounts)?
        .plugin(Admin::new().sign_in("/account/sign-in"))?
        .access(|access| access.users_role("admin"));
    let service = service.migrate().await?;
    service.users().create_first("admin@example.com", "correct horse battery", ["admin"]).await?;
    service.serve(&bind).await
}

/// Signs people in with `ISSUER`, where ada is an administrator.
#[cfg(feature = "oidc")]
fn with_issuer(accounts: Accounts) -> Accounts {
    use crud_accounts::{IssuerAccess, LoginIssuer};

    let Ok(url) = env::var("ISSUER") else { return accounts };
    accounts.issuer(LoginIssuer::new("company", url, "people").named("the company").claims(|claims| {
        let is_admin = claims.get("preferred_username")? == "ada";
        Some(IssuerAccess::new().roles(is_admin.then_some("admin")))
    }))
}
