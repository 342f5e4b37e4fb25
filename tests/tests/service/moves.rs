//! `move` puts every record of a service into another database, as it is, or none.

use crud_runtime::prelude::*;
use crud_runtime::{Job, Result};
use crud_tests::fixtures::{dense, id, path};
use crud_tests::kitchen::{NewTag, Post, Tag};
use crud_tests::moves::{Customer, CustomerPatch, NewCustomer, NewPurchase, Note, Purchase, auth, resources};
use crud_tests::{Answer, Backend, Client, Database, Server, on_backends, on_each_backend_with_url};
use reqwest::Method;
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_mover");
const SECRET: &str = "the secret of the tests, which is public";
const PASSWORD: &str = "correct horse";

/// The service of the program, in this process.
async fn service(database: &Database) -> Service {
    resources(database.service().await).auth(auth().secret(SECRET).build().expect("the authentication"))
}

/// A running program and a user's tokens.
struct Session {
    server: Server,
    access: String,
    refresh: String,
}

impl Session {
    async fn begin(database: &Database) -> Self {
        let variables = [("JWT_SECRET_KEY", SECRET), ("ADMIN_PASSWORD", PASSWORD)];
        let server = Server::start_with(PROGRAM, &[], &variables, database).await;
        let (access, refresh) = log_in(&server).await;
        Self { server, access, refresh }
    }

    async fn send(&self, method: Method, path: impl Into<String>, body: Option<&Value>) -> Answer {
        let request = self.server.request(method, path).header("authorization", &format!("Bearer {}", self.access));
        match body {
            Some(body) => request.json(body).await,
            None => request.await,
        }
    }

    async fn get(&self, path: impl Into<String>) -> Value {
        self.send(Method::GET, path, None).await.ok()
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        self.send(Method::POST, path, Some(body)).await.created()
    }

    async fn patch(&self, path: impl Into<String>, body: &Value) -> Value {
        self.send(Method::PATCH, path, Some(body)).await.ok()
    }

    async fn delete(&self, path: impl Into<String>) {
        let answer = self.send(Method::DELETE, path, None).await;
        assert!(answer.status() < 300, "{answer:?}");
    }

    async fn end(mut self) {
        self.server.signal("TERM").await;
        self.server.ended().await;
    }
}

async fn log_in(client: &Client) -> (String, String) {
    let body = client.post("/auth/login", &json!({ "username": "admin", "password": PASSWORD })).await.ok();
    let text = |name: &str| body[name].as_str().expect("a token").to_owned();
    (text("access_token"), text("refresh_token"))
}

async fn refresh(client: &Client, token: &str) -> Answer {
    client.post("/auth/refresh", &json!({ "refresh_token": token })).await
}

/// Pays with an idempotency key.
async fn pay(session: &Session) -> Answer {
    let request = session.server.post("/payments", &json!({ "reference": "rent", "amount": 900 }));
    let token = format!("Bearer {}", session.access);
    request.header("authorization", &token).header("idempotency-key", "\"one\"").await
}

/// Requests of clients before and after.
const READ: [&str; 16] = [
    "/dense?limit=100&sort=id",
    "/sparse?limit=100&sort=id",
    "/posts?limit=100",
    "/comments?limit=100",
    "/tags?limit=100",
    "/devices?limit=100",
    "/counters?limit=100",
    "/tickets?limit=100",
    "/notes?limit=100&include_deleted=true",
    "/teams?limit=100&include_deleted=true",
    "/members?limit=100&include_deleted=true",
    "/ledgers?limit=100&include_deleted=true",
    "/essays?q=desk",
    "/poems?q=lamp",
    "/payments?limit=100",
    "/shelves?limit=100",
];

async fn read(session: &Session, histories: &[String]) -> Vec<(String, Value)> {
    let paths = READ.into_iter().map(str::to_owned).chain(histories.iter().cloned());
    let mut all = Vec::new();
    for path in paths {
        let mut body = session.get(path.clone()).await;
        // Databases do not list records of one time in one order.
        if let Some(data) = body.get_mut("data").and_then(Value::as_array_mut) {
            data.sort_by_key(Value::to_string);
        }
        all.push((path, body));
    }
    all
}

