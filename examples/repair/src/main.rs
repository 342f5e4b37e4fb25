//! Serves the repair shop on the database of `DATABASE_URL`, by default `sqlite://repair.db`. `JWT_SECRET_KEY` signs tokens;
//! `ADMIN_PASSWORD` is that of the first user, `admin`, who is staff of the first shop. Mails are printed, or appended to
//! the file `MAILBOX`.

use std::env;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{Write, stdout};

use crud_admin::Admin;
use crud_runtime::{Result, Service};
use repair::{Mailer, NewShop, Shop, auth, repair};

#[tokio::main]
async fn main() -> Result<()> {
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://repair.db".to_owned());
    let service = Service::connect(&database).await?.auth(auth().build()?);
    let service = repair(service, Mailbox(env::var_os("MAILBOX")))
        .access(|access| access.jobs_role("admin"))
        .plugin(Admin::new())?
        .migrate()
        .await?;
    if let Ok(password) = env::var("ADMIN_PASSWORD")
        && service.users().create_first("admin", &password, ["operator", "staff", "admin"]).await?
    {
        let shop = service.store::<Shop>().create(NewShop::new("First shop")).await?;
        service.users().set_claims("admin", [("shop".to_owned(), shop.id.into())].into_iter().collect()).await?;
    }
    service.serve(env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned())).await
}

/// Appends mails to a file, or prints them.
struct Mailbox(Option<OsString>);

impl Mailer for Mailbox {
    fn send(&self, address: &str, text: &str) -> std::result::Result<(), String> {
        let line = format!("to {address}: {text}\n");
        let written = match &self.0 {
            Some(path) => OpenOptions::new().create(true).append(true).open(path),
            None => return stdout().write_all(line.as_bytes()).map_err(|error| error.to_string()),
        };
        written.and_then(|mut file| file.write_all(line.as_bytes())).map_err(|error| error.to_string())
    }
}
