//! Concurrent writers that SQLite would run one after the other.

use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Api, Client, Database, on_each_sql_server};
use serde_json::{Value, json};
use tokio::task::JoinSet;

#[derive(Debug, Clone, Resource)]
#[crud(table = "shelves", prefix = "/shelves", soft_delete)]
struct Shelf {
    id: i64,
    label: String,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "parcels", prefix = "/parcels", filter(amount), batch, audit, pagination(max_limit = 1000))]
struct Parcel {
    id: i64,
    amount: i32,
    #[crud(references(Shelf))]
    shelf_id: Option<i64>,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
}

async fn start(database: &Database) -> Api {
    let service = database.service().await.resource::<Shelf>().resource::<Parcel>();
    Api::start(database, service.migrate().await.unwrap()).await
}

/// The amounts of all parcels, by key.
async fn amounts(client: &Client) -> Vec<i64> {
    let list = client.get("/parcels?limit=1000").await.ok();
    column(&list, "amount").iter().map(|amount| amount.as_i64().unwrap()).collect()
}

#[test]
fn concurrent_batches_of_the_same_records_in_another_order_succeed() {
    on_each_sql_server(async |database| {
        let parcels = start(database).await;
        let items: Vec<Value> = (0..30).map(|amount| json!({ "amount": amount })).collect();
        let created = parcels.post("/parcels/batch", &json!({ "items": items })).await.ok();
        let mut ids: Vec<Value> = column(&created["items"], "id");
        let mut clients = JoinSet::new();
        for round in 0..12 {
            ids.rotate_left(7);
            ids.reverse();
            let items: Vec<Value> = ids.iter().map(|id| json!({ "id": id, "amount": 100 + round })).collect();
            let parcels = Client::clone(&parcels);
            clients.spawn(async move { parcels.put("/parcels/batch", &json!({ "items": items })).await.ok() });
        }
        clients.join_all().await;
        let amounts = amounts(&parcels).await;
        assert!(amounts.iter().all(|amount| *amount == amounts[0]), "batches are mixed: {amounts:?}");
        parcels.stop().await;
    });
}

#[test]
fn create_does_not_refer_to_a_record_being_deleted() {
    on_each_sql_server(async |database| {
        let api = start(database).await;
        let shelf = api.post("/shelves", &json!({ "label": "top" })).await.created()["id"].clone();
        let mut deletion = database.begin_transaction().await;
        deletion.execute("UPDATE shelves SET deleted_at = now()").await;
        let client = Client::clone(&api);
        let create =
            tokio::spawn(async move { client.post("/parcels", &json!({ "amount": 1, "shelf_id": shelf })).await });
        database.wait_until_blocked().await;
        deletion.commit().await;
        create.await.unwrap().problem("reference_not_found");
        assert_eq!(amounts(&api).await, [0; 0]);
        api.stop().await;
    });
}

#[test]
fn deadlock_is_resolved_by_a_retry() {
    on_each_sql_server(async |database| {
        let parcels = start(database).await;
        let one = parcels.post("/parcels", &json!({ "amount": 1 })).await.created()["id"].clone();
        let two = parcels.post("/parcels", &json!({ "amount": 2 })).await.created()["id"].clone();
        // Another transaction locks the records in the opposite order.
        let lock = |id: &Value| format!("UPDATE parcels SET shelf_id = NULL, amount = amount + 100 WHERE id = {id}");
        let mut other = database.begin_transaction().await;
        // The service must be the victim.
        other.survive_deadlocks("INSERT INTO shelves (label) VALUES ('a'), ('b'), ('c'), ('d'), ('e')").await;
        other.execute(&lock(&two)).await;
        let client = Client::clone(&parcels);
        let items = json!({ "items": [{ "id": one, "amount": 11 }, { "id": two, "amount": 12 }] });
        let batch = tokio::spawn(async move { client.put("/parcels/batch", &items).await });
        database.wait_until_blocked().await;
        // This waits until the service is rolled back: the service holds this lock.
        other.execute(&lock(&one)).await;
        other.commit().await;
        batch.await.unwrap().ok();
        assert_eq!(amounts(&parcels).await, [11, 12]);
        parcels.stop().await;
    });
}
