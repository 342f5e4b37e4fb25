//! The records that every server starts with.

use std::str::FromStr;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use fastrand::Rng;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};

/// How many categories there are, with the ids from 1.
pub(crate) const CATEGORIES: usize = 40;
/// How many products there are, with the ids from 1.
pub(crate) const PRODUCTS: usize = 10_000;

const KINDS: [&str; 10] =
    ["Lamp", "Chair", "Kettle", "Backpack", "Notebook", "Headphones", "Blanket", "Knife", "Bottle", "Desk"];
const MATERIALS: [&str; 8] = ["Oak", "Steel", "Linen", "Copper", "Walnut", "Glass", "Wool", "Ceramic"];

/// Fills the empty tables `categories` and `products`, with the same records in every run.
///
/// Instants are written the way both servers' JSON has them, in UTC with microseconds: what a server does
/// with them on the way is its own affair.
pub(crate) async fn fill(url: &str) -> anyhow::Result<()> {
    let mut connection = SqliteConnection::connect_with(&SqliteConnectOptions::from_str(url)?).await?;
    let mut rng = Rng::with_seed(7);
    let mut transaction = connection.begin().await?;
    for number in 1..=CATEGORIES {
        insert_category(&mut transaction, number).await?;
    }
    for number in 1..=PRODUCTS {
        insert_product(&mut transaction, number, &mut rng).await?;
    }
    transaction.commit().await?;
    sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

async fn insert_category(connection: &mut SqliteConnection, number: usize) -> sqlx::Result<()> {
    let material = MATERIALS[number % MATERIALS.len()];
    sqlx::query("INSERT INTO categories (name, description) VALUES (?, ?)")
        .bind(format!("{material} goods {number:02}"))
        .bind((!number.is_multiple_of(3)).then(|| format!("Everything of {}", material.to_lowercase())))
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert_product(connection: &mut SqliteConnection, number: usize, rng: &mut Rng) -> sqlx::Result<()> {
    let (material, kind) = (MATERIALS[rng.usize(..MATERIALS.len())], KINDS[rng.usize(..KINDS.len())]);
    let created = created_at(number);
    sqlx::query(
        "INSERT INTO products (name, description, price, stock, category_id, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
    )
    .bind(format!("{material} {kind} {number:05}"))
    .bind((!number.is_multiple_of(3)).then(|| format!("A {} of {}", kind.to_lowercase(), material.to_lowercase())))
    .bind(price(rng))
    .bind(rng.i32(0..1_000))
    .bind(i64::try_from((number - 1) % CATEGORIES + 1).unwrap_or(1))
    .bind(created)
    .execute(connection)
    .await?;
    Ok(())
}

/// Cheap things are more common than dear ones; none costs a whole number, which JSON could write in two ways.
fn price(rng: &mut Rng) -> f64 {
    let euros = rng.u32(1..32).pow(2);
    f64::from(euros * 100 + rng.u32(1..100)) / 100.0
}

/// One every 37 minutes, never on a whole millisecond, which serde would write with fewer digits.
fn created_at(number: usize) -> String {
    let minutes = i64::try_from(number).unwrap_or_default() * 37;
    let start = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::days(20_000);
    let instant = start + TimeDelta::minutes(minutes) + TimeDelta::microseconds(123_400 + minutes % 99 + 1);
    instant.to_rfc3339_opts(SecondsFormat::Micros, true)
}