/// Creates records of every kind; the paths of histories, and the highest key of a comment, which was deleted.
async fn fill(session: &Session) -> (Vec<String>, i64) {
    session.post("/dense", &dense()).await;
    session.post("/sparse", &json!({})).await;
    session.post("/sparse", &json!({ "double": -0.1, "json": { "z": 1, "a": [1.5, "é", null] }, "text": "" })).await;
    session.post("/tags", &json!({ "slug": "a b/ä", "label": null })).await;
    // A post refers to a later one.
    let first = session.post("/posts", &json!({ "title": "first" })).await;
    let second = session.post("/posts", &json!({ "title": "second" })).await;
    session.patch(path("/posts", &first), &json!({ "parent_id": second["id"] })).await;
    session.post("/comments", &json!({ "post_id": second["id"], "tag": "a b/ä" })).await;
    let last = session.post("/comments", &json!({ "post_id": first["id"] })).await;
    session.delete(path("/comments", &last)).await;
    session.post("/devices", &json!({ "name": "phone" })).await;
    session.post("/counters", &json!({ "amount": 3 })).await;
    session
        .post("/tickets", &json!({ "shortTitle": "one", "a/b~c": "odd", "assignedTo": "x", "queuePosition": 1 }))
        .await;
    let gone = session.post("/notes", &json!({ "title": "gone", "rank": 2 })).await;
    session.delete(path("/notes", &gone)).await;
    let team = session.post("/teams", &json!({ "name": "red" })).await;
    session.post("/members", &json!({ "handle": "ann", "team_id": team["id"] })).await;
    let old = session.post("/members", &json!({ "handle": "bob", "team_id": team["id"] })).await;
    session.delete(path("/members", &old)).await;
    session.post("/members", &json!({ "handle": "bob" })).await;
    let ledger = session
        .post("/ledgers", &json!({ "name": "a", "amount": "12.50", "seal": "AAEC", "extra": { "z": 1, "a": 2 } }))
        .await;
    session.patch(path("/ledgers", &ledger), &json!({ "ratio": 0.1, "tags": ["x", "y, z"], "pin": "1234" })).await;
    session.delete(path("/ledgers", &ledger)).await;
    session.post("/essays", &json!({ "title": "A desk", "body": "with a lamp" })).await;
    session.post("/essays", &json!({ "title": "B chair" })).await;
    session.post("/poems", &json!({ "verses": "lamps and lanterns" })).await;
    for (room, place, size) in [(2, "a,b/c", "Large"), (2, "A", "Small"), (1, "é", "Large")] {
        let shelf = json!({ "room": room, "place": place, "size": size, "height": 3, "width": 4 });
        assert_eq!(session.post("/shelves", &shelf).await["area"], 12);
    }
    (vec![format!("{}/history", path("/ledgers", &ledger))], id(&last))
}

/// Creates what the program itself does: tenants' records, a job, a number.
async fn fill_directly(database: &Database) {
    let service = service(database).await;
    for shop in [1, 2] {
        let (customers, purchases) =
            (service.store::<Customer>().tenant(shop), service.store::<Purchase>().tenant(shop));
        let new = |name: &str| NewCustomer { shop_id: Some(shop), name: name.to_owned(), advised_by: None };
        let ann = customers.create(new("Ann")).await.expect("a customer");
        let bob = customers.create(new("Bob")).await.expect("a customer");
        customers.update(ann.id, CustomerPatch::default().advised_by(bob.id)).await.expect("the customer");
        let new = NewPurchase { shop_id: Some(shop), customer_id: bob.id, total: Decimal::new(1050, 2) };
        purchases.create(new).await.expect("a purchase");
    }
    let app = service.app();
    app.enqueue(Note(7).run_at("2100-01-01T00:00:00Z".parse().expect("a time"))).await.expect("a job");
    assert_eq!(next_number(database).await, 1);
}

async fn next_number(database: &Database) -> i64 {
    let app = service(database).await.app();
    app.transaction(async |tx| -> Result<i64> { tx.next_number("invoice", 2026).await }).await.expect("a number")
}

/// The rows of tables that clients do not read, as text.
async fn internal(database: &Database) -> Vec<String> {
    let service = service(database).await;
    let customers = service.store::<Customer>().across_tenants().list(Select::all()).await.expect("customers");
    let purchases = service.store::<Purchase>().across_tenants().list(Select::all()).await.expect("purchases");
    let mut lines = vec![format!("{customers:?}"), format!("{purchases:?}")];
    let app = service.app();
    let mut tx = app.begin().await.expect("a transaction");
    for count in ["audit_logs", "crud_jobs", "crud_idempotency", "crud_secrets", "auth_users", "auth_revocations"] {
        let sql: &'static str = format!("SELECT COUNT(*) FROM {count}").leak();
        lines.push(format!("{count} {:?}", tx.sql(sql).fetch::<(i64,)>().await.expect("a count")));
    }
    lines
}

