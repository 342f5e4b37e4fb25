//! The benchmark's cases: requests and their expected status.

use std::fmt::Write as _;

use fastrand::Rng;

use crate::seed::CATEGORIES;

/// A kind of request. The values vary, in the same sequence for every server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// Asks whether the service is alive.
    Health,
    /// Reads one record by its id.
    Get,
    /// Lists the first twenty records, with the total.
    Page,
    /// Lists twenty records of a category above a price, highest price first, with the total.
    List,
    /// Creates a record.
    Create,
    /// Updates two fields of a record.
    Update,
    /// Creates a hundred records in one request.
    Batch,
}

impl Case {
    /// Every case in the order of the run: writes come last, so that every server's lists have the same records
    /// whatever the rates of its writes.
    pub(crate) const ALL: [Self; 7] =
        [Self::Health, Self::Get, Self::Page, Self::List, Self::Update, Self::Create, Self::Batch];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Get => "get",
            Self::Page => "page",
            Self::List => "list",
            Self::Create => "create",
            Self::Update => "update",
            Self::Batch => "batch",
        }
    }

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Get => "get one record",
            Self::Page => "first page of 20 with total",
            Self::List => "list of 20: two filters, sort, total",
            Self::Create => "create",
            Self::Update => "update of two fields",
            Self::Batch => "batch of 100 creates",
        }
    }

    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = Self::ALL.into_iter().find(|case| case.name() == name);
        found.ok_or_else(|| {
            anyhow::anyhow!(
                "expected a case (`health`, `get`, `page`, `list`, `create`, `update` or `batch`), found `{name}`"
            )
        })
    }

    /// The status of every response.
    pub(crate) const fn status(self) -> u16 {
        match self {
            Self::Health | Self::Get | Self::Page | Self::List | Self::Update | Self::Batch => 200,
            Self::Create => 201,
        }
    }

    /// The next request to a service of so many products, as HTTP bytes.
    pub(crate) fn request(self, rng: &mut Rng, records: usize) -> Vec<u8> {
        match self {
            Self::Health => get("/health"),
            Self::Get => get(&format!("/products/{}", any_id(rng, records))),
            Self::Page => get("/products?limit=20"),
            Self::List => get(&list_target(rng)),
            Self::Create => send("POST", "/products", &new_product(rng)),
            Self::Update => send("PUT", &format!("/products/{}", any_id(rng, records)), &changes(rng)),
            Self::Batch => send("POST", "/products/batch", &batch(rng)),
        }
    }
}

fn any_id(rng: &mut Rng, records: usize) -> usize {
    rng.usize(1..=records)
}

// A third of the prices is below 100: some 160 of a category's 250 products match, so the page is full.
fn list_target(rng: &mut Rng) -> String {
    let (category, price) = (rng.usize(1..=CATEGORIES), rng.u32(10..100));
    format!("/products?category_id={category}&price__gt={price}.5&sort=-price&limit=20")
}

fn new_product(rng: &mut Rng) -> String {
    let (number, cents, stock) = (rng.u32(..), rng.u32(1..100_000), rng.u32(0..1_000));
    let (category, price) = (rng.usize(1..=CATEGORIES), f64::from(cents) / 100.0);
    let mut body = String::with_capacity(160);
    let _ = write!(
        body,
        r#"{{"name":"Benchmark product {number}","description":"A record made to be measured","price":{price},"#
    );
    let _ = write!(body, r#""stock":{stock},"category_id":{category}}}"#);
    body
}

fn batch(rng: &mut Rng) -> String {
    let items: Vec<String> = (0..100).map(|_| new_product(rng)).collect();
    format!(r#"{{"items":[{}]}}"#, items.join(","))
}

fn changes(rng: &mut Rng) -> String {
    let (cents, stock) = (rng.u32(1..100_000), rng.u32(0..1_000_000));
    format!(r#"{{"price":{},"stock":{stock}}}"#, f64::from(cents) / 100.0)
}

/// A GET request for a path and query.
pub(crate) fn get(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// A request with a JSON body.
pub(crate) fn send(method: &str, target: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
