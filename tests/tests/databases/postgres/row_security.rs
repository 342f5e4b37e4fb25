//! Row-level security: a policy of the database is what hides and refuses records, on every road of a request.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use crud_runtime::auth::{AuthParts, Principal};
use crud_runtime::axum::Json;
use crud_runtime::axum::http::HeaderValue;
use crud_runtime::axum::middleware::map_response;
use crud_runtime::axum::response::Response;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, get};
use crud_runtime::{BoxError, Error, Job, SessionVariables};
use crud_tests::{Answer, Api, Client, Cluster, Database, Pooler, wait_until};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::task::JoinSet;

use crate::postgres::support::{execute, on_postgres, role_of, texts, url_of_role};

/// A folder of notes. No attribute says whose it is: the database does.
#[derive(Debug, Clone, Resource)]
#[crud(
    table = "folders",
    prefix = "/folders",
    filter,
    sort,
    pagination(default_limit = 20, max_limit = 100),
    access(read(public), write(public)),
    aggregate(group_by(owner)),
    has_many(notes(Note::folder_id))
)]
struct Folder {
    id: i64,
    owner: String,
    #[crud(unique)]
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(
    table = "notes",
    prefix = "/notes",
    audit,
    filter(owner, text, folder::name),
    sort(id, owner, folder::name),
    search(text),
    aggregate(group_by(owner)),
    pagination(default_limit = 20, max_limit = 1000),
    soft_delete,
    batch(mode(partial)),
    export,
    import,
    idempotency,
    access(read(public), write(public)),
    hooks(after(count_notes), committed(count_later))
)]
struct Note {
    id: i64,
    owner: String,
    text: String,
    #[crud(references(Folder, relation(folder), expand))]
    folder_id: Option<i64>,
    deleted_at: Option<DateTime<Utc>>,
}

/// The numbers of notes that the program's code has seen.
#[derive(Debug, Clone, Default)]
struct Seen(Arc<Mutex<Vec<u64>>>);

impl Seen {
    fn add(&self, count: u64) {
        self.0.lock().unwrap().push(count);
    }

    fn take(&self) -> Vec<u64> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

async fn count_notes(_: &Changed<'_, Note>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let count = ctx.as_program().store::<Note>().count(Select::all()).await?;
    ctx.extension::<Seen>()?.add(count);
    Ok(())
}

async fn count_later(_: Changed<'static, Note>, app: App) {
    let count = app.store::<Note>().count(Select::all()).await.expect("the notes");
    app.extension::<Seen>().expect("it is provided").add(count + 1_000);
}

/// Counts the notes of a user in the background.
#[derive(Serialize, Deserialize)]
struct CountNotes {
    owner: Option<String>,
}

impl Job for CountNotes {
    const KIND: &str = "count-notes";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let app = match self.owner {
            Some(owner) => app.with_session_variables(SessionVariables::new().set("app.user", owner))?,
            None => app,
        };
        app.extension::<Seen>()?.add(app.store::<Note>().count(Select::all()).await?);
        Ok(())
    }
}

async fn own_counts(ctx: Context, State(app): State<App>) -> crud_runtime::Result<Json<Vec<u64>>> {
    let in_transaction = ctx.app().transaction(async |tx| tx.store::<Note>().count(Select::all()).await).await?;
    let raw = app
        .transaction(async |tx| -> crud_runtime::Result<u64> {
            let rows = tx.sql("SELECT count(*) FROM notes").fetch::<(i64,)>().await?;
            Ok(rows[0].0.unsigned_abs())
        })
        .await?;
    let (stores, of_program) = (ctx.store::<Note>(), ctx.app().unscoped().store::<Note>());
    Ok(Json(vec![
        stores.count(Select::all()).await?,
        of_program.count(Select::all()).await?,
        app.store::<Note>().count(Select::all()).await?,
        in_transaction,
        raw,
    ]))
}

async fn folder_count(State(app): State<App>) -> crud_runtime::Result<Json<u64>> {
    Ok(Json(app.store::<Folder>().count(Select::all()).await?))
}

