//! An audit log in partitions by time, made by the statements of the book.

use crud_tests::kitchen::{Parcel, Team};
use crud_tests::{Api, Backend, Database, audit_log};
use serde_json::json;

const PAGE: &str = include_str!("../../../../docs/src/reference/audit-log.md");

async fn service(database: &Database) -> Api {
    let service = database.service().await.resource::<Team>().resource::<Parcel>();
    Api::start(database, service.migrate().await.expect("the tables fit")).await
}

#[test]
fn service_runs_on_a_partitioned_log() {
    if !Backend::available().contains(&Backend::Postgres) {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let database = Backend::Postgres.fresh();
        let api = service(&database).await;
        let created = api.post("/parcels", &json!({ "code": "before", "weight": 1 })).await.created();
        let path = format!("/parcels/{}", created["id"]);
        api.stop().await;

        let statements = PAGE.split("```sql\n").nth(1).and_then(|rest| rest.split("```").next()).expect("statements");
        database.execute(statements).await;
        let api = service(&database).await;
        api.put(&path, &json!({ "weight": 2 })).await.ok();
        api.post("/parcels/batch", &json!({ "items": [{ "code": "after", "weight": 1 }] })).await;
        let history = audit_log::history(&api, &path).await;
        assert_eq!(audit_log::actions(&history), ["create", "update"]);
        let past = format!("{path}?as_of={}", created["updated_at"].as_str().expect("a time"));
        assert_eq!(api.get(past).await.ok()["weight"], 1.0);
        let entries = audit_log::entries(&api, "Parcel").await;
        audit_log::replay(&entries).expect("a consistent log");
        api.stop().await;

        // The indexes are there: a start finds nothing to do.
        let again = database.service().await.resource::<Team>().resource::<Parcel>();
        assert_eq!(again.plan().await.expect("a plan"), Vec::<String>::new());
        database.execute("DROP TABLE audit_logs_rest").await;
    });
}
