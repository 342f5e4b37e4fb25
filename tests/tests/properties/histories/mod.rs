//! Random histories of several clients, checked against one model.
//!
//! A plan says what each client asks for, one request after the other; the clients run at the same time. A history is
//! correct if its requests can be put in one order, in which each is between its sending and its answer, so that a model
//! gives every answer: it is linearizable (Herlihy and Wing, 1990). The search is that of Wing and Gong (1993). Afterwards
//! the audit log must yield the records that are left.
//!
//! | Step | Modules |
//! |---|---|
//! | What clients ask for, of which resources | `plan`, `resources` |
//! | The requests, and what was answered | `run` |
//! | The order that a model answers alike in | `linearize`, `model` |
//! | The smallest plan that still fails | `shrink` |
//!
//! A plan that fails is made smaller and printed with its seed. `CRUD_TEST_SEED` runs the plan of a seed alone, and
//! `CRUD_TEST_HISTORIES` this many random plans instead of a few that are always the same.
//!
//! `proptest-state-machine` would not do: its sequences are of one client, and a failure that depends on timing is gone
//! when it shrinks, because it runs a smaller sequence once. Here, a smaller plan is run several times.

mod linearize;
mod model;
mod plan;
mod resources;
mod run;
mod shrink;

use std::env;

use crud_tests::{Api, Backend, Database, on_each_backend};

use crate::histories::plan::{Plan, Shape};
use crate::histories::resources::{KeyedLot, KeyedPiece, Lot, Piece};

/// Number of plans of each kind, unless it is configured.
const PLANS: u64 = 10;

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}

/// Serves the two resources of the back end: with idempotency keys where storage has what they need.
async fn serve(database: &Database) -> Api {
    let service = database.service().await;
    let service = if database.backend().is_interactive() {
        service.resource::<KeyedLot>().resource::<KeyedPiece>()
    } else {
        service.resource::<Lot>().resource::<Piece>()
    };
    Api::start(database, service.migrate().await.expect("the tables")).await
}

/// The two resources of a back end.
fn shapes(backend: Backend) -> [Shape; 2] {
    let idempotency = backend.is_interactive();
    let lots = if idempotency { "KeyedLot" } else { "Lot" };
    let pieces = if idempotency { "KeyedPiece" } else { "Piece" };
    let transactions = backend.has_transactions();
    [
        Shape { prefix: "/lots", entity: lots, soft_delete: true, atomic: true, transactions, idempotency },
        Shape { prefix: "/pieces", entity: pieces, soft_delete: false, atomic: false, transactions, idempotency },
    ]
}

/// Runs plans of so many clients with so many requests each.
fn on_plans(clients: usize, requests: usize) {
    on_each_backend(async |database| {
        let api = serve(database).await;
        let (first, plans) = match (number("CRUD_TEST_SEED"), number("CRUD_TEST_HISTORIES")) {
            (Some(seed), _) => (seed, 1),
            (None, Some(plans)) => (fastrand::u64(..1 << 48), plans),
            (None, None) => (1, PLANS),
        };
        let mut answered = 0;
        for shape in shapes(database.backend()) {
            for seed in first..first + plans {
                let plan = Plan::random(seed, shape, clients, requests);
                match run::fault(&api, &plan).await {
                    Ok(requests) => answered += requests,
                    Err(fault) => {
                        let report = shrink::report(&api, plan, fault).await;
                        panic!("on {}, CRUD_TEST_SEED={seed}:\n{report}", database.backend().name());
                    }
                }
            }
        }
        eprintln!("{}: {} plans of {clients} clients, {answered} requests", database.backend().name(), plans * 2);
        api.stop().await;
    });
}

#[test]
fn any_requests_of_one_client_are_answered_as_the_model_does() {
    on_plans(1, 30);
}

#[test]
fn any_requests_of_two_clients_at_once_have_an_order_of_the_model() {
    on_plans(2, 10);
}

#[test]
fn any_requests_of_four_clients_at_once_have_an_order_of_the_model() {
    on_plans(4, 6);
}
