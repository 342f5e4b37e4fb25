//! Serves the shop; `shop seed` fills its database instead.

use std::env;

use crud_runtime::{Error, Result, Service};

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => serve().await,
        (Some("seed"), None) => seed().await,
        _ => Err(Error::Setup("usage: shop [seed]".to_owned())),
    }
}

async fn serve() -> Result<()> {
    let address = env::var("BIND").unwrap_or_else(|_| "0.0.0.0:8000".to_owned());
    open().await?.serve(&address).await
}

async fn seed() -> Result<()> {
    let seeded = shop::seed::seed(&open().await?).await?;
    println!("{} categories, {} products, {} orders", seeded.categories, seeded.products, seeded.orders);
    Ok(())
}

/// The shop on the database of `DATABASE_URL`, its tables in place.
async fn open() -> Result<Service> {
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://shop.db".to_owned());
    shop::shop(Service::connect(&database).await?).migrate().await
}
