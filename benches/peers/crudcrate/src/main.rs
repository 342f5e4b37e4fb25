//! The benchmark's products by crudcrate 0.15 on `SQLite`: `crudcrate-peer URL ADDRESS`.
//!
//! The tables are the twin's, and so are the connections and the log: one line for each request.

use anyhow::Context;
use axum::Router;
use sea_orm::{ConnectOptions, Database};
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;

/// The products.
pub mod product {
    use chrono::{DateTime, Utc};
    use crudcrate::EntityToModels;
    use sea_orm::entity::prelude::*;

    /// A product in the catalogue.
    #[derive(Clone, Debug, PartialEq, DeriveEntityModel, EntityToModels)]
    #[sea_orm(table_name = "products")]
    #[crudcrate(api_struct = "Product", generate_router, max_page_size = 100)]
    pub struct Model {
        #[sea_orm(primary_key)]
        #[crudcrate(primary_key, exclude(create, update))]
        pub id: i64,
        #[crudcrate(filterable, sortable)]
        pub name: String,
        pub description: Option<String>,
        #[crudcrate(filterable, sortable)]
        pub price: f64,
        #[crudcrate(filterable)]
        pub stock: i32,
        #[crudcrate(filterable)]
        pub category_id: i64,
        #[crudcrate(sortable, exclude(create, update), on_create = Utc::now())]
        pub created_at: DateTime<Utc>,
        #[crudcrate(exclude(create, update), on_create = Utc::now(), on_update = Utc::now())]
        pub updated_at: DateTime<Utc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().context("usage: crudcrate-peer URL ADDRESS")?;
    let address = arguments.next().context("usage: crudcrate-peer URL ADDRESS")?;
    tracing_subscriber::fmt().with_ansi(false).with_max_level(Level::INFO).init();
    let mut options = ConnectOptions::new(url);
    options.max_connections(8).test_before_acquire(false).sqlx_logging(false);
    options.map_sqlx_sqlite_opts(|options| options.foreign_keys(true).pragma("synchronous", "NORMAL"));
    let database = Database::connect(options).await?;
    let log = TraceLayer::new_for_http()
        .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
        .on_response(DefaultOnResponse::new().level(Level::INFO));
    let products: Router = product::Product::router(&database).into();
    let router = Router::new().nest("/products", products).layer(log);
    axum::serve(tokio::net::TcpListener::bind(address).await?, router).await?;
    Ok(())
}
