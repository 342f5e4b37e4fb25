//! Applies the migrations of a directory, or reverts the last one: `migrator apply migrations`. For tests that kill it.

use std::env;

use crud_runtime::{Result, Service};

#[tokio::main]
async fn main() -> Result<()> {
    let service = Service::connect(&env::var("DATABASE_URL").unwrap_or_default()).await?;
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["apply", directory] => service.migrations().apply(directory).await.map(drop),
        ["revert", directory] => service.migrations().revert(directory).await.map(drop),
        _ => panic!("expected `apply` or `revert`, and a directory"),
    }
}
