//! Tables in schemas: those of resources by `table(schema = …)`, and the service's own by `service_schema`.

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Job};
use crud_tests::{Api, Backend, Database, on_each_sql_backend, wait_until};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::foreign::support::{OwnSchema, books, catalogue, refusal, unchanged};

/// The tables of the service's own resources in a schema.
async fn tables_in(database: &Database, schema: &str) -> Vec<String> {
    let query = match database.backend() {
        Backend::Postgres => format!("SELECT tablename::text FROM pg_tables WHERE schemaname = '{schema}' ORDER BY 1"),
        _ => format!("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{schema}' ORDER BY 1"),
    };
    database.texts(&query).await
}

#[derive(Debug, Clone, Resource)]
#[crud(table("invoice", unmanaged), prefix = "/invoices", audit, idempotency, sort, pagination(cursor))]
struct Invoice {
    id: i32,
    reference: Option<String>,
    total: i32,
}

#[test]
fn own_tables_are_beside_those_of_others_and_take_no_name_of_theirs() {
    on_each_sql_backend(async |database| {
        books(database).await;
        // Another program's tables of these names.
        database
            .execute("CREATE TABLE audit_logs (line VARCHAR(20)); CREATE TABLE auth_users (name VARCHAR(20))")
            .await;
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("authentication");
        let service = database.service().await.resource::<Invoice>().auth(auth);
        if database.backend() == Backend::Sqlite {
            let error = refusal(service.service_schema("crud")).await;
            assert!(error.contains("this storage has no schemas: remove `service_schema`"), "{error}");
            return;
        }
        let before = catalogue(database).await;
        let own = OwnSchema::of(database);
        let service = service.service_schema(&own.name).migrate().await.expect("the own tables are created");
        let users = service.users();
        users.create_user("ada", "correct horse battery").roles(["admin"]).await.expect("a user");
        let api = Api::start(database, service).await;
        let token =
            api.post("/auth/login", &json!({ "username": "ada", "password": "correct horse battery" })).await.ok();
        let token = format!("Bearer {}", token["access_token"].as_str().expect("a token"));
        let new = json!({ "reference": "x", "total": 5 });
        let created = || api.post("/invoices", &new).header("authorization", &token).header("idempotency-key", "k1");
        let first = created().await.created();
        assert_eq!(created().await.created(), first, "the answer is stored");
        let id = first["id"].as_i64().expect("a key");
        let change = api.patch(format!("/invoices/{id}"), &json!({ "total": 6 })).header("authorization", &token);
        assert_eq!(change.await.ok()["total"], 6);
        let history = api.get(format!("/invoices/{id}/history")).header("authorization", &token).await.ok();
        assert_eq!(history["data"].as_array().expect("entries").len(), 2, "{history}");
        let page = api.get("/invoices?limit=1&sort=total").header("authorization", &token).await.ok();
        assert!(page["next_cursor"].is_string());
        api.stop().await;
        let tables = tables_in(database, &own.name).await;
        for table in ["audit_logs", "auth_users", "crud_idempotency", "crud_secrets"] {
            assert!(tables.iter().any(|other| other == table), "{table}: {tables:?}");
        }
        let entries = format!("SELECT action FROM \"{}\".audit_logs ORDER BY id", own.name);
        assert_eq!(database.texts(&entries).await, ["create", "update"]);
        unchanged(database, &before, &own.name).await;
        // A second start finds everything there.
        let again = database.service().await.resource::<Invoice>().service_schema(&own.name);
        assert_eq!(again.plan().await.expect("a plan"), Vec::<String>::new());
        own.remove().await;
    });
}

/// A letter about an invoice.
#[derive(Debug, Serialize, Deserialize)]
struct Letter {
    invoice: i32,
}

impl Job for Letter {
    const KIND: &str = "letter";

    async fn run(self, app: App) -> Result<(), BoxError> {
        app.store::<Invoice>().get(self.invoice).await?;
        Ok(())
    }
}