async fn user(parts: AuthParts) -> Result<Option<Principal>, Problem> {
    Ok(parts.header("x-user").map(Principal::new))
}

fn described(service: Service, seen: &Seen) -> Service {
    let marked = map_response(|mut response: Response| async move {
        response.headers_mut().insert("x-layer", HeaderValue::from_static("1"));
        response
    });
    service
        .resource::<Folder>()
        .resource::<Note>()
        .extension(seen.clone())
        .job::<CountNotes>()
        .access(|access| access.authenticate_with(user))
        .route("/own-counts", get(own_counts).access(crud_runtime::access::Access::Public))
        .route("/folder-count", get(folder_count).layer(marked).access(crud_runtime::access::Access::Public))
        .access(|access| {
            access.session_variables(|principal| {
                // An anonymous request has the variable too.
                SessionVariables::new().set("app.user", principal.map_or("-", |principal| principal.subject()))
            })
        })
}

const POLICIES: &str = "
    ALTER TABLE folders ENABLE ROW LEVEL SECURITY;
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON folders USING (owner = current_setting('app.user'));
    CREATE POLICY own ON notes USING (owner = current_setting('app.user'))";

/// A service whose database user is under policies, with folders and notes of two users.
async fn secured(database: &Database, pool: &PgPool, seen: &Seen, connections: Option<u32>) -> Service {
    drop(described(database.service().await, seen).migrate().await.expect("the tables"));
    execute(pool, POLICIES).await;
    let role = role_of(pool, "SELECT, INSERT, UPDATE, DELETE").await;
    execute(
        pool,
        "INSERT INTO folders (owner, name) VALUES ('ann', 'of ann'), ('bob', 'of bob');
         INSERT INTO notes (owner, text, folder_id) SELECT 'ann', 'word a' || i, 1 FROM generate_series(1, 3) i;
         INSERT INTO notes (owner, text, folder_id) SELECT 'bob', 'word b' || i, 2 FROM generate_series(1, 2) i",
    )
    .await;
    let url = url_of_role(database, &role);
    let service = match connections {
        None => Service::connect(&url).await.expect("a service of the role"),
        Some(most) => {
            let pool = sqlx::postgres::PgPoolOptions::new().max_connections(most).connect(&url).await;
            Service::from_pool(pool.expect("a pool of the role"))
        }
    };
    described(service, seen).migrate().await.expect("nothing is missing")
}

async fn as_user(api: &Client, user: &str, method: Method, target: impl Into<String>) -> Answer {
    api.request(method, target).header("x-user", user).await
}

async fn seen_by(api: &Client, user: &str, target: impl Into<String>) -> Value {
    as_user(api, user, Method::GET, target).await.ok()
}