/// The guide, whose output is the command's, with other tables and numbers.
const GUIDE: &str = include_str!("../../../docs/src/guide/moving.md");

/// The words of a line, with one for each number, checksum, and name of a table.
fn shape(line: &str) -> Vec<&str> {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_checksum = |word: &str| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [_, number, checksum] if is_number(number) && is_checksum(checksum) => vec!["table", "0", "checksum"],
        words => words.iter().map(|word| if is_number(word) { "0" } else { word }).collect(),
    }
}

/// Runs the command.
async fn run(source: &Database, target: &Database) -> (bool, String) {
    let arguments = ["move", "--from", source.url(), "--to", target.url()];
    let (status, printed) = Server::run(PROGRAM, &arguments, source).await;
    (status.success(), printed)
}

async fn moves_everything(source: &Database, target: &Database) {
    let before = Session::begin(source).await;
    let (histories, last) = fill(&before).await;
    let (ended, revoked) = log_in(&before.server).await;
    let logout = before.server.request(Method::POST, "/auth/logout");
    logout.header("authorization", &format!("Bearer {ended}")).await.expect(204);
    let paid = pay(&before).await.created();
    fill_directly(source).await;
    let first_page = before.get("/essays?limit=1&sort=title").await;
    let next_page =
        format!("/essays?limit=1&sort=title&cursor={}", first_page["next_cursor"].as_str().expect("a cursor"));
    let next_before = before.get(&next_page).await;
    let (read_before, kept_before) = (read(&before, &histories).await, internal(source).await);
    let refresh_token = before.refresh.clone();
    before.end().await;

    let (success, printed) = run(source, target).await;
    assert!(success, "{printed}");
    assert!(printed.contains("customers"), "{printed}");
    let (_, rest) = GUIDE.split_once("   ```text\n").expect("the output in the guide");
    for line in rest.lines().take_while(|line| !line.contains("```")) {
        assert!(printed.lines().any(|other| shape(other) == shape(line)), "the command prints no {line}:\n{printed}");
    }
    let (again, refused) = run(source, target).await;
    assert!(!again && refused.contains("nothing is moved: the target is not empty"), "{refused}");

    let after = Session::begin(target).await;
    for ((path, before), (_, after)) in read_before.iter().zip(read(&after, &histories).await) {
        assert_eq!(&after, before, "{path}");
    }
    assert_eq!(internal(target).await, kept_before);
    refresh(&after.server, &refresh_token).await.ok();
    refresh(&after.server, &revoked).await.expect(401);
    let replayed = pay(&after).await;
    assert_eq!((replayed.header("idempotency-replayed"), replayed.json()), (Some("true"), &paid));
    assert_eq!(after.get(&next_page).await["data"], next_before["data"], "the cursor is valid there");
    let new = after.post("/comments", &json!({ "post_id": 1 })).await;
    assert!(id(&new) > last, "{new} has the key of a deleted comment, {last}");
    assert_eq!(next_number(target).await, 2);
    after.end().await;
}

#[test]
fn every_record_moves_from_sqlite_to_postgres() {
    on_backends(Backend::Sqlite, Backend::Postgres, moves_everything);
}

#[test]
fn every_record_moves_from_postgres_to_sqlite() {
    on_backends(Backend::Postgres, Backend::Sqlite, moves_everything);
}

#[test]
fn every_record_moves_from_sqlite_to_mysql() {
    on_backends(Backend::Sqlite, Backend::MySql, moves_everything);
}

#[test]
fn every_record_moves_from_mysql_to_postgres() {
    on_backends(Backend::MySql, Backend::Postgres, moves_everything);
}

/// A service of tags and posts.
async fn small(database: &Database) -> Service {
    database.service().await.resource::<Tag>().resource::<Post>().without_auth()
}

