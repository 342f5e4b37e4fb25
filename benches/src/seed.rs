//! The initial records of every server.

use std::str::FromStr;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use crud_runtime::App;
use fastrand::Rng;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, PgConnection, SqliteConnection};

use crate::database::Engine;
use crate::ours;

/// The number of categories, with ids from 1.
pub(crate) const CATEGORIES: usize = 40;

pub(crate) const KINDS: [&str; 10] =
    ["Lamp", "Chair", "Kettle", "Backpack", "Notebook", "Headphones", "Blanket", "Knife", "Bottle", "Desk"];
pub(crate) const MATERIALS: [&str; 8] = ["Oak", "Steel", "Linen", "Copper", "Walnut", "Glass", "Wool", "Ceramic"];

/// A category; the database assigns the next id.
pub(crate) struct Category {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
}

/// A product; the database assigns the next id.
pub(crate) struct Product {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) price: f64,
    pub(crate) stock: i32,
    pub(crate) category_id: i64,
    pub(crate) created_at: DateTime<Utc>,
}

/// Fills a database's empty tables `categories` and `products` with the same records in every run.
pub(crate) async fn fill(url: &str, records: usize) -> anyhow::Result<()> {
    match Engine::from_url(url)? {
        Engine::Sqlite => fill_sqlite(url, records).await,
        Engine::Postgres => fill_postgres(url, records).await,
        // It is filled when it is served.
        Engine::Memory => Ok(()),
    }
}

/// Instants are stored as in both servers' JSON, in UTC with microseconds.
async fn fill_sqlite(url: &str, records: usize) -> anyhow::Result<()> {
    let mut connection = SqliteConnection::connect_with(&SqliteConnectOptions::from_str(url)?).await?;
    let mut transaction = connection.begin().await?;
    for category in categories() {
        sqlx::query("INSERT INTO categories (name, description) VALUES (?, ?)")
            .bind(category.name)
            .bind(category.description)
            .execute(&mut *transaction)
            .await?;
    }
    for product in products(records) {
        sqlx::query(
            "INSERT INTO products (name, description, price, stock, category_id, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        )
        .bind(product.name)
        .bind(product.description)
        .bind(product.price)
        .bind(product.stock)
        .bind(product.category_id)
        .bind(product.created_at.to_rfc3339_opts(SecondsFormat::Micros, true))
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await?;
    sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

async fn fill_postgres(url: &str, records: usize) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let mut transaction = connection.begin().await?;
    for category in categories() {
        sqlx::query("INSERT INTO categories (name, description) VALUES ($1, $2)")
            .bind(category.name)
            .bind(category.description)
            .execute(&mut *transaction)
            .await?;
    }
    for product in products(records) {
        sqlx::query(
            "INSERT INTO products (name, description, price, stock, category_id, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $6)",
        )
        .bind(product.name)
        .bind(product.description)
        .bind(product.price)
        .bind(product.stock)
        .bind(product.category_id)
        .bind(product.created_at)
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await?;
    connection.close().await?;
    Ok(())
}

/// Copies the products into the tables of the resources that have capabilities.
pub(crate) async fn fill_capabilities(url: &str) -> anyhow::Result<()> {
    const COPY: &str =
        "INSERT INTO articles (sku, name, description, price, stock, category_id, created_at, updated_at)
         SELECT 'A-' || id, name, description, price, stock, category_id, created_at, updated_at
         FROM products ORDER BY id;
         INSERT INTO entries (name, price, created_at) SELECT name, price, created_at FROM products ORDER BY id;";
    if Engine::from_url(url)? == Engine::Postgres {
        let mut connection = PgConnection::connect(url).await?;
        sqlx::raw_sql(COPY).execute(&mut connection).await?;
        return Ok(connection.close().await?);
    }
    let mut connection = SqliteConnection::connect_with(&SqliteConnectOptions::from_str(url)?).await?;
    for statements in [COPY, "PRAGMA wal_checkpoint(TRUNCATE)"] {
        sqlx::raw_sql(statements).execute(&mut connection).await?;
    }
    Ok(connection.close().await?)
}

/// Number of products in memory.
const IN_MEMORY: usize = 1_000;

/// Fills the empty store of a service in memory with the first of the same records.
pub(crate) async fn fill_store(app: &App) -> anyhow::Result<()> {
    for Category { name, description } in categories() {
        app.store::<ours::Category>().create(ours::NewCategory { name, description }).await?;
    }
    for Product { name, description, price, stock, category_id, .. } in products(IN_MEMORY) {
        let new = ours::NewProduct { name, description, price, stock, category_id };
        app.store::<ours::Product>().create(new).await?;
    }
    Ok(())
}

pub(crate) fn categories() -> impl Iterator<Item = Category> {
    (1..=CATEGORIES).map(|number| {
        let material = MATERIALS[number % MATERIALS.len()];
        let description = (!number.is_multiple_of(3)).then(|| format!("Everything of {}", material.to_lowercase()));
        Category { name: format!("{material} goods {number:02}"), description }
    })
}

pub(crate) fn products(records: usize) -> impl Iterator<Item = Product> {
    let mut rng = Rng::with_seed(7);
    (1..=records).map(move |number| {
        let (material, kind) = (MATERIALS[rng.usize(..MATERIALS.len())], KINDS[rng.usize(..KINDS.len())]);
        let described = !number.is_multiple_of(3);
        Product {
            name: format!("{material} {kind} {number:05}"),
            description: described.then(|| format!("A {} of {}", kind.to_lowercase(), material.to_lowercase())),
            price: price(&mut rng),
            stock: rng.i32(0..1_000),
            category_id: i64::try_from((number - 1) % CATEGORIES + 1).unwrap_or(1),
            created_at: created_at(number),
        }
    })
}

/// Cheap products are more frequent; no price is a whole number, which JSON can represent in two ways.
fn price(rng: &mut Rng) -> f64 {
    let euros = rng.u32(1..32).pow(2);
    f64::from(euros * 100 + rng.u32(1..100)) / 100.0
}

/// One product every 37 minutes, never on a whole millisecond, which serde would write with fewer digits.
fn created_at(number: usize) -> DateTime<Utc> {
    let minutes = i64::try_from(number).unwrap_or_default() * 37;
    let start = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::days(20_000);
    start + TimeDelta::minutes(minutes) + TimeDelta::microseconds(123_400 + minutes % 99 + 1)
}
