//! SIGKILL in the middle of bookings: stock, lines, invoices, audit log and mails agree afterwards.
//!
//! The long form is `REPAIR_CRASH_ROUNDS=200 cargo test -p repair --test crash`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crud_tests::{Client, Database, Server, on_each_sql_backend, wait_until};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Number of kills of the process; `REPAIR_CRASH_ROUNDS` overrides it.
const ROUNDS: usize = 4;

const WRITERS: usize = 4;
const STOCK: i64 = 1_000_000;
const PASSWORD: &str = "a password of this test";

/// A client of the shop, with the token of its staff.
#[derive(Clone)]
struct Staff {
    client: Client,
    authorization: String,
    /// Number of requests that created a record.
    acknowledged: Arc<AtomicUsize>,
}

impl Staff {
    async fn new(server: &Server) -> Self {
        let body = json!({ "username": "admin", "password": PASSWORD });
        let tokens = server.post("/auth/login", &body).await.ok();
        let token = tokens["access_token"].as_str().expect("a token");
        Self { client: Client::clone(server), authorization: format!("Bearer {token}"), acknowledged: Arc::default() }
    }

    async fn get(&self, path: &str) -> Value {
        self.client.get(path).header("authorization", &self.authorization).await.ok()
    }

    /// The record that a request makes; `None` when it is not answered, or refused.
    async fn post(&self, path: &str, body: &Value) -> Option<Value> {
        let request = self.client.post(path, body).header("authorization", &self.authorization);
        let answer = request.attempt().await.filter(|answer| answer.status() < 300)?;
        self.acknowledged.fetch_add(1, Ordering::Relaxed);
        Some(answer.into_json())
    }

    async fn create(&self, path: &str, body: Value) -> i64 {
        let record = self.post(path, &body).await.expect("a record");
        record["id"].as_i64().expect("a key")
    }

    /// Every record of a list.
    async fn all(&self, path: &str) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let page = self.get(&format!("{path}?limit=100&skip={}", all.len())).await;
            let records = page["data"].as_array().expect("a page").clone();
            all.extend(records);
            if all.len() as u64 >= page["total"].as_u64().expect("a total") {
                return all;
            }
        }
    }
}

/// Books parts for tickets and finishes them until a request is not answered; returns the acknowledged lines.
async fn book(staff: Staff, customer: i64, device: i64, part: i64) -> BTreeSet<i64> {
    let mut lines = BTreeSet::new();
    loop {
        let ticket = json!({ "customer_id": customer, "device_id": device, "problem": "Broken screen" });
        let Some(ticket) = staff.post("/tickets", &ticket).await else { return lines };
        let id = &ticket["id"];
        let Some(_) = staff.post(&format!("/tickets/{id}/start"), &json!({})).await else { return lines };
        let line = |quantity: i64| json!({ "ticket_id": id, "part_id": part, "quantity": quantity });
        let Some(one) = staff.post("/lines", &line(2)).await else { return lines };
        lines.insert(one["id"].as_i64().expect("a key"));
        let batch = json!({ "items": [line(1), line(3)] });
        let Some(batch) = staff.post("/lines/batch", &batch).await else { return lines };
        lines.extend(batch["items"].as_array().expect("items").iter().map(|line| line["id"].as_i64().expect("a key")));
        let Some(_) = staff.post(&format!("/tickets/{id}/finish"), &json!({})).await else { return lines };
    }
}

