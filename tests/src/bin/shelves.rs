//! A program with indexes that lists use and others that none does, each list slow for its service, and the commands of the configuration: `shelves check
//! --indexes service.log`. For tests that need a separate process.

use std::time::Duration;

use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
struct Shelf {
    id: i64,
    room: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(filter(price, stock, pages), sort(price, stock, pages), batch)]
struct Book {
    id: i64,
    #[crud(references(Shelf))]
    shelf_id: i64,
    #[crud(unique)]
    isbn: String,
    price: i64,
    stock: i64,
    pages: i64,
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let build = |service: Service| {
        service.resource::<Shelf>().resource::<Book>().server(|server| server.slow_statement(Duration::ZERO))
    };
    crud_runtime::config::run(|service| build(service).without_auth()).await
}
