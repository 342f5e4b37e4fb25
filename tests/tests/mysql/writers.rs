//! Writers that meet where SQLite would have let them in one after the other.

use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Api, Client, Database};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{on_mysql, texts};

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
    #[crud(references = Shelf)]
    shelf_id: Option<i64>,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
}

async fn start(database: &Database) -> Api {
    let service = database.service().await.resource::<Shelf>().resource::<Parcel>();
    Api::start(database, service.migrate().await.unwrap()).await
}

#[test]
fn batches_of_the_same_records_in_another_order_all_happen() {
    on_mysql(async |database, pool| {
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
        let amounts = texts(pool, "SELECT DISTINCT CAST(amount AS CHAR) FROM parcels").await;
        assert_eq!(amounts.len(), 1, "the last batch is whole: {amounts:?}");
        parcels.stop().await;
    });
}

#[test]
fn no_record_begins_to_refer_to_one_that_is_being_deleted() {
    on_mysql(async |database, pool| {
        let api = start(database).await;
        let shelf = api.post("/shelves", &json!({ "label": "top" })).await.created()["id"].clone();
        let mut deletion = pool.begin().await.unwrap();
        sqlx::query("UPDATE shelves SET deleted_at = now(6)").execute(&mut *deletion).await.unwrap();
        let client = Client::clone(&api);
        let create =
            tokio::spawn(async move { client.post("/parcels", &json!({ "amount": 1, "shelf_id": shelf })).await });
        wait_for_a_lock(pool).await;
        deletion.commit().await.unwrap();
        create.await.unwrap().problem("reference_not_found");
        assert_eq!(texts(pool, "SELECT CAST(count(*) AS CHAR) FROM parcels").await, ["0"]);
        api.stop().await;
    });
}

/// Waits until one connection waits for another.
async fn wait_for_a_lock(pool: &sqlx::MySqlPool) {
    for _ in 0..30 {
        let waiting = "SELECT CAST(trx_id AS CHAR) FROM information_schema.INNODB_TRX \
            JOIN information_schema.PROCESSLIST p ON p.ID = trx_mysql_thread_id \
            WHERE trx_state = 'LOCK WAIT' AND p.DB = DATABASE()";
        if !texts(pool, waiting).await.is_empty() {
            return;
        }
        // What the view shows is renewed when nobody has looked for a tenth of a second.
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    }
    panic!("nobody waits");
}

#[test]
fn a_deadlock_is_resolved_by_doing_it_again() {
    on_mysql(async |database, pool| {
        let parcels = start(database).await;
        let one = parcels.post("/parcels", &json!({ "amount": 1 })).await.created()["id"].clone();
        let two = parcels.post("/parcels", &json!({ "amount": 2 })).await.created()["id"].clone();
        // Another program locks the records the other way round.
        let lock = async |transaction: &mut sqlx::MySqlTransaction<'_>, id: &Value| {
            let sql = format!("UPDATE parcels SET amount = amount + 100 WHERE id = {id}");
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut **transaction).await
        };
        let mut other = pool.begin().await.unwrap();
        // The victim is the one that has changed less, who must be the service.
        let much = "INSERT INTO parcels (amount, updated_at) VALUES (0, NOW(6)), (0, NOW(6)), (0, NOW(6)), (0, NOW(6))";
        sqlx::query(much).execute(&mut *other).await.unwrap();
        lock(&mut other, &two).await.unwrap();
        let client = Client::clone(&parcels);
        let items = json!({ "items": [{ "id": one, "amount": 11 }, { "id": two, "amount": 12 }] });
        let batch = tokio::spawn(async move { client.put("/parcels/batch", &items).await });
        wait_for_a_lock(pool).await;
        // This one waits until the service has given up: it holds what the service waits for.
        lock(&mut other, &one).await.unwrap();
        other.commit().await.unwrap();
        batch.await.unwrap().ok();
        let amounts = "SELECT CAST(amount AS CHAR) FROM parcels WHERE amount > 0 ORDER BY id";
        assert_eq!(texts(pool, amounts).await, ["11", "12"]);
        parcels.stop().await;
    });
}
