//! Transactions over several resources, with a job.

use std::collections::HashSet;
use std::time::Duration;

use crud_runtime::prelude::*;
use crud_tests::bookings::{Line, NewPart, Part, Run, bookings};
use crud_tests::{Client, Database, Server, on_each_sql_backend, wait_until};
use serde_json::json;
use tokio::task::JoinSet;

/// The parts, each with this stock at first.
const PARTS: usize = 3;
const STOCK: i32 = 1_000_000;

/// Clients that book at a time.
const CLIENTS: usize = 4;

/// What clients know of their bookings.
#[derive(Debug, Default)]
struct Known {
    /// Acknowledged.
    made: HashSet<String>,
    /// Refused.
    refused: HashSet<String>,
    unanswered: usize,
}

async fn book_until_killed(mut server: Server, parts: &[i64], round: usize, known: &mut Known) {
    let mut running = JoinSet::new();
    for number in 0..CLIENTS {
        let (client, parts) = (Client::clone(&server), parts.to_vec());
        running.spawn(async move {
            let mut known = Known::default();
            for booking in 0_usize.. {
                let token = format!("{round}-{number}-{booking}");
                let path = format!("/parts/{}/book", parts[booking % parts.len()]);
                let fails = booking % 4 == 3;
                let body = json!({ "quantity": fastrand::i32(1..5), "token": token, "fails": fails });
                match client.post(&path, &body).attempt().await.map(|answer| answer.status()) {
                    Some(201) => drop(known.made.insert(token)),
                    Some(409) => drop(known.refused.insert(token)),
                    // In the way of another, or killed before its answer.
                    Some(503) => known.unanswered += 1,
                    Some(status) => panic!("{token}: status {status}"),
                    None => {
                        known.unanswered += 1;
                        return known;
                    }
                }
            }
            known
        });
    }
    tokio::time::sleep(Duration::from_millis(fastrand::u64(20..300))).await;
    server.signal("KILL").await;
    server.ended().await;
    for client in running.join_all().await {
        known.made.extend(client.made);
        known.refused.extend(client.refused);
        known.unanswered += client.unanswered;
    }
}

/// Stock, lines, audit and jobs agree, and with what clients know.
///
/// A server of a database may still carry out the commit that a killed process has sent, between two of the reads here:
/// they agree as soon as it has.
async fn agree(app: &App, known: &Known) {
    let mut found = disagreement(app, known).await;
    for _ in 0..20 {
        if found.is_none() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        found = disagreement(app, known).await;
    }
    assert_eq!(found, None);
}

async fn disagreement(app: &App, known: &Known) -> Option<String> {
    let parts = app.store::<Part>().list(Select::all()).await.unwrap();
    let lines = app.store::<Line>().list(Select::all()).await.unwrap();
    let tokens: HashSet<String> = lines.iter().map(|line| line.token.clone()).collect();
    let mut tx = app.begin().await.unwrap();
    let text = "SELECT entity_type, action, COUNT(*) FROM audit_logs GROUP BY entity_type, action";
    let entries = tx.sql(text).fetch::<(String, String, i64)>().await.unwrap();
    drop(tx);
    let entries_of = |entity: &str, action: &str| {
        entries.iter().find(|entry| entry.0 == entity && entry.1 == action).map_or(0, |entry| entry.2)
    };
    let changes = i64::try_from(lines.len()).unwrap();
    let waiting = app.jobs().list(Some("booked"), None, 0, u64::from(u32::MAX)).await.unwrap().data;
    let waiting: HashSet<String> =
        waiting.into_iter().filter_map(|job| Some(job.payload.as_str()?.to_owned())).collect();
    let runs = app.store::<Run>().list(Select::all()).await.unwrap();
    let runs: HashSet<String> = runs.into_iter().map(|run| run.token).collect();
    for part in parts {
        let own = lines.iter().filter(|line| line.part_id == part.id).map(|line| line.quantity);
        let sum = part.stock + own.sum::<i32>();
        if sum != STOCK {
            return Some(format!("part {}: stock and lines are {sum}, not {STOCK}", part.id));
        }
    }
    [
        (known.made.is_subset(&tokens), "acknowledged bookings are lost"),
        (known.refused.is_disjoint(&tokens), "refused bookings are there"),
        (entries_of("Line", "create") == changes, "the audit log has not one entry for each line"),
        (entries_of("Part", "update") == changes, "the audit log has not one entry for each change of stock"),
        (runs.is_subset(&tokens), "jobs ran of bookings that were rolled back"),
        (waiting.is_subset(&tokens), "jobs wait of bookings that were rolled back"),
        // A job is there until it has run.
        (tokens.iter().all(|token| runs.contains(token) || waiting.contains(token)), "jobs are lost"),
    ]
    .into_iter()
    .find(|(holds, _)| !holds)
    .map(|(_, fault)| fault.to_owned())
}

async fn survive(database: &Database, rounds: usize) {
    let service = bookings(database.service().await).migrate().await.expect("the tables");
    let app = service.app();
    let mut parts = Vec::new();
    for _ in 0..PARTS {
        parts.push(app.store::<Part>().create(NewPart { stock: STOCK }).await.unwrap().id);
    }
    let mut known = Known::default();
    for round in 0..rounds {
        let server = Server::start(env!("CARGO_BIN_EXE_bookings"), database).await;
        book_until_killed(server, &parts, round, &mut known).await;
        agree(&app, &known).await;
    }
    assert!(known.made.len() > rounds && !known.refused.is_empty() && known.unanswered > 0, "{known:?}");
    // The leases of jobs that were cut off would end five minutes later.
    let mut tx = app.begin().await.unwrap();
    tx.sql("UPDATE crud_jobs SET leased_until = NULL").execute().await.unwrap();
    tx.commit().await.unwrap();
    let server = Server::start(env!("CARGO_BIN_EXE_bookings"), database).await;
    let is_done = async || app.jobs().list(None, None, 0, 1).await.unwrap().total == 0;
    wait_until("every job has run", is_done).await;
    agree(&app, &known).await;
    drop(server);
}

#[test]
fn stock_lines_audit_and_jobs_agree_after_a_kill_in_the_middle_of_bookings() {
    let rounds = crate::rounds();
    on_each_sql_backend(async |database| survive(database, rounds).await);
}
