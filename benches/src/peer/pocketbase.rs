//! `PocketBase`: its tables, its requests, its process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

use anyhow::{Context, ensure};
use chrono::{DateTime, Utc};
use fastrand::Rng;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};

use super::Peer;
use crate::case::{Case, any_id, get, send};
use crate::seed::{CATEGORIES, MATERIALS, categories, products};

const MIGRATION: &str = include_str!("../../peers/pocketbase/migrations/1_products.js");

const RECORDS: &str = "/api/collections/products/records";

/// The directory of its files, beside where a database of `SQLite` would be.
fn directory(url: &str) -> PathBuf {
    PathBuf::from(url.trim_start_matches("sqlite://")).with_extension("pocketbase")
}

/// Creates its tables and fills them with the records of the other servers.
pub(super) async fn prepare(url: &str, records: usize) -> anyhow::Result<()> {
    let directory = directory(url);
    fs::create_dir_all(directory.join("migrations"))?;
    fs::write(directory.join("migrations/1_products.js"), MIGRATION)?;
    let migrated = command(&directory)?.args(["migrate", "up"]).stdout(Stdio::null()).status()?;
    ensure!(migrated.success(), "`pocketbase migrate` ended with {migrated}");
    let file = directory.join("data/data.db");
    let url = format!("sqlite://{}", file.to_str().context("the path of the database is not Unicode")?);
    let mut connection = SqliteConnection::connect_with(&SqliteConnectOptions::from_str(&url)?).await?;
    let mut transaction = connection.begin().await?;
    for (number, category) in categories().enumerate() {
        sqlx::query("INSERT INTO categories (id, name, description) VALUES (?, ?, ?)")
            .bind(category_id(number + 1))
            .bind(category.name)
            .bind(category.description.unwrap_or_default())
            .execute(&mut *transaction)
            .await?;
    }
    for (number, product) in products(records).enumerate() {
        sqlx::query(
            "INSERT INTO products (id, name, description, price, stock, category_id, created, updated)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
        )
        .bind(product_id(number + 1))
        .bind(product.name)
        .bind(product.description.unwrap_or_default())
        .bind(product.price)
        .bind(product.stock)
        .bind(category_id(usize::try_from(product.category_id)?))
        .bind(time(product.created_at))
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await?;
    connection.close().await?;
    Ok(())
}

/// The command that serves its files at an address.
pub(super) fn serve(url: &str, address: &str) -> anyhow::Result<Command> {
    let mut command = command(&directory(url))?;
    command.args(["serve", "--http", address]);
    Ok(command)
}

fn command(directory: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(Peer::PocketBase.program()?);
    command.arg("--dir").arg(directory.join("data")).arg("--migrationsDir").arg(directory.join("migrations"));
    // A program in a temporary directory would log each statement.
    command.arg("--dev=false");
    Ok(command)
}

fn time(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%S%.3fZ").to_string()
}

fn product_id(number: usize) -> String {
    format!("p{number:014}")
}

fn category_id(number: usize) -> String {
    format!("c{number:014}")
}

/// Whether it has what a case asks for. It has no words, cursors, upserts by a unique field, idempotency keys or exports.
pub(super) const fn answers(case: Case) -> bool {
    matches!(
        case,
        Case::Get
            | Case::Page
            | Case::List
            | Case::Create
            | Case::Update
            | Case::Batch
            | Case::Where
            | Case::Expand
            | Case::Related
    )
}

/// The next request of a case, with the values of the other servers' requests.
pub(super) fn request(case: Case, rng: &mut Rng, records: usize) -> Vec<u8> {
    match case {
        Case::Page => get(&format!("{RECORDS}?perPage=20&sort=-created")),
        Case::Expand => get(&format!("{RECORDS}?perPage=20&sort=-created&expand=category_id")),
        Case::List => {
            let (category, price) = (category_id(rng.usize(1..=CATEGORIES)), rng.u32(10..100));
            list(&format!("category_id='{category}'&&price>{price}.5"), "-price")
        }
        Case::Where => {
            let (category, price, stock) = (rng.usize(1..=CATEGORIES), rng.u32(10..40), rng.u32(750..900));
            let category = category_id(category);
            list(&format!("category_id='{category}'&&(price<{price}.5||stock>{stock})"), "-price")
        }
        Case::Related => {
            let material = MATERIALS[rng.usize(..MATERIALS.len())];
            list(&format!("category_id.name~'{material}%'"), "category_id.name,-price")
        }
        Case::Create => send("POST", RECORDS, &new_product(rng)),
        Case::Update => {
            let id = product_id(any_id(rng, records));
            let (cents, stock) = (rng.u32(1..100_000), rng.u32(0..1_000_000));
            let body = format!(r#"{{"price":{},"stock":{stock}}}"#, f64::from(cents) / 100.0);
            send("PATCH", &format!("{RECORDS}/{id}"), &body)
        }
        Case::Batch => {
            let item = |_| format!(r#"{{"method":"POST","url":"{RECORDS}","body":{}}}"#, new_product(rng));
            let items: Vec<String> = (0..100).map(item).collect();
            send("POST", "/api/batch", &format!(r#"{{"requests":[{}]}}"#, items.join(",")))
        }
        _ => get(&format!("{RECORDS}/{}", product_id(any_id(rng, records)))),
    }
}

fn list(filter: &str, sort: &str) -> Vec<u8> {
    let mut escaped = String::with_capacity(2 * filter.len());
    for character in filter.chars() {
        match character {
            '&' => escaped.push_str("%26"),
            '%' => escaped.push_str("%25"),
            '>' => escaped.push_str("%3E"),
            '<' => escaped.push_str("%3C"),
            '|' => escaped.push_str("%7C"),
            '\'' => escaped.push_str("%27"),
            other => escaped.push(other),
        }
    }
    get(&format!("{RECORDS}?perPage=20&sort={sort}&filter=({escaped})"))
}

fn new_product(rng: &mut Rng) -> String {
    let (number, cents, stock) = (rng.u32(..), rng.u32(1..100_000), rng.u32(0..1_000));
    let (category, price) = (category_id(rng.usize(1..=CATEGORIES)), f64::from(cents) / 100.0);
    format!(
        r#"{{"name":"Benchmark product {number}","description":"A record made to be measured","price":{price},"stock":{stock},"category_id":"{category}"}}"#
    )
}
