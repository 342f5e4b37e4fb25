//! Visibility of fields over HTTP: hidden, write-only and read-only.

use crud_tests::fixtures::id;
use crud_tests::kitchen::{self, Account, AccountPatch};
use crud_tests::{Api, on_each_backend, on_kitchen};
use serde_json::{Value, json};

fn account() -> Value {
    json!({ "name": "x", "password": "secret password", "country": "AT", "referrer": "friend" })
}

#[test]
fn write_only_and_hidden_fields_are_in_no_response() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/accounts", &account()).await.expect(201);
        let path = created.require("location").to_owned();
        let answers = [
            created,
            kitchen.get(&path).await,
            kitchen.get("/accounts").await,
            kitchen.put(&path, &json!({ "password": "another secret" })).await,
            kitchen.delete(&path).await,
        ];
        for answer in answers {
            assert!(!answer.text().contains("secret") && !answer.text().contains("password"), "{answer}");
            assert!(!answer.text().contains("note"), "{answer}");
        }
    });
}

#[test]
fn hidden_field_is_unknown_in_a_body() {
    on_kitchen(async |kitchen| {
        let mut body = account();
        body["note"] = json!("x");
        let problem = kitchen.post("/accounts", &body).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/note"]);
        assert!(!problem.only().detail.contains("hidden"), "the error reveals the field: {problem}");
    });
}

#[test]
fn hidden_field_is_not_suggested() {
    on_kitchen(async |kitchen| {
        let mut body = account();
        body["nota"] = json!("x");
        let problem = kitchen.post("/accounts", &body).await.problem("validation_failed");
        assert!(!problem.detail.contains("note"), "{problem}");
        for target in ["/accounts?nota=x", "/accounts?nota__like=x", "/accounts?sort=nota"] {
            let problem = kitchen.get(target).await.problem("validation_failed");
            assert!(!problem.detail.contains("note"), "{problem}");
        }
    });
}

#[test]
fn hidden_field_is_neither_filterable_nor_sortable() {
    on_kitchen(async |kitchen| {
        kitchen.post("/accounts", &account()).await.created();
        for field in ["note", "password"] {
            for target in [format!("/accounts?{field}=x"), format!("/accounts?{field}__like=s%25")] {
                kitchen.get(target).await.problem("validation_failed");
            }
            let problem = kitchen.get(format!("/accounts?sort={field}")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), ["sort"]);
        }
    });
}

#[test]
fn read_only_field_is_shown_and_ignored_in_bodies() {
    on_kitchen(async |kitchen| {
        let mut body = account();
        body["balance"] = json!(1_000_000);
        let created = kitchen.post("/accounts", &body).await.created();
        assert_eq!(created["balance"], 0);
        let path = format!("/accounts/{}", id(&created));
        assert_eq!(kitchen.put(&path, &json!({ "balance": 5 })).await.ok(), created);
        assert_eq!(kitchen.put(&path, &json!({ "balance": "x" })).await.ok(), created);
    });
}

#[test]
fn write_only_field_is_validated_and_required() {
    on_kitchen(async |kitchen| {
        let mut body = account();
        body["password"] = json!("short");
        let problem = kitchen.post("/accounts", &body).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/password"]);
        assert!(!problem.only().detail.contains("short"), "the error repeats the value: {problem}");
        body.as_object_mut().expect("an object").remove("password");
        assert_eq!(kitchen.post("/accounts", &body).await.problem("validation_failed").pointers(), ["/password"]);
    });
}

#[test]
fn change_of_a_write_only_field_succeeds() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/accounts", &account()).await.expect(201);
        let path = created.require("location").to_owned();
        let updated = kitchen.put(&path, &json!({ "password": "another secret" })).await.expect(200);
        assert_eq!(updated.json(), created.json());
    });
}

#[test]
fn store_accesses_every_field() {
    on_each_backend(async |database| {
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        let store = service.store::<Account>();
        let api = Api::start(database, service).await;
        let key = id(&api.post("/accounts", &account()).await.created());
        assert_eq!(store.get(key).await.expect("the account").password, "secret password");
        let patch = AccountPatch::default().note("suspicious").balance(7_i64).country("DE");
        store.update(key, patch).await.expect("the update");
        let read = store.get(key).await.expect("the account");
        assert_eq!((read.note.as_deref(), read.balance, read.country.as_str()), (Some("suspicious"), 7, "DE"));
        assert_eq!(api.get(format!("/accounts/{key}")).await.ok()["balance"], 7);
        api.stop().await;
    });
}
