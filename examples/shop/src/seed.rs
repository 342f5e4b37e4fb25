//! Fills an empty shop with a generated catalogue, which is the same every time and large enough for many pages.

mod photos;
mod picture;
mod words;

use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::{Error, Result, Service, Store};
use fastrand::Rng;

pub use self::photos::photos;
use self::words::{ADJECTIVES, SERIES, SHELVES, Shelf};
use crate::{Category, NewCategory, NewOrder, NewProduct, Order, Product, Status};

/// Default number of products of a seeded shop. There is an order for every second product.
pub const PRODUCTS: u32 = 400;

/// The number of records of a batch.
const BATCH: usize = 100;

/// The number of records that [`seed`] created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeded {
    /// Categories.
    pub categories: usize,
    /// Products.
    pub products: usize,
    /// Orders.
    pub orders: usize,
}

/// Fills the shop's tables with so many products, and half as many orders.
///
/// # Errors
/// When one of the tables has records; then nothing is written. When the database fails.
pub async fn seed(service: &Service, count: u32) -> Result<Seeded> {
    let categories = service.store::<Category>();
    let products = service.store::<Product>();
    let orders = service.store::<Order>();
    require_empty(&categories).await?;
    require_empty(&products).await?;
    require_empty(&orders).await?;

    let mut rng = Rng::with_seed(1);
    let categories = seed_categories(&categories).await?;
    let products = seed_products(&products, &categories, count, &mut rng).await?;
    let orders = seed_orders(&orders, &products, count / 2, &mut rng).await?;
    Ok(Seeded { categories: categories.len(), products: products.len(), orders })
}

async fn require_empty<R: Resource>(store: &Store<R>) -> Result<()> {
    match store.list(Select::all().limit(1)).await?.as_slice() {
        [] => Ok(()),
        _ => Err(Error::Setup(format!(
            "the database already has records in `{}`; only an empty shop can be seeded",
            R::DESCRIPTOR.table
        ))),
    }
}

/// Creates the categories; returns each shelf with its category's id.
async fn seed_categories(store: &Store<Category>) -> Result<Vec<(i64, &'static Shelf)>> {
    let mut shelves = Vec::with_capacity(SHELVES.len());
    for shelf in &SHELVES {
        let name = shelf.category.to_owned();
        let category = store.create(NewCategory { name, description: Some(shelf.description.to_owned()) }).await?;
        shelves.push((category.id, shelf));
    }
    Ok(shelves)
}

/// Creates the products; returns the key of each and its price in cents.
async fn seed_products(
    store: &Store<Product>,
    shelves: &[(i64, &Shelf)],
    count: u32,
    rng: &mut Rng,
) -> Result<Vec<(i64, u32)>> {
    let mut prices = Vec::new();
    let mut products = Vec::new();
    for number in 0..count {
        let (category_id, shelf) = shelves[rng.usize(..shelves.len())];
        let name = name(shelf, rng);
        let cents = price(shelf, rng);
        prices.push(cents);
        let description = (rng.u8(..10) < 8).then(|| format!("{name}, from our range of {}.", shelf.category));
        // Every fiftieth product is sold out.
        let stock = if number % 50 == 49 { 0 } else { rng.i32(1..500) };
        products.push(NewProduct { name, description, price: money(cents), stock, category_id, photo: None });
    }
    let created = create_all(store, products).await?;
    Ok(created.iter().map(|product| product.id).zip(prices).collect())
}

fn name(shelf: &Shelf, rng: &mut Rng) -> String {
    let adjective = ADJECTIVES[rng.usize(..ADJECTIVES.len())];
    let noun = shelf.nouns[rng.usize(..shelf.nouns.len())];
    let series = SERIES[rng.usize(..SERIES.len())];
    format!("{adjective} {noun} {series}{}", rng.u32(10..100) * 10)
}

/// A price in cents: cheap products are more frequent, and most prices are just below a whole unit.
fn price(shelf: &Shelf, rng: &mut Rng) -> u32 {
    let (low, high) = shelf.prices;
    let whole = rng.u32(low..=high).min(rng.u32(low..=high));
    let cents = [99, 99, 99, 95, 90, 50, 49, 0][rng.usize(..8)];
    whole * 100 + cents
}

/// Creates records in batches, each in one transaction, as its sync to the disk takes longer than a record. Without
/// transactions, records are created one by one.
async fn create_all<R: Writable<New: Clone>>(store: &Store<R>, new: Vec<R::New>) -> Result<Vec<R>> {
    let mut created = Vec::with_capacity(new.len());
    for chunk in new.chunks(BATCH) {
        match store.create_batch(chunk.iter().cloned()).await {
            Ok(batch) => {
                if let Some(failed) = batch.errors.into_iter().next() {
                    return Err(failed.problem.into());
                }
                created.extend(batch.items);
            }
            Err(Error::Problem(problem)) if problem.code() == Code::UnsupportedHere => {
                for new in chunk {
                    created.push(store.create(new.clone()).await?);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(created)
}

/// Creates the orders; returns their number.
async fn seed_orders(store: &Store<Order>, products: &[(i64, u32)], count: u32, rng: &mut Rng) -> Result<usize> {
    let mut orders = Vec::new();
    for number in 1..=count {
        let (product, price) = products[rng.usize(..products.len())];
        let cents = price * rng.u32(1..=5);
        let order = NewOrder {
            order_number: order_number(number, count),
            product_id: Some(product),
            total_price: money(cents),
            status: Some(status(rng)),
        };
        orders.push(order);
    }
    Ok(create_all(store, orders).await?.len())
}

/// The date and a running number; the orders spread over two years.
fn order_number(number: u32, count: u32) -> String {
    let day = u32::try_from(u64::from(number - 1) * 730 / u64::from(count)).unwrap_or_default();
    let date = NaiveDate::from_yo_opt(if day < 365 { 2024 } else { 2025 }, day % 365 + 1).unwrap_or_default();
    format!("{}-{number:05}", date.format("%Y%m%d"))
}

/// A weighted status: most orders are delivered.
fn status(rng: &mut Rng) -> Status {
    match rng.u8(..100) {
        0..60 => Status::Delivered,
        60..75 => Status::Shipped,
        75..87 => Status::Paid,
        87..95 => Status::Pending,
        _ => Status::Cancelled,
    }
}

fn money(cents: u32) -> f64 {
    f64::from(cents) / 100.0
}
