//! Tables with triggers that change the row: the answer, its `ETag` and the audit entry have what is stored.

use crud_runtime::prelude::*;
use crud_tests::fixtures::{batch, column, path, records};
use crud_tests::{Answer, Api, Backend, Client, Database, audit_log, log_lines, on_each_sql_backend};
use futures_util::future::join_all;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum State {
    Draft,
    Published,
}

/// A page, whose title and stamp triggers change.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(audit, soft_delete, batch, import, upsert(code))]
struct Page {
    id: i64,
    #[crud(unique, length(max = 100))]
    code: String,
    #[crud(length(max = 100))]
    title: String,
    #[crud(default(State::Draft), transitions(publish(Draft, Published)))]
    state: State,
    /// The last change, as a trigger writes it.
    #[crud(read_only, default(database), length(max = 100))]
    stamp: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A page without audit log, soft delete and rules.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "plain_pages", prefix = "/plain-pages", batch)]
struct PlainPage {
    id: i64,
    #[crud(unique, length(max = 100))]
    code: String,
    #[crud(length(max = 100))]
    title: String,
    #[crud(read_only, default(database), length(max = 100))]
    stamp: String,
}

/// The triggers of a table: titles are in capitals, and the stamp names the last change.
fn triggers(backend: Backend, table: &str) -> Vec<String> {
    match backend {
        Backend::Sqlite => vec![
            format!(
                "CREATE TRIGGER {table}_made AFTER INSERT ON {table} BEGIN \
                     UPDATE {table} SET title = upper(NEW.title), stamp = 'made' WHERE id = NEW.id; END"
            ),
            // Not for the update of the other one.
            format!(
                "CREATE TRIGGER {table}_changed AFTER UPDATE ON {table} WHEN NEW.stamp = OLD.stamp BEGIN \
                     UPDATE {table} SET title = upper(NEW.title), stamp = 'changed ' || NEW.id WHERE id = NEW.id; END"
            ),
        ],
        // One before the statement returns, and one after.
        Backend::Postgres => vec![
            format!(
                "CREATE FUNCTION {table}_capitals() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                     NEW.title := upper(NEW.title); RETURN NEW; END $$"
            ),
            format!(
                "CREATE FUNCTION {table}_stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                     IF pg_trigger_depth() < 2 THEN UPDATE {table} SET stamp = \
                     CASE TG_OP WHEN 'INSERT' THEN 'made' ELSE 'changed ' || NEW.id END WHERE id = NEW.id; \
                     END IF; RETURN NULL; END $$"
            ),
            format!(
                "CREATE TRIGGER {table}_capitals BEFORE INSERT OR UPDATE ON {table} \
                     FOR EACH ROW EXECUTE FUNCTION {table}_capitals()"
            ),
            format!(
                "CREATE TRIGGER {table}_stamp AFTER INSERT OR UPDATE ON {table} \
                     FOR EACH ROW EXECUTE FUNCTION {table}_stamp()"
            ),
        ],
        Backend::MySql => vec![
            format!(
                "CREATE TRIGGER {table}_made BEFORE INSERT ON {table} FOR EACH ROW \
                     SET NEW.title = upper(NEW.title), NEW.stamp = 'made'"
            ),
            format!(
                "CREATE TRIGGER {table}_changed BEFORE UPDATE ON {table} FOR EACH ROW \
                     SET NEW.title = upper(NEW.title), NEW.stamp = CONCAT('changed ', NEW.id)"
            ),
        ],
        Backend::MongoDb | Backend::Memory => unreachable!("without SQL"),
    }
}

/// The tables, made by the service, with the triggers of another program.
async fn create_tables(database: &Database) {
    let service = database.service().await.resource::<former::Page>().resource::<former::PlainPage>();
    drop(service.migrate().await.expect("the tables"));
    for table in ["pages", "plain_pages"] {
        for statement in triggers(database.backend(), table) {
            database.execute(&statement).await;
        }
    }
}

mod former {
    use super::*;

    /// The table with a default of the stamp.
    #[derive(Debug, Clone, Resource)]
    #[crud(audit, soft_delete)]
    pub(super) struct Page {
        id: i64,
        #[crud(unique, length(max = 100))]
        code: String,
        #[crud(length(max = 100))]
        title: String,
        #[crud(default(State::Draft))]
        state: State,
        #[crud(length(max = 100), default = "")]
        stamp: String,
        deleted_at: Option<DateTime<Utc>>,
    }

    /// The table with a default of the stamp.
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "plain_pages", prefix = "/plain-pages")]
    pub(super) struct PlainPage {
        id: i64,
        #[crud(unique, length(max = 100))]
        code: String,
        #[crud(length(max = 100))]
        title: String,
        #[crud(length(max = 100), default = "")]
        stamp: String,
    }
}

