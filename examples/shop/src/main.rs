//! Serves the shop. `shop --auth` enables authentication; `shop seed` fills the database instead of serving,
//! with 400 products, or `shop seed 10000`.

mod admin;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crud_admin::Admin;
use crud_files::Files;
use crud_files::object_store::memory::InMemory;
use crud_runtime::auth::Auth;
use crud_runtime::{Error, Result, Service};

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => serve(env::var_os("JWT_SECRET_KEY").is_some()).await,
        (Some("--auth"), None) => serve(true).await,
        (Some("seed"), count) => seed(count.as_deref()).await,
        (Some("--help" | "-h"), None) => {
            println!("{USAGE}");
            Ok(())
        }
        (Some("--version" | "-V"), None) => {
            println!("shop {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        _ => Err(usage()),
    }
}

const USAGE: &str = "usage: shop [--auth | seed [PRODUCTS]]
  without arguments  serves the shop on 127.0.0.1:8000, or on BIND
  --auth             requires logins for changes; SHOP_ADMIN_PASSWORD is the password of `admin`
  seed 10000         fills an empty database with so many products, or 400";

fn usage() -> Error {
    Error::Setup(USAGE.to_owned())
}

async fn serve(authenticated: bool) -> Result<()> {
    let address = env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned());
    let service = open().await?;
    let service = if authenticated { service.auth(authentication()?) } else { service.without_auth() };
    let service = service
        .access(|access| access.users_role("admin"))
        .plugin(Admin::new().link("API", "/docs").module(include_str!("../assets/texts.js")))?;
    let service = service.migrate().await?;
    if authenticated {
        admin::create(&service.users()).await?;
    }
    println!("{}", welcome(&address, authenticated));
    service.serve(&address).await
}

/// Welcome text: the pages to open first.
fn welcome(address: &str, authenticated: bool) -> String {
    let port = address.rsplit(':').next().unwrap_or_default();
    let url = format!("http://localhost:{port}");
    let login = if authenticated { "log in as `admin`" } else { "`shop --auth` adds logins" };
    let lines = [
        ("/admin", format!("the admin page; {login}")),
        ("/docs", format!("every route, to be tried out; {login}")),
        ("/products?sort=-price", "the products; `shop seed` creates some".to_owned()),
        ("/orders?expand=product", "the orders, each with its product".to_owned()),
        ("/openapi.json", "the document that client generators read".to_owned()),
        ("/", "in a browser, all resources".to_owned()),
    ];
    lines.map(|(path, what)| format!("{url}{path:24}{what}")).join("\n")
}

/// Authentication with the secret of the environment, or else with a random one: tokens are valid until the process
/// ends.
fn authentication() -> Result<Auth> {
    if env::var_os("JWT_SECRET_KEY").is_some() {
        return Auth::from_env();
    }
    println!("JWT_SECRET_KEY is not set: tokens are good until the shop stops");
    Auth::builder().secret(admin::random()).build()
}

async fn seed(count: Option<&str>) -> Result<()> {
    let count = count.map_or(Some(shop::seed::PRODUCTS), |count| count.parse().ok().filter(|count| *count > 0));
    let count = count.ok_or_else(usage)?;
    let service = open().await?.migrate().await?;
    let seeded = shop::seed::seed(&service, count).await?;
    let photos = shop::seed::photos(service).await?;
    let shop::seed::Seeded { categories, products, orders } = seeded;
    println!("{categories} categories, {products} products, {orders} orders, {photos} photos");
    Ok(())
}

/// A service on the database of `DATABASE_URL` and the replicas of `DATABASE_READ_URL`, with the photos of products.
async fn open() -> Result<Service> {
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://shop.db".to_owned());
    let replicas = env::var("DATABASE_READ_URL").unwrap_or_default();
    let service = shop::shop(Service::connect(&database).await?.replicas(&replicas).await?);
    service.plugin(files(&database))
}

/// The photos, beside the database: `sqlite://data/shop.db` has `data/shop.files`. `FILES_STORE` names another directory.
fn files(database: &str) -> Files {
    if let Some(directory) = env::var_os("FILES_STORE") {
        return Files::local(directory);
    }
    if database.contains(":memory:") {
        return Files::store(Arc::new(InMemory::new()));
    }
    let file = database.strip_prefix("sqlite://").and_then(|file| file.split('?').next());
    Files::local(file.map_or_else(|| PathBuf::from("shop.files"), |file| Path::new(file).with_extension("files")))
}