/// A small source with these tags.
async fn with_tags(database: &Database, tags: impl IntoIterator<Item = (&str, &str)>) -> Service {
    let service = small(database).await.migrate().await.expect("the tables");
    let tags = tags.into_iter().map(|(slug, label)| NewTag { slug: slug.to_owned(), label: Some(label.to_owned()) });
    service.store::<Tag>().create_batch(tags.collect::<Vec<_>>()).await.expect("the tags");
    service
}

/// The error of a move of a small service; the target is empty after it.
async fn refused(source: &Service, target: &Database) -> String {
    let error = source.move_to(target.url()).await.expect_err("the move is refused").to_string();
    let target = small(target).await.migrate().await.expect("the tables");
    assert_eq!(target.store::<Tag>().count(Select::all()).await.expect("a count"), 0, "{error}");
    error
}

#[test]
fn value_that_the_target_cannot_hold_is_named_and_nothing_moves() {
    on_backends(Backend::Sqlite, Backend::MySql, async |source, target| {
        let service = with_tags(source, [("a", "x")]).await;
        let long = "é".repeat(300);
        source
            .execute(&format!(
                "PRAGMA ignore_check_constraints = ON; INSERT INTO tags (slug, label) VALUES ('{long}', 'y')"
            ))
            .await;
        let error = refused(&service, target).await;
        assert!(error.contains(&format!("`tags` {long}, `slug`: the target cannot hold its value")), "{error}");
    });
    on_backends(Backend::Sqlite, Backend::Postgres, async |source, target| {
        let service = with_tags(source, [("a", "x"), ("b", "y")]).await;
        source.execute("UPDATE tags SET label = 'a' || char(0) || 'b' WHERE slug = 'b'").await;
        let error = refused(&service, target).await;
        assert!(error.contains("`tags` b, `label`: the target cannot hold its value"), "{error}");
        assert!(!error.contains("`tags` a"), "{error}");
    });
}

#[test]
fn reference_to_a_missing_record_is_named_and_nothing_moves() {
    on_backends(Backend::Sqlite, Backend::MySql, lost_reference);
    on_backends(Backend::Sqlite, Backend::Postgres, lost_reference);
    on_backends(Backend::Sqlite, Backend::Sqlite, lost_reference);
}

async fn lost_reference(source: &Database, target: &Database) {
    let service = with_tags(source, [("a", "x")]).await;
    source.execute("PRAGMA foreign_keys = OFF; INSERT INTO posts (id, title, parent_id) VALUES (1, 'a', 7)").await;
    let error = refused(&service, target).await;
    assert!(error.contains("`posts` 1, `parent_id`: refers to a record that is not there"), "{error}");
}

#[test]
fn record_that_the_target_changes_is_named_and_nothing_moves() {
    on_backends(Backend::Sqlite, Backend::Sqlite, async |source, target| {
        let service = with_tags(source, [("a", "x"), ("b", "y")]).await;
        drop(small(target).await.migrate().await.expect("the tables"));
        let trigger = "CREATE TRIGGER shout AFTER INSERT ON tags WHEN NEW.slug = 'b' BEGIN \
            UPDATE tags SET label = upper(label) WHERE slug = NEW.slug; END";
        target.execute(trigger).await;
        let error = refused(&service, target).await;
        assert!(
            error.contains("table `tags`: 2 records") && error.contains("`tags` b: `label` is another value"),
            "{error}"
        );
    });
}

#[test]
fn source_that_does_not_fit_the_structs_is_refused() {
    on_backends(Backend::Sqlite, Backend::Sqlite, async |source, target| {
        let service = small(source).await;
        let error = refused(&service, target).await;
        assert!(error.contains("table `tags`: is missing"), "{error}");
        let service = with_tags(source, [("a", "x")]).await;
        source.execute("ALTER TABLE tags ADD COLUMN colour TEXT").await;
        let error = refused(&service, target).await;
        assert!(error.contains("table `tags`, column `colour`: is in no field"), "{error}");
    });
}

/// A line of a log, without a key.
#[derive(Debug, Clone, Resource)]
#[crud(table("log_lines", no_key), sort)]
struct LogLine {
    level: i32,
    message: String,
}

#[test]
fn records_without_a_key_are_named_and_nothing_moves() {
    on_backends(Backend::Sqlite, Backend::Sqlite, async |source, target| {
        let service = with_tags(source, [("a", "x")]).await.resource::<LogLine>();
        let service = service.migrate().await.expect("the table");
        source.execute("INSERT INTO log_lines (level, message) VALUES (1, 'a'), (1, 'a')").await;
        let error = refused(&service, target).await;
        assert!(error.contains("tables without a key have records:\n  table `log_lines`: 2 records"), "{error}");
        source.execute("DELETE FROM log_lines").await;
        assert_eq!(service.move_to(target.url()).await.expect("the records").records(), 1);
    });
}

