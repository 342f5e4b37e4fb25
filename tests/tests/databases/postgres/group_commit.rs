//! Group commit: changes of several requests in one transaction.

use crud_tests::{Api, Client};
use serde_json::json;
use tokio::task::JoinSet;

use crate::postgres::support::{execute, on_postgres, texts};

/// The distinct transactions that wrote the categories.
const TRANSACTIONS: &str = "SELECT DISTINCT xmin::text FROM categories";

/// Slows down each statement that writes categories, so that requests queue meanwhile.
const SLOW: &str = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
    $$ BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END $$; \
    CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON categories FOR EACH STATEMENT EXECUTE FUNCTION slow()";

#[test]
fn queued_writers_share_a_transaction() {
    on_postgres(async |database, pool| {
        let service = shop::open_shop(database.service().await).migrate().await.unwrap();
        let api = Api::start(database, service).await;
        execute(pool, SLOW).await;
        let mut requests = JoinSet::new();
        for number in 0..30 {
            let api = Client::clone(&api);
            let new = json!({ "name": format!("Category {number}") });
            requests.spawn(async move { api.post("/categories", &new).await.created()["id"].clone() });
        }
        let ids = requests.join_all().await;
        let creates = texts(pool, TRANSACTIONS).await.len();
        assert!((2..25).contains(&creates), "{creates} transactions for 30 creates");

        let mut requests = JoinSet::new();
        for id in ids {
            let api = Client::clone(&api);
            requests.spawn(async move {
                let changed = api.patch(format!("/categories/{id}"), &json!({ "description": "new" })).await.ok();
                assert_eq!((&changed["id"], &changed["description"]), (&id, &json!("new")));
            });
        }
        requests.join_all().await;
        let updates = texts(pool, TRANSACTIONS).await.len();
        assert!((2..25).contains(&updates), "{updates} transactions for 30 updates");
        api.stop().await;
    });
}