#[test]
fn jobs_are_in_the_schema_of_the_service() {
    on_each_sql_backend(async |database| {
        if database.backend() == Backend::Sqlite {
            return; // it has no schemas
        }
        books(database).await;
        let before = catalogue(database).await;
        let own = OwnSchema::of(database);
        let service = database.service().await.resource::<Invoice>().job::<Letter>().service_schema(&own.name);
        let service = service.migrate().await.expect("the own tables are created");
        service.app().enqueue(Letter { invoice: 1 }).await.expect("a job");
        let jobs = format!("SELECT kind FROM \"{}\".crud_jobs", own.name);
        assert_eq!(database.texts(&jobs).await, ["letter"]);
        let api = Api::start(database, service).await;
        wait_until("the job has run", async || database.texts(&jobs).await.is_empty()).await;
        api.stop().await;
        unchanged(database, &before, &own.name).await;
        own.remove().await;
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table("clients", schema = "crud_test_sales"), prefix = "/clients", filter, sort, unique(name))]
struct Client {
    id: i64,
    #[crud(length(max = 40))]
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(
    table("orders", schema = "crud_test_sales"),
    prefix = "/orders",
    filter(client_id, client::name, text),
    sort(client::name, text),
    search(text),
    batch,
    upsert(number),
    audit,
    soft_delete,
    pagination(cursor)
)]
struct Order {
    id: i64,
    #[crud(references(Client, expand))]
    client_id: i64,
    #[crud(unique, length(max = 20))]
    number: String,
    #[crud(length(max = 100))]
    text: String,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
    deleted_at: Option<DateTime<Utc>>,
}

async fn sales(database: &Database) -> Service {
    database.service().await.resource::<Client>().resource::<Order>()
}

#[test]
fn resources_of_a_schema_are_created_and_used_there() {
    on_each_sql_backend(async |database| {
        if database.backend() == Backend::Sqlite {
            let error = refusal(sales(database).await).await;
            assert!(
                error.contains("has `table(schema = \"crud_test_sales\")`, and this storage has no schemas"),
                "{error}"
            );
            return;
        }
        let missing = refusal(sales(database).await).await;
        assert!(missing.contains("its schema `crud_test_sales` is missing"), "{missing}");
        database.execute("CREATE SCHEMA crud_test_sales").await;
        // Tables of these names are elsewhere, too.
        database.execute("CREATE TABLE clients (x INTEGER); CREATE TABLE orders (x INTEGER)").await;
        let service = sales(database).await.migrate().await.expect("the tables are created");
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new());
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        let api = Api::start(database, service).await;
        let ann = api.post("/clients", &json!({ "name": "Ann" })).await.created()["id"].clone();
        let bob = api.post("/clients", &json!({ "name": "Bob" })).await.created()["id"].clone();
        let taken = api.post("/clients", &json!({ "name": "Bob" })).await.problem("conflict");
        drop(taken);
        let order = |client: &serde_json::Value, number: &str, text: &str| json!({ "client_id": client, "number": number, "text": text });
        let batch =
            json!({ "items": [order(&ann, "1", "red desk"), order(&bob, "2", "blue lamp"), order(&ann, "3", "lamp")] });
        api.post("/orders/batch", &batch).await.ok();
        let upserted = api.post("/orders?on_conflict=number", &order(&bob, "3", "green lamp")).await.ok();
        assert_eq!(upserted["text"], "green lamp");
        let lamps = api.get("/orders?q=lamp&sort=-client.name,text&expand=client").await.ok();
        assert_eq!(lamps["data"][0]["client"]["name"], "Bob", "{lamps}");
        assert_eq!(lamps["data"].as_array().expect("items").len(), 2);
        let of_ann = api.get("/orders?client.name=Ann&sort=client.name").await.ok();
        assert_eq!(of_ann["data"].as_array().expect("items").len(), 1, "{of_ann}");
        let id = of_ann["data"][0]["id"].clone();
        let read = api.get(format!("/orders/{id}")).await;
        let change =
            api.patch(format!("/orders/{id}"), &json!({ "text": "red table" })).header("if-match", &read.etag());
        assert_eq!(change.await.ok()["text"], "red table");
        api.delete(format!("/orders/{id}")).await.ok();
        api.post(format!("/orders/{id}/restore"), &json!({})).await.ok();
        api.delete(format!("/orders/{id}")).await.ok();
        api.delete(format!("/orders/{id}/permanent")).await.ok();
        api.delete(format!("/clients/{bob}")).await.problem("referenced");
        api.stop().await;
        let tables = tables_in(database, "crud_test_sales").await;
        assert_eq!(tables, ["clients", "orders"]);
        let text = if database.backend() == Backend::MySql { "CAST(COUNT(*) AS CHAR)" } else { "COUNT(*)::text" };
        assert_eq!(database.texts(&format!("SELECT {text} FROM orders")).await, ["0"]);
        if database.backend() == Backend::MySql {
            database.execute("DROP DATABASE crud_test_sales").await;
        }
    });
}

/// The columns of [`Client`] and one more, by which its lists are sorted.
#[derive(Debug, Clone, Resource)]
#[crud(table("clients", schema = "crud_test_moves"), sort(name, city), index(city, name))]
struct ClientOfCity {
    id: i64,
    #[crud(length(max = 40), unique)]
    name: String,
    #[crud(length(max = 40))]
    city: Option<String>,
}

#[derive(Debug, Clone, Resource)]
#[crud(table("clients", schema = "crud_test_moves"))]
struct PlainClient {
    id: i64,
    #[crud(length(max = 40))]
    name: String,
}

#[test]
fn tables_of_a_schema_are_migrated_and_reverted() {
    on_each_sql_backend(async |database| {
        if database.backend() == Backend::Sqlite {
            return; // it has no schemas
        }
        database.execute("CREATE SCHEMA crud_test_moves").await;
        let plain = async || database.service().await.resource::<PlainClient>();
        let of_city = async || database.service().await.resource::<ClientOfCity>();
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("migrations");
        plain().await.migrations().write(&directory).await.expect("a migration").expect("a change");
        plain().await.migrations().apply(&directory).await.expect("it applies");
        let before = plain().await.migrations().diff().await.expect("a comparison");
        of_city().await.migrations().write(&directory).await.expect("a migration").expect("a change");
        let applied = of_city().await.migrations().apply(&directory).await.expect("it applies");
        assert_eq!(of_city().await.migrations().diff().await.expect("a comparison"), []);
        for _ in applied {
            of_city().await.migrations().revert(&directory).await.expect("it reverts");
        }
        assert_eq!(plain().await.migrations().diff().await.expect("a comparison"), before);
        if database.backend() == Backend::MySql {
            database.execute("DROP DATABASE crud_test_moves").await;
        }
    });
}
