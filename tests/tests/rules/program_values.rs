//! Values that code sets beside bodies, stored records of any resource for the program, keys of the program.

use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, RecordsAnswer, post};
use crud_tests::{Api, Database, on_each_backend, on_each_backend_with_url};
use serde_json::{Value, json};

#[derive(Debug, Clone, Resource)]
#[crud(audit, soft_delete)]
struct Machine {
    id: i64,
    name: String,
    #[crud(read_only, range(max = 10))]
    grade: Option<i32>,
    #[crud(created_at)]
    made_at: DateTime<Utc>,
    deleted_at: Option<DateTime<Utc>>,
}

/// Grades a machine, and changes the fields of the body.
async fn grade(ctx: Context, body: crud_runtime::axum::Json<Value>) -> Result<RecordsAnswer, Problem> {
    let records = ctx.records("/machines")?.set("grade", body["grade"].clone());
    let records = records.set("made_at", json!("2000-01-01T00:00:00Z"));
    records.update(ctx.key()?, json!({ "name": body["name"], "grade": 1 })).await
}

/// A graded machine.
async fn graded(ctx: Context) -> Result<RecordsAnswer, Problem> {
    ctx.records("Machine")?.set("grade", json!(7)).create(json!({ "name": "saw" })).await
}

async fn machines(database: &Database) -> (Api, App) {
    let service = database.service().await.resource::<Machine>();
    let service = service.route("/machines/{id}/grade", post(grade)).route("/graded", post(graded));
    let service = service.migrate().await.expect("the tables");
    let app = service.app();
    (Api::start(database, service).await, app)
}

#[test]
fn set_is_beside_the_body_with_the_rules_of_the_operation() {
    on_each_backend(async |database| {
        let (api, _) = machines(database).await;
        let created = api.post("/graded", &json!({})).await.created();
        assert_eq!((&created["name"], &created["grade"]), (&json!("saw"), &json!(7)));
        let graded = api.post("/machines/1/grade", &json!({ "name": "drill", "grade": 9 })).await.ok();
        assert_eq!((&graded["name"], &graded["grade"]), (&json!("drill"), &json!(9)));
        assert_eq!(graded["made_at"], created["made_at"], "the service sets it");
        let history = api.get("/machines/1/history").await.ok();
        assert_eq!(history["data"][1]["changes"], json!({ "name": "drill", "grade": 9 }));
        for refused in [json!(11), json!("many")] {
            let refusal = api.post("/machines/1/grade", &json!({ "name": "axe", "grade": refused })).await;
            assert!(refusal.problem("validation_failed").to_string().contains("/grade"));
        }
        assert_eq!(api.patch("/machines/1", &json!({ "grade": 3 })).await.ok()["grade"], 9, "clients still cannot");
        api.stop().await;
    });
}

#[test]
fn stored_records_are_those_of_the_program() {
    on_each_backend(async |database| {
        let (api, app) = machines(database).await;
        for name in ["saw", "drill"] {
            api.post("/machines", &json!({ "name": name })).await.created();
        }
        api.delete("/machines/2").await.ok();
        let machines = app.stored_records("/machines").expect("the resource");
        let keys = ["2", "3", "1", "x"];
        assert_eq!(machines.existing(keys).await.expect("keys"), ["2", "1"], "deleted ones too");
        let names = machines.values("name", keys).await.expect("names");
        assert_eq!(json!(names), json!({ "1": "saw", "2": "drill" }));
        let many: Vec<String> = (1..1_200).map(|key| key.to_string()).collect();
        assert_eq!(machines.existing(&many).await.expect("pages"), ["1", "2"]);
        assert!(app.stored_records("Nothing").is_err() && machines.values("nothing", keys).await.is_err());
        api.stop().await;
    });
}

#[test]
fn servers_of_a_database_have_the_same_keys() {
    on_each_backend_with_url(async |database| {
        let service = async || {
            database
                .service()
                .await
                .resource::<Machine>()
                .extend(crud_runtime::ExtensionOptions::secret_keys)
                .migrate()
                .await
        };
        let (one, other) = (service().await.expect("a service"), service().await.expect("a service"));
        let key = one.app().secret_key("links").await.expect("a key");
        assert_eq!(other.app().secret_key("links").await.expect("a key"), key);
        assert_ne!(one.app().secret_key("invitations").await.expect("a key"), key);
        let given = |secret: &'static str| async move {
            let service =
                database.service().await.resource::<Machine>().extend(crud_runtime::ExtensionOptions::secret_keys);
            let service = service.server(|server| server.secret(secret)).migrate().await.expect("a service");
            service.app().secret_key("links").await.expect("a key")
        };
        let (first, again) = (
            given("a secret of at least thirty-two bytes").await,
            given("a secret of at least thirty-two bytes").await,
        );
        assert!(first == again && first != key);
        assert_ne!(given("another secret of at least thirty-two bytes").await, first);
        let without = database.service().await.resource::<Machine>().migrate().await.expect("a service");
        assert!(without.app().secret_key("links").await.is_err());
    });
}
