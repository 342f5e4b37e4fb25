//! A service whose records have files, with the admin page: `DATABASE_URL=sqlite://papers.db FILES_STORE=papers ADMIN_PASSWORD=…
//! cargo run --example papers`, then `http://localhost:8000/admin`.

use std::env;

use crud_admin::Admin;
use crud_files::{File, Files};
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;

/// A paper in the archive.
#[derive(Debug, Clone, Resource)]
#[crud(
    admin(list(title, cover, scan)),
    filter(title),
    sort(title),
    pagination,
    soft_delete,
    audit,
    access(read(authenticated), write(role("admin")))
)]
struct Paper {
    id: i64,
    /// The title.
    title: String,
    /// A picture of the first page.
    #[crud(file(max = "300KB", types("image/png", "image/jpeg", "image/gif")))]
    cover: Option<File>,
    /// The whole paper, of any type.
    #[crud(file(max = "2MB", types("*/*")))]
    scan: Option<File>,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
    deleted_at: Option<DateTime<Utc>>,
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let variable = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let service = Service::connect(&variable("DATABASE_URL", "sqlite://papers.db")).await?.auth(Auth::from_env()?);
    let files = Files::local(variable("FILES_STORE", "papers"));
    let service = service.access(|access| access.users_role("admin")).plugin(files)?.plugin(Admin::new())?;
    let service = service.resource::<Paper>().migrate().await?;
    let password = variable("ADMIN_PASSWORD", "correct horse battery");
    service.users().create_first("admin", &password, ["admin"]).await?;
    service.serve(&variable("BIND", "127.0.0.1:8000")).await
}
