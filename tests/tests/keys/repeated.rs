//! Requests that are repeated: their answers are found again by a composite key.

use crud_runtime::prelude::*;
use crud_tests::{Api, on_each_transactional_backend};
use serde_json::json;

use crate::line::{HOSTILE, text};

/// A charge, which is made once.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency)]
struct Charge {
    #[crud(id)]
    account: i64,
    #[crud(id)]
    code: String,
    #[crud(length(unbounded))]
    note: String,
}

#[test]
fn a_repeated_request_is_carried_out_once() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Charge>();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        // A large answer is not kept: the record is read again by its key.
        for (account, note) in [(1, "small".to_owned()), (2, "x".repeat(70_000))] {
            for (index, code) in HOSTILE.into_iter().enumerate() {
                let key = format!("{account}-{index}");
                let body = json!({ "account": account, "code": code, "note": note });
                let first = api.post("/charges", &body).header("idempotency-key", &key).await.expect(201);
                let again = api.post("/charges", &body).header("idempotency-key", &key).await.expect(201);
                assert_eq!(first.require("location"), format!("/charges/{}", text(account, code)));
                assert_eq!(again.require("idempotency-replayed"), "true");
                assert_eq!((again.require("location"), again.json()), (first.require("location"), first.json()));
            }
        }
    });
}