#[test]
fn tables_of_the_service_that_the_program_does_not_use_move_too() {
    on_backends(Backend::Sqlite, Backend::Sqlite, async |source, target| {
        let whole = service(source).await.migrate().await.expect("the tables");
        whole.users().create_user("ann", PASSWORD).await.expect("a user");
        let moved = small(source).await.move_to(target.url()).await.expect("the records");
        let users = moved.tables().iter().find(|table| table.table == "auth_users");
        assert_eq!(users.map(|table| table.records), Some(1), "{moved}");
        let other = Backend::Sqlite.fresh();
        drop(small(&other).await.migrate().await.expect("the tables"));
        let users = small(&other).await.move_to(target.url()).await.expect_err("it has a user").to_string();
        assert!(users.contains("the target is not empty:\n  table `auth_users`: 1 record"), "{users}");
    });
}

#[test]
fn large_tables_move_in_pages() {
    on_backends(Backend::Sqlite, Backend::Sqlite, async |source, target| {
        // More bytes than a page has, and more records.
        let label = "x".repeat(3_000);
        let slugs: Vec<String> = (0..2_500).map(|number| format!("{number:04}")).collect();
        let service = with_tags(source, slugs.iter().map(|slug| (slug.as_str(), label.as_str()))).await;
        let moved = service.move_to(target.url()).await.expect("the records");
        assert_eq!(moved.records(), 2_500);
        let again = service.move_to(target.url()).await.expect_err("it is not empty").to_string();
        assert!(again.contains("the target is not empty") && again.contains("table `tags`: 2500 records"), "{again}");
    });
}

#[test]
fn storage_without_moves_says_so() {
    on_each_backend_with_url(async |database| {
        let memory = Service::from_adapter(own_adapter::Memory::new()).resource::<Tag>();
        let moved = memory.move_to(database.url()).await;
        let error = moved.expect_err("memory has no moves").to_string();
        assert!(error.contains("the storage of the source has no moves"), "{error}");
    });
}

#[test]
fn command_names_what_is_wrong_with_its_urls() {
    on_backends(Backend::Sqlite, Backend::Sqlite, async |source, target| {
        let (success, printed) = run(source, source).await;
        assert!(!success && printed.contains("the same database"), "{printed}");
        let (success, printed) = run(source, target).await;
        assert!(!success && printed.contains("names a file that does not exist"), "{printed}");
    });
}

#[test]
fn migrations_are_applied_on_a_target_of_one_kind_and_left_behind_for_another() {
    let written = async |source: &Database| {
        let directory = tempfile::tempdir().expect("a directory");
        let migrations = directory.path().join("migrations");
        service(source).await.migrations().write(&migrations).await.expect("the files");
        service(source).await.migrations().apply(&migrations).await.expect("the tables");
        (directory, migrations)
    };
    on_backends(Backend::Sqlite, Backend::Sqlite, async |source, target| {
        let (directory, migrations) = written(source).await;
        let arguments = ["move", "--from", source.url(), "--to", target.url()];
        let (status, printed) = Server::run_in(directory.path(), PROGRAM, &arguments, &[], source).await;
        assert!(!status.success() && printed.contains("run `crud migrate apply` with the target"), "{printed}");
        service(target).await.migrations().apply(&migrations).await.expect("the tables");
        let (status, printed) = Server::run_in(directory.path(), PROGRAM, &arguments, &[], source).await;
        assert!(status.success() && !printed.contains("SQL of the source"), "{printed}");
        drop(service(target).await.migrations_from(&migrations).migrate().await.expect("the service starts"));
    });
    on_backends(Backend::Sqlite, Backend::Postgres, async |source, target| {
        let (directory, _) = written(source).await;
        let arguments = ["move", "--from", source.url(), "--to", target.url()];
        let (status, printed) = Server::run_in(directory.path(), PROGRAM, &arguments, &[], source).await;
        assert!(status.success() && printed.contains("The files in `migrations` are SQL of the source"), "{printed}");
        drop(service(target).await.migrate().await.expect("the service starts"));
    });
}
