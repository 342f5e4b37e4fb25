//! The benchmark's cases: requests and their expected status.

use std::fmt::Write as _;
use std::sync::Arc;

use fastrand::Rng;

use crate::capability;
use crate::peer::Peer;
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
    /// Reads one record of the resource with every capability: what a request costs that uses none of them.
    Article,
    /// Lists by a condition in JSON: a category, and one of two alternatives.
    Where,
    /// Lists by two words, the second one a beginning.
    Search,
    /// Lists the first twenty records with the category of each.
    Expand,
    /// Lists by the category's name, in the order of the categories' names.
    Related,
    /// Lists the twenty records after a place far from the beginning.
    Cursor,
    /// Streams every record as a line of JSON.
    Export,
    /// Changes the record with a unique value, by a create.
    Upsert,
    /// Creates a record by a request with a new `Idempotency-Key`.
    Idempotent,
}

/// Content of a server, from which requests are built.
#[derive(Debug, Clone, Default)]
pub(crate) struct Content {
    /// Number of products.
    pub(crate) records: usize,
    /// Cursors of pages, which each server signs by its own key.
    pub(crate) cursors: Arc<[String]>,
    /// The program, if it is a peer with requests unlike the others'.
    pub(crate) peer: Option<Peer>,
}

impl Case {
    /// Every case in the order of the run: writes come last, so that every server's lists have the same records
    /// whatever the rates of its writes.
    pub(crate) const ALL: [Self; 16] = [
        Self::Health,
        Self::Get,
        Self::Page,
        Self::List,
        Self::Article,
        Self::Where,
        Self::Search,
        Self::Expand,
        Self::Related,
        Self::Cursor,
        Self::Export,
        Self::Update,
        Self::Create,
        Self::Batch,
        Self::Upsert,
        Self::Idempotent,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Get => "get",
            Self::Page => "page",
            Self::List => "list",
            Self::Create => "create",
            Self::Update => "update",
            Self::Batch => "batch",
            Self::Article => "article",
            Self::Where => "where",
            Self::Search => "search",
            Self::Expand => "expand",
            Self::Related => "related",
            Self::Cursor => "cursor",
            Self::Export => "export",
            Self::Upsert => "upsert",
            Self::Idempotent => "idempotent",
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
            Self::Article => "get one record of a resource with every capability",
            Self::Where => "`where` with an alternative of two, sort, total",
            Self::Search => "search by two words, total",
            Self::Expand => "first page of 20 with `expand`, total",
            Self::Related => "filter and sort across a reference, total",
            Self::Cursor => "page by a cursor, far from the beginning",
            Self::Export => "export, for each 1,000 records",
            Self::Upsert => "upsert of an existing record",
            Self::Idempotent => "create with an Idempotency-Key",
        }
    }

    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = Self::ALL.into_iter().find(|case| case.name() == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|case| case.name()).collect();
            anyhow::anyhow!("expected a case (`{}`), found `{name}`", names.join("`, `"))
        })
    }

    /// Whether the case uses a capability of lists or changes, or the resource that has them.
    pub(crate) const fn is_capability(self) -> bool {
        !matches!(self, Self::Health | Self::Get | Self::Page | Self::List | Self::Create | Self::Update | Self::Batch)
    }

    /// The units of work in one request, by which its cost is divided.
    #[allow(clippy::cast_precision_loss)] // far below 2^52 records
    pub(crate) fn units(self, records: usize) -> f64 {
        if self == Self::Export { records as f64 / 1_000.0 } else { 1.0 }
    }

    /// The status of every response.
    pub(crate) const fn status(self, content: &Content) -> u16 {
        match (content.peer, self) {
            (Some(peer), _) => peer.status(self),
            (None, Self::Create | Self::Idempotent) => 201,
            (None, _) => 200,
        }
    }

    /// The next request to a service with this content, as HTTP bytes.
    pub(crate) fn request(self, rng: &mut Rng, content: &Content) -> Vec<u8> {
        let records = content.records;
        if let Some(peer) = content.peer {
            return peer.request(self, rng, records);
        }
        match self {
            Self::Health => get("/health"),
            Self::Get => get(&format!("/products/{}", any_id(rng, records))),
            Self::Page => get("/products?limit=20"),
            Self::List => get(&list_target(rng)),
            Self::Create => send("POST", "/products", &new_product(rng)),
            Self::Update => send("PUT", &format!("/products/{}", any_id(rng, records)), &changes(rng)),
            Self::Batch => send("POST", "/products/batch", &batch(rng)),
            Self::Article => get(&format!("/articles/{}", any_id(rng, records))),
            Self::Where => get(&capability::alternatives(rng)),
            Self::Search => get(&capability::search(rng)),
            Self::Expand => get("/articles?expand=category&limit=20"),
            Self::Related => get(&capability::related(rng)),
            Self::Cursor => get(&capability::cursor(rng, &content.cursors)),
            Self::Export => get("/articles/export"),
            Self::Upsert => {
                let sku = format!("A-{}", any_id(rng, records));
                send("POST", "/articles?on_conflict=sku", &capability::article(rng, &sku))
            }
            Self::Idempotent => capability::keyed_create(rng),
        }
    }
}

pub(crate) fn any_id(rng: &mut Rng, records: usize) -> usize {
    rng.usize(1..=records)
}

// A third of the prices is below 100: some 160 of a category's 250 products match, so the page is full.
fn list_target(rng: &mut Rng) -> String {
    let (category, price) = list_values(rng);
    format!("/products?category_id={category}&price__gt={price}.5&sort=-price&limit=20")
}

/// The category of a list, and the whole part of the price that its records are above.
pub(crate) fn list_values(rng: &mut Rng) -> (usize, u32) {
    (rng.usize(1..=CATEGORIES), rng.u32(10..100))
}

pub(crate) fn new_product(rng: &mut Rng) -> String {
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

pub(crate) fn changes(rng: &mut Rng) -> String {
    let (cents, stock) = (rng.u32(1..100_000), rng.u32(0..1_000_000));
    format!(r#"{{"price":{},"stock":{stock}}}"#, f64::from(cents) / 100.0)
}

/// A GET request for a path and query.
pub(crate) fn get(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// A request with a JSON body.
pub(crate) fn send(method: &str, target: &str, body: &str) -> Vec<u8> {
    send_with(method, target, "", body)
}

/// A request with a JSON body and further lines of headers.
pub(crate) fn send_with(method: &str, target: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