/// Runs a test against tables with triggers.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_pages(test: impl AsyncFn(&Api, &App)) {
    on_each_sql_backend(async |database| {
        create_tables(database).await;
        let service = database.service().await.resource::<Page>().resource::<PlainPage>();
        let service = service.migrate().await.expect("the tables fit");
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api, &app).await;
        api.stop().await;
    });
}

/// Asserts that the record of an answer, its `ETag` and the last entry have what is stored; the record.
async fn assert_stored(api: &Client, answer: Answer) -> Value {
    let (etag, record) = (answer.etag(), answer.into_json());
    let path = path("/pages", &record);
    let found = api.get(&path).await;
    assert_eq!(found.header("etag"), Some(etag.as_str()));
    assert_eq!(found.ok(), record);
    assert_history(api, &record).await;
    record
}

/// Asserts that the history of a record yields it.
async fn assert_history(api: &Client, record: &Value) {
    let history = audit_log::history(api, &path("/pages", record)).await;
    let states = audit_log::replay(&history).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(states.into_values().next().flatten().as_ref(), Some(record));
}

fn body(code: &str) -> Value {
    json!({ "code": code, "title": "title" })
}

#[test]
fn a_create_has_what_triggers_make_of_it() {
    on_pages(async |api, _| {
        let page = assert_stored(api, api.post("/pages", &body("a")).await.expect(201)).await;
        assert_eq!((&page["title"], &page["stamp"]), (&json!("TITLE"), &json!("made")));
        let past = api.get(format!("{}?as_of={}", path("/pages", &page), crud_tests::fixtures::now())).await.ok();
        assert_eq!(past["stamp"], "made");
    });
}

#[test]
fn changes_have_what_triggers_make_of_them() {
    on_pages(async |api, _| {
        let page = api.post("/pages", &body("a")).await.created();
        let path = path("/pages", &page);
        let changed = format!("changed {}", page["id"]);
        let updated = assert_stored(api, api.put(&path, &json!({ "title": "other" })).await.expect(200)).await;
        assert_eq!((&updated["title"], &updated["stamp"]), (&json!("OTHER"), &json!(changed)));
        let published = api.post(format!("{path}/publish"), &json!({})).await.expect(200);
        assert_eq!(assert_stored(api, published).await["state"], "Published");
        let deleted = api.delete(&path).await.ok();
        assert_eq!((&deleted["title"], &deleted["is_deleted"]), (&json!("OTHER"), &json!(true)));
        let restored = assert_stored(api, api.post(format!("{path}/restore"), &json!({})).await.expect(200)).await;
        assert_eq!(restored["is_deleted"], false);
        // The `ETag` of an answer is that of the stored record.
        let answer = api.put(&path, &json!({ "title": "third" })).await.expect(200);
        let etag = answer.etag();
        api.put(&path, &json!({ "title": "fourth" })).header("if-match", &etag).await.ok();
        api.put(&path, &json!({ "title": "fifth" })).header("if-match", &etag).await.problem("precondition_failed");
    });
}

#[test]
fn many_changes_have_what_triggers_make_of_them() {
    on_pages(async |api, _| {
        let created = api.post("/pages/batch", &batch(["a", "b", "c"].map(body))).await.ok();
        assert_eq!(column(&created["items"], "stamp"), ["made"; 3]);
        assert_eq!(column(&created["items"], "code"), ["a", "b", "c"]);
        for item in records(&created["items"]) {
            assert_history(api, item).await;
        }
        let updates = records(&created["items"]).iter().map(|item| json!({ "id": item["id"], "title": item["code"] }));
        let updated = api.put("/pages/batch", &batch(updates)).await.ok();
        assert_eq!(column(&updated["items"], "title"), ["A", "B", "C"]);
        for item in records(&updated["items"]) {
            assert_eq!(item["stamp"], format!("changed {}", item["id"]));
            assert_history(api, item).await;
        }
        let upserted = api.post("/pages?on_conflict=code", &json!({ "code": "a", "title": "x" })).await.expect(200);
        assert_eq!(assert_stored(api, upserted).await["title"], "X");
        let upserted = api.post("/pages?on_conflict=code", &body("d")).await.expect(201);
        assert_eq!(assert_stored(api, upserted).await["stamp"], "made");
        let file = "code,title\ne,one\nf,two\n";
        let import = api.request(reqwest::Method::POST, "/pages/import").body("text/csv", file);
        assert_eq!(import.await.ok()["created"], 2);
        for record in records(&api.get("/pages").await.ok()) {
            assert_history(api, record).await;
        }
    });
}

