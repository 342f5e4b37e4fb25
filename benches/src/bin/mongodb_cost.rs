//! The cost of records in MongoDB: the same operations by the derived store, and by the driver, used by hand.
//!
//! ```text
//! cargo run --release -p crud-benches --bin mongodb-cost
//! ```
//!
//! It starts the server that the tests run on, or takes the one of `CRUD_TEST_MONGODB`. Every change has its audit entry:
//! by hand, an insert into the log after the change, which a crash in between loses.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use crud_runtime::prelude::*;
use crud_tests::Backend;
use mongodb::bson::{Document, doc};
use mongodb::options::ReturnDocument;
use mongodb::{Client, Collection};
use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// Number of records: few, because the tests' server reads all of them for each query.
const RECORDS: i64 = 100;

/// Number of operations in a round.
const OPERATIONS: i64 = 50;

/// Number of rounds.
const ROUNDS: usize = 9;

/// A product in the catalogue.
#[derive(Debug, Clone, Resource)]
#[crud(filter(price), sort(price), audit)]
struct Product {
    id: i64,
    name: String,
    price: f64,
    stock: i32,
}

/// A record, written by hand.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Row {
    #[serde(rename = "_id")]
    id: i64,
    name: String,
    price: f64,
    stock: i32,
}

/// An operation.
#[derive(Debug, Clone, Copy)]
enum Case {
    Get,
    List,
    Create,
    Update,
}

const CASES: [(Case, &str); 4] = [
    (Case::Get, "get one record"),
    (Case::List, "list of 20: a filter, sort"),
    (Case::Create, "create"),
    (Case::Update, "update of two fields"),
];

/// The driver, used by hand.
struct ByHand {
    products: Collection<Row>,
    log: Collection<Document>,
    counters: Collection<Document>,
}

impl ByHand {
    async fn open(url: &str) -> anyhow::Result<Self> {
        let database = Client::with_uri_str(url).await?.default_database().context("the URL has a database")?;
        let collection = |name: &str| database.collection(name);
        Ok(Self {
            products: database.collection("hand_products"),
            log: collection("hand_log"),
            counters: collection("hand_counters"),
        })
    }

    async fn run(&self, case: Case, number: i64) -> anyhow::Result<()> {
        let id = number % RECORDS + 1;
        match case {
            Case::Get => ensure!(self.products.find_one(doc! { "_id": id }).await?.is_some(), "there is no record"),
            Case::List => {
                let filter = doc! { "price": { "$gt": 10.0 } };
                let mut cursor = self.products.find(filter).sort(doc! { "price": -1, "_id": -1 }).limit(20).await?;
                let mut count = 0;
                while cursor.advance().await? {
                    cursor.deserialize_current()?;
                    count += 1;
                }
                ensure!(count == 20, "{count} records");
            }
            Case::Create => {
                let id = self.next("products").await?;
                let row = Row { id, name: format!("Product {number}"), price: 5.5, stock: 1 };
                self.products.insert_one(&row).await?;
                self.record("create", id).await?;
            }
            Case::Update => {
                let update = doc! { "$set": { "price": 20.5 + price(number), "stock": number } };
                let found = self.products.find_one_and_update(doc! { "_id": id }, update);
                ensure!(found.return_document(ReturnDocument::After).await?.is_some(), "there is no record");
                self.record("update", id).await?;
            }
        }
        Ok(())
    }

    async fn next(&self, counter: &str) -> anyhow::Result<i64> {
        let update = doc! { "$inc": { "last": 1_i64 } };
        let next = self.counters.find_one_and_update(doc! { "_id": counter }, update).upsert(true);
        let next = next.return_document(ReturnDocument::After).await?.context("a counter")?;
        Ok(next.get_i64("last")?)
    }

    async fn record(&self, action: &str, id: i64) -> anyhow::Result<()> {
        let key = self.next("log").await?;
        self.log.insert_one(doc! { "_id": key, "action": action, "entity_id": id }).await?;
        Ok(())
    }
}

fn price(number: i64) -> f64 {
    f64::from(u32::try_from(number % 100).unwrap_or_default())
}

async fn derived(store: &Store<Product>, case: Case, number: i64) -> anyhow::Result<()> {
    let id = number % RECORDS + 1;
    match case {
        Case::Get => drop(store.get(id).await?),
        Case::List => {
            let fields = Product::FIELDS;
            let list = store.list(fields.price.gt(10.0).order_by(fields.price.desc()).limit(20)).await?;
            ensure!(list.len() == 20, "{} records", list.len());
        }
        Case::Create => {
            let new = NewProduct { name: format!("Product {number}"), price: 5.5, stock: 1 };
            drop(store.create(new).await?);
        }
        Case::Update => {
            let stock = i32::try_from(number).unwrap_or_default();
            let patch = ProductPatch::default().price(20.5 + price(number)).stock(stock);
            drop(store.update(id, patch).await?);
        }
    }
    Ok(())
}

/// Cost of an operation: the time, and this process's part of the CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    cpu: Duration,
    time: Duration,
}

async fn measured(run: impl AsyncFn(i64) -> anyhow::Result<()>, first: i64) -> anyhow::Result<Cost> {
    let clock = || clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from);
    let (cpu, begin) = (clock()?, Instant::now());
    for number in first..first + OPERATIONS {
        run(number).await?;
    }
    let count = u32::try_from(OPERATIONS)?;
    Ok(Cost { cpu: clock()?.saturating_sub(cpu) / count, time: begin.elapsed() / count })
}

fn median(mut costs: Vec<Cost>) -> Cost {
    costs.sort_unstable();
    costs[costs.len() / 2]
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    ensure!(Backend::available().contains(&Backend::MongoDb), "there is no server: run `tests/mongodb/build`");
    let database = Backend::MongoDb.fresh();
    let service = Service::connect(database.url()).await?.resource::<Product>().migrate().await?;
    let store = service.store::<Product>();
    let by_hand = ByHand::open(database.url()).await?;
    for number in 0..RECORDS {
        by_hand.run(Case::Create, number).await?;
        derived(&store, Case::Create, number).await?;
    }
    // Some match the list's filter, whatever was updated before.
    for number in 0..RECORDS {
        by_hand.run(Case::Update, number).await?;
        derived(&store, Case::Update, number).await?;
    }
    println!("| | CPU by hand | CPU derived | time by hand | time derived |");
    println!("|---|--:|--:|--:|--:|");
    for (case, title) in CASES {
        let (mut hand, mut ours) = (Vec::new(), Vec::new());
        for round in 0..i64::try_from(ROUNDS)? {
            let first = 1_000 + round * OPERATIONS;
            hand.push(measured(async |number| by_hand.run(case, number).await, first).await?);
            ours.push(measured(async |number| derived(&store, case, number).await, first).await?);
        }
        let (hand, ours) = (median(hand), median(ours));
        let micros = |duration: Duration| duration.as_micros();
        println!(
            "| {title} | {} µs | {} µs | {} µs | {} µs |",
            micros(hand.cpu),
            micros(ours.cpu),
            micros(hand.time),
            micros(ours.time)
        );
    }
    Ok(())
}