#[test]
fn policy_hides_records_on_every_road_that_reads() {
    on_postgres(async |database, pool| {
        let seen = Seen::default();
        let mut api = Api::start(database, secured(database, pool, &seen, None).await).await;
        api.check_against_document().await;
        for (user, own, other, count) in [("ann", "ann", "bob", 3), ("bob", "bob", "ann", 2), ("eve", "eve", "ann", 0)]
        {
            let list = seen_by(&api, user, "/notes?limit=100").await;
            assert_eq!((&list["total"], list["data"].as_array().unwrap().len()), (&json!(count), count), "{user}");
            assert_eq!(seen_by(&api, user, format!("/notes?owner={other}")).await["total"], 0);
            assert_eq!(seen_by(&api, user, format!("/notes?owner={own}&limit=1")).await["total"], count, "{user}");
            // Filters, orders and words reach no hidden record either.
            assert_eq!(seen_by(&api, user, format!("/notes?folder.name=of%20{other}")).await["total"], 0);
            let sorted = seen_by(&api, user, "/notes?sort=folder.name,-id").await;
            assert_eq!(sorted["total"], count, "{user}");
            assert_eq!(seen_by(&api, user, "/notes?q=word").await["total"], count, "{user}");
            let found = api.post("/notes/search", &json!({ "q": "word" })).header("x-user", user).await.ok();
            assert_eq!(found["total"], count, "{user}");
            let export = as_user(&api, user, Method::GET, "/notes/export").await.expect(200).text();
            assert_eq!(export.lines().count(), count, "{user}");
            let groups = seen_by(&api, user, "/notes/aggregate?group_by=owner").await["data"].clone();
            let own_group = json!([{ "owner": own, "count": count }]);
            assert_eq!(groups, if count == 0 { json!([]) } else { own_group }, "{user}");
            let folders = seen_by(&api, user, "/folders?expand=notes").await;
            let notes: usize = folders["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["notes"]["data"].as_array().unwrap().len())
                .sum();
            assert_eq!(notes, count, "{user}");
            assert_eq!(seen_by(&api, user, "/own-counts").await, json!(vec![count; 5]), "{user}");
            assert_eq!(seen_by(&api, user, "/folder-count").await, json!(usize::from(count > 0)), "{user}");
        }
        assert_eq!(seen_by(&api, "ann", "/notes/1?expand=folder").await["folder"]["name"], "of ann");
        for target in ["/notes/1", "/notes/1/history", "/notes/1?as_of=2026-01-01T00:00:00Z"] {
            as_user(&api, "bob", Method::GET, target).await.problem("not_found");
        }
        // An anonymous request has its own value, and not that of the connection's last one.
        assert_eq!(api.get("/notes").await.ok()["total"], 0);
        api.get("/notes/1").await.problem("not_found");
        api.stop().await;
    });
}

#[test]
fn policy_hides_the_record_behind_a_reference() {
    on_postgres(async |database, pool| {
        let api = Api::start(database, secured(database, pool, &Seen::default(), None).await).await;
        execute(pool, "UPDATE notes SET folder_id = 2 WHERE id = 1").await;
        let note = seen_by(&api, "ann", "/notes/1?expand=folder").await;
        assert_eq!((&note["folder_id"], &note["folder"]), (&json!(2), &Value::Null));
        api.stop().await;
    });
}

#[test]
fn conflict_in_a_table_with_policies_is_at_its_fields() {
    on_postgres(async |database, pool| {
        let api = Api::start(database, secured(database, pool, &Seen::default(), None).await).await;
        let taken = json!({ "owner": "ann", "name": "of ann" });
        let problem = api.post("/folders", &taken).header("x-user", "ann").await.problem("conflict");
        assert_eq!(problem.pointers(), ["/name"]);
        api.stop().await;
    });
}

#[test]
fn policy_holds_for_every_change_with_its_hooks_and_entries() {
    on_postgres(async |database, pool| {
        let seen = Seen::default();
        let mut api = Api::start(database, secured(database, pool, &seen, None).await).await;
        api.check_against_document().await;
        let send = async |user: &str, method: Method, target: &str, body: Value| {
            api.request(method, target).header("x-user", user).json(&body).await
        };
        let note = |owner: &str| json!({ "owner": owner, "text": "word new" });
        // Hidden records cannot be changed.
        send("bob", Method::PATCH, "/notes/1", json!({ "text": "x" })).await.problem("not_found");
        as_user(&api, "bob", Method::DELETE, "/notes/1").await.problem("not_found");
        assert_eq!(seen.take(), [0; 0]);
        let created = send("ann", Method::POST, "/notes", note("ann")).await.created();
        wait_until("both hooks", async || seen.0.lock().unwrap().len() == 2).await;
        assert_eq!(seen.take(), [4, 1_004], "the hooks are under the sender's variables");
        let path = format!("/notes/{}", created["id"]);
        send("ann", Method::PATCH, &path, json!({ "text": "word newer" })).await.ok();
        assert_eq!(seen_by(&api, "ann", format!("{path}/history")).await["total"], 2);
        as_user(&api, "bob", Method::GET, format!("{path}/history")).await.problem("not_found");
        as_user(&api, "ann", Method::DELETE, &*path).await.ok();
        as_user(&api, "bob", Method::POST, format!("{path}/restore")).await.problem("not_found");
        as_user(&api, "ann", Method::POST, format!("{path}/restore")).await.ok();
        // A foreign key of the database would take a record that its policy hides.
        let into_hidden = json!({ "owner": "ann", "text": "x", "folder_id": 2 });
        send("ann", Method::POST, "/notes", into_hidden).await.problem("reference_not_found");
        send("ann", Method::PATCH, &path, json!({ "folder_id": 2 })).await.problem("reference_not_found");
        send("ann", Method::PATCH, &path, json!({ "folder_id": 1 })).await.ok();
        // A record of another one is refused, by itself in a batch and a file.
        let problem = send("bob", Method::POST, "/notes", note("ann")).await.problem("denied_by_database");
        assert_eq!(problem.detail, "the database does not allow this");
        send("ann", Method::PATCH, &path, json!({ "owner": "bob" })).await.problem("denied_by_database");
        let items = json!({ "items": [note("bob"), note("ann"), note("bob")] });
        let batch = send("bob", Method::POST, "/notes/batch", items).await.expect(207).into_json();
        assert_eq!((&batch["created"], &batch["errors"][0]["index"]), (&json!(2), &json!(1)));
        assert_eq!(batch["errors"][0]["code"], "denied_by_database");
        let file = format!("{}\n{}\n", note("bob"), note("ann"));
        let import = api.request(Method::POST, "/notes/import?mode=partial").header("x-user", "bob");
        let imported = import.body("application/x-ndjson", file).await.expect(207).into_json();
        assert_eq!((&imported["created"], &imported["failed"]), (&json!(1), &json!(1)));
        assert_eq!(
            texts(pool, "SELECT owner || count(*) FROM notes GROUP BY owner ORDER BY 1").await,
            ["ann4", "bob5"]
        );
        // A repeated request is answered from the first one.
        for _ in 0..2 {
            let repeated = api.post("/notes", &note("bob")).header("x-user", "bob").header("idempotency-key", "one");
            repeated.await.created();
        }
        assert_eq!(seen_by(&api, "bob", "/notes?limit=1").await["total"], 6);
        api.stop().await;
    });
}

#[test]
fn batch_of_all_or_none_with_a_record_that_a_policy_refuses_changes_nothing() {
    on_postgres(async |database, pool| {
        let api = Api::start(database, secured(database, pool, &Seen::default(), None).await).await;
        let file = "{\"owner\":\"bob\",\"text\":\"a\"}\n{\"owner\":\"ann\",\"text\":\"b\"}\n";
        let import = api.request(Method::POST, "/notes/import").header("x-user", "bob");
        let problem = import.body("application/x-ndjson", file).await.problem("denied_by_database");
        assert_eq!(problem.lines(), [(2, "")]);
        assert_eq!(texts(pool, "SELECT count(*)::text FROM notes").await, ["5"]);
        api.stop().await;
    });
}

#[test]
fn jobs_name_their_variables_and_have_none_of_a_request() {
    on_postgres(async |database, pool| {
        let seen = Seen::default();
        let service = secured(database, pool, &seen, None).await;
        let app = service.app();
        let api = Api::start(database, service).await;
        assert_eq!(seen_by(&api, "ann", "/notes").await["total"], 3);
        for owner in ["ann", "bob"] {
            app.enqueue(CountNotes { owner: Some(owner.to_owned()) }).await.unwrap();
        }
        wait_until("the jobs", async || seen.0.lock().unwrap().len() == 2).await;
        let mut counts = seen.take();
        counts.sort_unstable();
        assert_eq!(counts, [2, 3]);
        // Without, the policy has nothing to compare with: no record, or an error, and never those of the last request.
        let count = app.store::<Note>().count(Select::all()).await;
        assert!(matches!(count, Ok(0) | Err(Error::Problem(_))), "{count:?}");
        api.stop().await;
    });
}

/// Two callers race on a pool of few connections: each sees its records, at every moment.
#[test]
fn callers_who_share_connections_never_see_records_of_another() {
    on_postgres(async |database, pool| {
        let service = secured(database, pool, &Seen::default(), Some(2)).await;
        let api = Api::start(database, service).await;
        let mut requests = JoinSet::new();
        for (user, count, ids) in [("ann", 3, [1, 2, 3]), ("bob", 2, [4, 5, 5]), ("eve", 0, [0, 0, 0])] {
            for round in 0..40_usize {
                let (api, mine) = (Client::clone(&api), ids[round % 3]);
                requests.spawn(async move {
                    match round % 4 {
                        0 => assert_eq!(seen_by(&api, user, "/notes").await["total"], count, "{user}"),
                        1 => {
                            let answer = as_user(&api, user, Method::GET, format!("/notes/{mine}")).await;
                            assert_eq!(answer.status(), if count > 0 { 200 } else { 404 }, "{user}");
                        }
                        2 => {
                            let other = if user == "ann" { 4 } else { 1 };
                            as_user(&api, user, Method::GET, format!("/notes/{other}")).await.problem("not_found");
                        }
                        _ => {
                            let body = json!({ "owner": if user == "ann" { "bob" } else { "ann" }, "text": "x" });
                            let answer = api.post("/notes", &body).header("x-user", user).await;
                            answer.problem("denied_by_database");
                        }
                    }
                });
            }
        }
        requests.join_all().await;
        // A request that was given up leaves nothing on its connection.
        let mut lock = pool.begin().await.unwrap();
        sqlx::query("LOCK TABLE notes IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
        let mut leaving = JoinSet::new();
        for _ in 0..2 {
            let api = Client::clone(&api);
            leaving.spawn(async move { as_user(&api, "ann", Method::GET, "/notes").await });
        }
        database.wait_until_blocked().await;
        leaving.shutdown().await;
        lock.rollback().await.unwrap();
        assert_eq!(api.get("/notes").await.ok()["total"], 0);
        assert_eq!(seen_by(&api, "bob", "/notes").await["total"], 2);
        api.stop().await;
    });
}

/// As `PostgREST` does: the variable `role` switches the rights of the request.
#[test]
fn variable_role_switches_the_rights_of_a_request() {
    on_postgres(async |database, pool| {
        let seen = Seen::default();
        drop(described(database.service().await, &seen).migrate().await.expect("the tables"));
        let reader = role_of(pool, "SELECT").await;
        let service = described(database.service().await, &seen);
        let service = service.access(|access| {
            access.session_variables(move |principal| match principal {
                Some(_) => SessionVariables::new(),
                None => SessionVariables::new().set("role", &reader),
            })
        });
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let folder = json!({ "owner": "ann", "name": "a" });
        api.post("/folders", &folder).await.problem("denied_by_database");
        api.post("/folders", &folder).header("x-user", "ann").await.created();
        assert_eq!(api.get("/folders").await.ok()["total"], 1);
        api.stop().await;
    });
}

#[test]
fn reads_of_a_request_are_one_transaction_and_a_change_is_another() {
    on_postgres(async |database, pool| {
        let service = secured(database, pool, &Seen::default(), None).await;
        // Each look at a row writes down in which transaction.
        let policies = "CREATE TABLE looks (at xid8 NOT NULL);
             CREATE FUNCTION look() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
             BEGIN INSERT INTO looks VALUES (pg_current_xact_id()); RETURN true; END $$;
             CREATE POLICY look ON notes AS RESTRICTIVE USING (look());
             CREATE POLICY look ON folders AS RESTRICTIVE USING (look())";
        execute(pool, policies).await;
        let api = Api::start(database, service).await;
        let looks = async || {
            let looks = "SELECT (count(*) > 1)::text || ' ' || count(DISTINCT at)::text FROM looks";
            texts(pool, looks).await.remove(0)
        };
        assert_eq!(seen_by(&api, "ann", "/notes/1?expand=folder").await["folder"]["name"], "of ann");
        wait_until("one transaction", async || looks().await == "true 1").await;
        execute(pool, "TRUNCATE looks").await;
        let renamed =
            api.request(Method::PATCH, "/folders/1").header("x-user", "ann").json(&json!({ "name": "new" })).await;
        renamed.ok();
        wait_until("a transaction of the change", async || looks().await.starts_with("true ")).await;
        // Another request's transaction is not continued.
        execute(pool, "TRUNCATE looks").await;
        for _ in 0..2 {
            seen_by(&api, "ann", "/notes/1?expand=folder").await;
        }
        wait_until("two transactions", async || looks().await == "true 2").await;
        api.stop().await;
    });
}

#[test]
fn no_connection_stays_in_a_transaction_of_reads() {
    on_postgres(async |database, pool| {
        let api = Api::start(database, secured(database, pool, &Seen::default(), None).await).await;
        for target in ["/notes", "/notes/1?expand=folder", "/notes/export"] {
            as_user(&api, "ann", Method::GET, target).await.expect(200);
        }
        let open =
            "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'";
        wait_until("the end of all transactions", async || texts(pool, open).await == ["0"]).await;
        // Nothing of them is in the way of a lock on the table.
        execute(pool, "BEGIN; LOCK TABLE notes IN ACCESS EXCLUSIVE MODE; COMMIT").await;
        api.stop().await;
    });
}

/// Cost of variables: three statements beside each call, and none where a service has no variables.
#[test]
fn call_under_variables_is_a_transaction_of_four_statements() {
    on_postgres(async |_, _| {
        let cluster = Cluster::durable();
        let database = &Database::in_cluster(&cluster);
        let plain = async || {
            let service = database.service().await.resource::<Folder>().resource::<Note>();
            service.extension(Seen::default()).access(|access| access.authenticate_with(user))
        };
        drop(plain().await.migrate().await.expect("the tables"));
        let name = database.texts("SELECT current_database()").await.remove(0);
        database.execute(&format!("ALTER DATABASE \"{name}\" SET log_statement = 'all'")).await;
        let log = cluster.directory().join("log");
        let count = || {
            let lines = std::fs::read_to_string(&log).expect("the log");
            let words = ["folders", "BEGIN", "COMMIT", "set_config"];
            // The tables are compared in the background, whose names are parameters on other lines.
            let statements = lines.lines().filter(|line| line.contains(" LOG: "));
            statements.filter(|line| words.iter().any(|word| line.contains(word))).count()
        };
        for (is_under, expected) in [(false, 1), (true, 4)] {
            let service = plain().await;
            let service = if is_under {
                service.access(|access| {
                    access.session_variables(|_| SessionVariables::new().set("app.user", "ann").set("app.team", 1))
                })
            } else {
                service
            };
            let api = Api::start(database, service).await;
            for target in ["/folders/1", "/folders"] {
                api.get(target).await;
                // Statements of the background can come between.
                wait_until(target, async || {
                    let before = count();
                    api.get(target).await;
                    // The commit of reads comes after the answer.
                    for _ in 0..100 {
                        if count() - before < expected {
                            api.get("/health").await;
                        }
                    }
                    count() - before == expected
                })
                .await;
            }
            // The database groups, and no list of all records is read.
            let grouped = || {
                let lines = std::fs::read_to_string(&log).expect("the log");
                lines.lines().filter(|line| line.contains("folders") && line.contains("GROUP BY")).count()
            };
            let before = grouped();
            api.get("/folders/aggregate?group_by=owner").await.ok();
            wait_until("the groups are in the log", async || grouped() > before).await;
            api.stop().await;
        }
    });
}

#[test]
fn pooler_that_gives_each_statement_a_connection_is_refused_at_the_start() {
    if !Pooler::is_possible() {
        return;
    }
    on_postgres(async |_, _| {
        let cluster = Cluster::durable();
        let database = Database::in_cluster(&cluster);
        let seen = Seen::default();
        drop(described(database.service().await, &seen).migrate().await.expect("the tables"));
        let pooler = Pooler::start(&cluster, "pool_mode = statement\n");
        let service = Service::connect(&pooler.url(&database)).await.expect("a service behind pgbouncer");
        let error = described(service, &seen).serve("127.0.0.1:0").await.expect_err("a pooler of statements");
        assert!(error.to_string().contains("behind a pooler that gives each statement another connection"), "{error}");
    });
}