#[test]
fn changes_in_a_transaction_of_the_program_have_what_triggers_make_of_them() {
    on_pages(async |api, app| {
        let made = app
            .transaction(async |tx| {
                let pages = tx.store::<Page>();
                let page = pages.create(NewPage::new("a", "title")).await?;
                assert_eq!((page.title.as_str(), page.stamp.as_str()), ("TITLE", "made"));
                pages.update(page.id, PagePatch::default().title("other")).await
            })
            .await
            .expect("a page");
        assert_eq!((made.title.as_str(), made.stamp), ("OTHER", format!("changed {}", made.id)));
        assert_history(api, &api.get(format!("/pages/{}", made.id)).await.ok()).await;
    });
}

#[test]
fn a_table_without_audit_log_answers_what_is_stored() {
    on_pages(async |api, _| {
        let page = api.post("/plain-pages", &body("a")).await.created();
        assert_eq!((&page["title"], &page["stamp"]), (&json!("TITLE"), &json!("made")));
        let path = path("/plain-pages", &page);
        assert_eq!(api.get(&path).await.ok(), page);
        let updated = api.put(&path, &json!({ "title": "other" })).await.ok();
        assert_eq!(updated["stamp"], format!("changed {}", page["id"]));
        assert_eq!(api.get(&path).await.ok(), updated);
        let many = api.post("/plain-pages/batch", &batch(["b", "c"].map(body))).await.ok();
        assert_eq!(column(&many["items"], "title"), ["TITLE"; 2]);
        api.delete(&path).await.expect(200);
        api.get(&path).await.problem("not_found");
    });
}

#[test]
fn writers_at_once_get_what_triggers_make_of_their_changes() {
    on_pages(async |api, _| {
        let creates = (0..24).map(|number| {
            let body = body(&format!("page {number}"));
            async move { api.post("/pages", &body).await.created() }
        });
        let created: Vec<Value> = join_all(creates).await;
        let updates = created.iter().map(|page| {
            let body = json!({ "title": page["code"] });
            async move { api.put(path("/pages", page), &body).await.ok() }
        });
        for updated in join_all(updates).await {
            assert_eq!(updated["stamp"], format!("changed {}", updated["id"]));
            assert_history(api, &updated).await;
        }
    });
}

#[test]
fn a_record_that_a_trigger_leaves_out_is_refused() {
    on_each_sql_backend(async |database| {
        let triggers: &[&str] = match database.backend() {
            Backend::Sqlite => &[
                "CREATE TRIGGER kept BEFORE DELETE ON plain_pages WHEN OLD.code = 'kept' BEGIN SELECT RAISE(IGNORE); END",
                "CREATE TRIGGER left_out BEFORE INSERT ON plain_pages WHEN NEW.code = 'none' BEGIN SELECT RAISE(IGNORE); END",
            ],
            Backend::Postgres => &[
                "CREATE FUNCTION ignored() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF TG_OP = 'DELETE' THEN IF OLD.code = 'kept' THEN RETURN NULL; END IF; RETURN OLD; END IF; \
                 IF NEW.code = 'none' THEN RETURN NULL; END IF; RETURN NEW; END $$",
                "CREATE TRIGGER ignored BEFORE INSERT OR DELETE ON plain_pages FOR EACH ROW EXECUTE FUNCTION ignored()",
            ],
            // Without a way for a trigger to leave a record out.
            _ => return,
        };
        let service = database.service().await.resource::<former::PlainPage>();
        drop(service.migrate().await.expect("the table"));
        for trigger in triggers {
            database.execute(trigger).await;
        }
        let service = database.service().await.resource::<PlainPage>().migrate().await.expect("the table fits");
        let api = Api::start(database, service).await;
        api.post("/plain-pages", &body("none")).await.problem("constraint_failed");
        let many = batch(["a", "none", "b"].map(body));
        api.post("/plain-pages/batch", &many).await.problem("constraint_failed");
        let many = api.post("/plain-pages/batch", &batch(["a", "b", "kept"].map(body))).await.ok();
        assert_eq!(column(&many["items"], "code"), ["a", "b", "kept"]);
        api.delete(path("/plain-pages", &many["items"][2])).await.problem("constraint_failed");
        api.get(path("/plain-pages", &many["items"][2])).await.ok();
        api.delete(path("/plain-pages", &many["items"][0])).await.expect(200);
        api.stop().await;
    });
}

