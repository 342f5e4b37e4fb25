//! SIGKILL in the middle of bookings: stock, lines, invoices, audit log and mails agree afterwards.
//!
//! The long form is `REPAIR_CRASH_ROUNDS=200 cargo test -p repair --test crash`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;

use crud_tests::{Database, Operator, Server, on_each_sql_backend, wait_until};
use serde_json::json;
use tokio::task::JoinSet;

/// Number of kills of the process; `REPAIR_CRASH_ROUNDS` overrides it.
const ROUNDS: usize = 4;

const WRITERS: usize = 4;
const STOCK: i64 = 1_000_000;

/// Books parts for tickets and finishes them until a request is not answered; returns the acknowledged lines.
async fn book(staff: Operator, customer: i64, device: i64, part: i64) -> BTreeSet<i64> {
    let mut lines = BTreeSet::new();
    loop {
        let ticket = json!({ "customer_id": customer, "device_id": device, "problem": "Broken screen" });
        let Some(ticket) = staff.try_post("/tickets", &ticket).await else { return lines };
        let id = &ticket["id"];
        let Some(_) = staff.try_post(&format!("/tickets/{id}/start"), &json!({})).await else { return lines };
        let line = |quantity: i64| json!({ "ticket_id": id, "part_id": part, "quantity": quantity });
        let Some(one) = staff.try_post("/lines", &line(2)).await else { return lines };
        lines.insert(one["id"].as_i64().expect("a key"));
        let batch = json!({ "items": [line(1), line(3)] });
        let Some(batch) = staff.try_post("/lines/batch", &batch).await else { return lines };
        lines.extend(batch["items"].as_array().expect("items").iter().map(|line| line["id"].as_i64().expect("a key")));
        let Some(_) = staff.try_post(&format!("/tickets/{id}/finish"), &json!({})).await else { return lines };
    }
}

/// Checks that everything agrees.
async fn check(staff: &Operator, mailbox: &Path, part: i64, acknowledged: &BTreeSet<i64>, is_last: bool) {
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
    let [password, secret] = Operator::VARIABLES;
    let variables = [("MAILBOX", path), password, secret];
    let mut acknowledged = BTreeSet::new();
    let mut records = None;
    for round in 0..=rounds {
        let mut server = Server::start_with(env!("CARGO_BIN_EXE_repair"), &[], &variables, database).await;
        let staff = Operator::log_in(&server).await;
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
        let moment = staff.acknowledged() + fastrand::usize(1..=100);
        wait_until("bookings are made", async || staff.acknowledged() >= moment).await;
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