/// Checks that everything agrees.
async fn check(staff: &Staff, mailbox: &Path, part: i64, acknowledged: &BTreeSet<i64>, is_last: bool) {
    let lines = staff.all("/lines").await;
    let taken: i64 = lines.iter().map(|line| line["quantity"].as_i64().expect("a number")).sum();
    let stock = staff.get(&format!("/parts/{part}")).await["stock"].as_i64().expect("a number");
    assert_eq!(stock, STOCK - taken, "the stock and the lines disagree");
    let ids: BTreeSet<i64> = lines.iter().map(|line| line["id"].as_i64().expect("a key")).collect();
    assert!(acknowledged.is_subset(&ids), "an acknowledged line is lost");

    let log = staff.all("/audit-logs").await;
    let of = |entity: &str, action: &str| {
        log.iter().filter(|entry| entry["entity_type"] == entity && entry["action"] == action).collect::<Vec<_>>()
    };
    assert_eq!(of("Line", "create").len(), lines.len(), "each line has its entry");
    let stocks = of("Part", "update");
    assert_eq!(stocks.len(), lines.len(), "each booking has the entry of its part");
    let last = stocks.last().map_or(STOCK, |entry| entry["changes"]["stock"].as_i64().expect("a number"));
    assert_eq!(last, stock, "the log ends with the stock");

    let mut done: BTreeMap<i64, i64> = BTreeMap::new();
    for ticket in staff.all("/tickets").await.iter().filter(|ticket| ticket["status"] == "done") {
        done.insert(ticket["id"].as_i64().expect("a key"), 0);
    }
    let mut numbers = BTreeSet::new();
    for invoice in staff.all("/invoices").await {
        *done.entry(invoice["ticket_id"].as_i64().expect("a key")).or_insert(100) += 1;
        numbers.insert((invoice["year"].as_i64().expect("a year"), invoice["number"].as_i64().expect("a number")));
    }
    assert!(done.values().all(|invoices| *invoices == 1), "each finished ticket has one invoice: {done:?}");
    for (year, number) in &numbers {
        assert!(*number == 1 || numbers.contains(&(*year, number - 1)), "a gap before {number} of {year}");
    }

    let mails = || std::fs::read_to_string(mailbox).unwrap_or_default();
    let mailed = |number: &(i64, i64)| mails().contains(&format!("Invoice {}/{}:", number.0, number.1));
    // A mail that the killed process was at is another's when its time is over.
    if is_last {
        wait_until("each invoice is mailed", async || numbers.iter().all(&mailed)).await;
    }
    for mail in mails().lines() {
        let (_, invoice) = mail.split_once("Invoice ").expect("an invoice");
        let (year, rest) = invoice.split_once('/').expect("a year");
        let (number, _) = rest.split_once(':').expect("a number");
        let number = (year.parse().expect("a year"), number.parse().expect("a number"));
        assert!(numbers.contains(&number), "a mail of an invoice that is not there: {mail}");
    }
}

async fn survive(database: &Database, rounds: usize) {
    let directory = tempfile::tempdir().expect("a directory");
    let mailbox = directory.path().join("mailbox");
    let path = mailbox.to_str().expect("UTF-8");
    let variables = [
        ("MAILBOX", path),
        ("ADMIN_PASSWORD", PASSWORD),
        ("JWT_SECRET_KEY", "the secret of the tests of crashes, which is public"),
    ];
    let mut acknowledged = BTreeSet::new();
    let mut records = None;
    for round in 0..=rounds {
        let mut server = Server::start_with(env!("CARGO_BIN_EXE_repair"), &[], &variables, database).await;
        let staff = Staff::new(&server).await;
        let (customer, device, part) = match records {
            Some(records) => records,
            None => {
                let customer = staff.create("/customers", json!({ "name": "Cleo", "email": "cleo@example.com" })).await;
                let device = json!({ "customer_id": customer, "model": "Phone", "serial": "S-1" });
                let part = json!({ "name": "Screen", "price": "49.90", "stock": STOCK });
                let made = (customer, staff.create("/devices", device).await, staff.create("/parts", part).await);
                *records.insert(made)
            }
        };
        // Each check reads everything.
        if rounds <= ROUNDS || round % 20 == 0 || round == rounds {
            check(&staff, &mailbox, part, &acknowledged, round == rounds).await;
        }
        if round == rounds {
            break;
        }
        let mut writers = JoinSet::new();
        for _ in 0..WRITERS {
            writers.spawn(book(staff.clone(), customer, device, part));
        }
        let moment = staff.acknowledged.load(Ordering::Relaxed) + fastrand::usize(1..=100);
        wait_until("bookings are made", async || staff.acknowledged.load(Ordering::Relaxed) >= moment).await;
        server.signal("KILL").await;
        server.ended().await;
        acknowledged.extend(writers.join_all().await.into_iter().flatten());
    }
    assert!(acknowledged.len() > rounds, "the writers book too little: {} lines", acknowledged.len());
}

#[test]
fn killed_process_leaves_stock_lines_invoices_log_and_mails_in_agreement() {
    let rounds = env::var("REPAIR_CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    on_each_sql_backend(async |database| survive(database, rounds).await);
}