#[test]
fn a_change_that_a_trigger_raises_an_error_for_is_refused() {
    on_each_sql_backend(async |database| {
        drop(database.service().await.resource::<former::PlainPage>().migrate().await.expect("the table"));
        database.execute("INSERT INTO plain_pages (code, title) VALUES ('kept', 'a'), ('yes', 'b')").await;
        if database.backend() == Backend::Postgres {
            let refused = "CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                           RAISE EXCEPTION 'not this one'; END $$";
            database.execute(refused).await;
        }
        for (event, code) in [("INSERT", "NEW.code"), ("UPDATE", "NEW.code"), ("DELETE", "OLD.code")] {
            let value = if event == "DELETE" { "kept" } else { "no" };
            let trigger = format!("CREATE TRIGGER no_{event} BEFORE {event} ON plain_pages");
            let statement = match database.backend() {
                Backend::Sqlite => {
                    format!("{trigger} WHEN {code} = '{value}' BEGIN SELECT RAISE(ABORT, 'not this one'); END")
                }
                Backend::Postgres => {
                    format!("{trigger} FOR EACH ROW WHEN ({code} = '{value}') EXECUTE FUNCTION refused()")
                }
                _ => format!(
                    "{trigger} FOR EACH ROW BEGIN IF {code} = '{value}' THEN SIGNAL SQLSTATE '45000' \
                     SET MESSAGE_TEXT = 'not this one'; END IF; END"
                ),
            };
            database.execute(&statement).await;
        }
        let service = database.service().await.resource::<PlainPage>().migrate().await.expect("the table fits");
        let api = Api::start(database, service).await;
        let list = api.get("/plain-pages").await.ok();
        let [kept, other] = records(&list) else { panic!("{list}") };
        let problem = api.post("/plain-pages", &body("no")).await.problem("constraint_failed");
        assert!(!problem.detail.contains("not this one"), "{problem}");
        api.post("/plain-pages/batch", &batch(["a", "no", "b"].map(body))).await.problem("constraint_failed");
        api.put(path("/plain-pages", other), &json!({ "code": "no" })).await.problem("constraint_failed");
        api.delete(path("/plain-pages", kept)).await.problem("constraint_failed");
        assert_eq!(api.get("/plain-pages").await.ok(), list);
        api.delete(path("/plain-pages", other)).await.expect(200);
        api.stop().await;
    });
}

#[test]
fn a_deferred_trigger_is_named_at_the_start() {
    on_each_sql_backend(async |database| {
        if database.backend() != Backend::Postgres {
            return;
        }
        create_tables(database).await;
        database
            .execute(
                "CREATE CONSTRAINT TRIGGER at_the_end AFTER INSERT ON pages DEFERRABLE INITIALLY DEFERRED \
                 FOR EACH ROW EXECUTE FUNCTION pages_stamp()",
            )
            .await;
        let adapter = crud_runtime::adapter::PostgresAdapter::connect(database.url()).await.expect("a connection");
        let facts =
            crud_runtime::adapter::Administration::learn(&adapter, &[Page::DESCRIPTOR]).await.expect("facts").remove(0);
        let names = |is: fn(&crud_runtime::adapter::TriggerFacts) -> bool| {
            facts.triggers.iter().filter(|trigger| is(trigger)).map(|trigger| trigger.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(names(|trigger| trigger.is_deferred), ["at_the_end"]);
        assert_eq!(names(|trigger| trigger.changes_returned), ["pages_stamp"]);
        assert_eq!(names(|trigger| trigger.changes), ["at_the_end", "pages_capitals", "pages_stamp"]);
        let url = database.url().to_owned();
        let start = move || {
            log_lines(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async {
                    let service = Service::connect(&url).await.expect("the database").resource::<Page>();
                    drop(service.migrate().await.expect("the table fits"));
                });
            })
        };
        let lines = std::thread::spawn(start).join().expect("no panic");
        let is_named = |line: &&String| {
            let is_warning = line.starts_with("WARN") && line.contains("deferred triggers run at the commit");
            is_warning && line.contains("triggers=\"at_the_end\"")
        };
        assert_eq!(lines.iter().filter(is_named).count(), 1, "{lines:#?}");
    });
}

/// A memo of another program, in its schema.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table("memos", schema = "sales"), audit)]
struct Memo {
    id: i64,
    title: String,
}

#[test]
fn a_table_in_a_schema_has_its_triggers() {
    on_each_sql_backend(async |database| {
        if database.backend() != Backend::Postgres {
            return;
        }
        for statement in [
            "CREATE SCHEMA sales",
            "CREATE TABLE sales.memos (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text NOT NULL)",
            "CREATE FUNCTION sales.capitals() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             UPDATE sales.memos SET title = upper(title) WHERE id = NEW.id; RETURN NULL; END $$",
            "CREATE TRIGGER capitals AFTER INSERT ON sales.memos FOR EACH ROW EXECUTE FUNCTION sales.capitals()",
        ] {
            database.execute(statement).await;
        }
        // The audit log is the service's own.
        drop(database.service().await.resource::<former::Page>().migrate().await.expect("the tables"));
        let service = database.service().await.resource::<Memo>().check_schema().await.expect("the table fits");
        let api = Api::start(database, service).await;
        let memo = api.post("/memos", &json!({ "title": "title" })).await.created();
        assert_eq!(memo["title"], "TITLE");
        assert_eq!(audit_log::history(&api, &path("/memos", &memo)).await[0]["changes"], memo);
        api.stop().await;
    });
}
