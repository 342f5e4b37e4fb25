//! The database enforces unique values: a duplicate is a conflict at its field.

use crud_tests::fixtures::{category, id};
use crud_tests::{Client, on_kitchen, on_shop};
use serde_json::{Value, json};

#[test]
fn duplicate_value_is_a_conflict_at_its_field() {
    on_shop(async |shop| {
        category(shop, "Lamps").await;
        let problem = shop.post("/categories", &json!({ "name": "Lamps" })).await.problem("conflict");
        assert_eq!(problem.pointers(), ["/name"]);
        shop.post("/orders", &json!({ "order_number": "1", "total_price": 1 })).await.created();
        let problem = shop.post("/orders", &json!({ "order_number": "1", "total_price": 2 })).await.problem("conflict");
        assert_eq!(problem.pointers(), ["/order_number"]);
    });
}

#[test]
fn update_to_a_taken_value_is_a_conflict() {
    on_shop(async |shop| {
        let (lamps, chairs) = (category(shop, "Lamps").await, category(shop, "Chairs").await);
        let path = format!("/categories/{chairs}");
        assert_eq!(shop.put(&path, &json!({ "name": "Lamps" })).await.problem("conflict").pointers(), ["/name"]);
        assert_eq!(shop.get(&path).await.ok()["name"], "Chairs");
        assert_eq!(shop.put(format!("/categories/{lamps}"), &json!({ "name": "Lamps" })).await.ok()["name"], "Lamps");
    });
}

#[test]
fn hard_delete_frees_a_unique_value() {
    on_shop(async |shop| {
        let lamps = category(shop, "Lamps").await;
        shop.delete(format!("/categories/{lamps}")).await.ok();
        category(shop, "Lamps").await;
    });
}

#[test]
fn unique_values_are_compared_exactly() {
    on_shop(async |shop| {
        for name in ["straße", "Straße", "STRASSE", "strasse", "e\u{301}", "\u{e9}", "x", "x ", " x"] {
            category(shop, name).await;
        }
    });
}

#[test]
fn null_is_not_unique() {
    on_kitchen(async |kitchen| {
        kitchen.post("/checked", &json!({ "handle": null })).await.created();
        kitchen.post("/checked", &json!({ "handle": null })).await.created();
        kitchen.post("/checked", &json!({ "handle": "a" })).await.created();
        assert_eq!(
            kitchen.post("/checked", &json!({ "handle": "a" })).await.problem("conflict").pointers(),
            ["/handle"]
        );
    });
}

#[test]
fn composite_unique_fields_conflict_in_combination() {
    on_kitchen(async |kitchen| {
        let ticket = |assignee: &str, position: i32| json!({ "shortTitle": "x", "assignedTo": assignee, "queuePosition": position });
        kitchen.post("/tickets", &ticket("ann", 1)).await.created();
        kitchen.post("/tickets", &ticket("ann", 2)).await.created();
        let other = kitchen.post("/tickets", &ticket("bob", 1)).await.created();
        let together = ["/assignedTo", "/queuePosition"];
        assert_eq!(kitchen.post("/tickets", &ticket("ann", 1)).await.problem("conflict").pointers(), together);
        let path = format!("/tickets/{}", other["ticketId"]);
        assert_eq!(kitchen.put(&path, &json!({ "assignedTo": "ann" })).await.problem("conflict").pointers(), together);
    });
}

#[test]
fn concurrent_creates_of_one_unique_value_succeed_once() {
    on_shop(async |shop| {
        let mut clients = tokio::task::JoinSet::new();
        for _ in 0..16 {
            let client = Client::clone(shop);
            clients.spawn(async move {
                let answer = client.post("/categories", &json!({ "name": "Lamps" })).await;
                (answer.status(), answer.into_json())
            });
        }
        let answers: Vec<(u16, Value)> = clients.join_all().await;
        assert_eq!(answers.iter().filter(|(status, _)| *status == 201).count(), 1, "{answers:?}");
        assert_eq!(answers.iter().filter(|(status, _)| *status == 409).count(), 15, "{answers:?}");
        let (_, winner) = answers.iter().find(|(status, _)| *status == 201).expect("a winner");
        shop.get(format!("/categories/{}", id(winner))).await.ok();
    });
}
