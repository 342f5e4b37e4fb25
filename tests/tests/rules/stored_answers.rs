//! The answer of a change is what is stored: hooks, triggers of other tables and nested records may change the record in its
//! transaction.

use std::sync::{Arc, Mutex};

use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Created, Valid, post};
use crud_tests::fixtures::{batch, column, now, path, records};
use crud_tests::{
    Answer, Api, Backend, Client, Database, audit_log, on_each_sql_backend, on_each_transactional_backend, wait_until,
};
use reqwest::Method;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
enum State {
    Requested,
    Approved,
    Declined,
}

/// A booking, whose `way` says what its hooks change of it.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(audit, filter, batch, import, soft_delete, upsert(code))]
#[crud(hooks(before(screen), after(decide), committed(tell)))]
struct Booking {
    id: i64,
    #[crud(unique, length(max = 40))]
    code: String,
    #[crud(length(max = 40))]
    way: String,
    #[crud(
        default(State::Requested),
        transitions(
            approve(Requested, Approved),
            decline(Requested, Declined),
            reopen(any(Approved, Declined), Requested)
        )
    )]
    state: State,
    #[crud(default = 0)]
    total: i64,
    #[crud(default = 0)]
    seen: i64,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
    deleted_at: Option<DateTime<Utc>>,
}

/// A fee, whose hook adds it to its booking.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(audit, hooks(after(charge)))]
struct Fee {
    id: i64,
    #[crud(references(Booking))]
    booking_id: i64,
    amount: i64,
}

/// The changes that `committed` gets.
#[derive(Debug, Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

/// Statements that add to a booking's numbers, by the back end.
#[derive(Debug, Clone, Copy)]
struct Statements {
    seen: &'static str,
    total: &'static str,
}

fn statements(backend: Backend) -> Statements {
    match backend {
        Backend::Postgres => Statements {
            seen: "UPDATE bookings SET seen = seen + 1 WHERE id = $1",
            total: "UPDATE bookings SET total = total + 10 WHERE id = $1",
        },
        _ => Statements {
            seen: "UPDATE bookings SET seen = seen + 1 WHERE id = ?",
            total: "UPDATE bookings SET total = total + 10 WHERE id = ?",
        },
    }
}

async fn screen(change: &mut Changeset<'_, Booking>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let Some((id, way)) = change.previous().map(|old| (old.id, old.way.clone())) else { return Ok(()) };
    match way.as_str() {
        "before by sql" => {
            ctx.sql(ctx.extension::<Statements>()?.seen).bind(id).execute().await?;
        }
        // The hook's change of the record calls the hook again.
        "before by store" if change.changed(Booking::FIELDS.code) => {
            let seen = BookingPatch::default().add(Booking::FIELDS.seen, 1);
            ctx.as_program().store::<Booking>().update(id, seen).await?;
        }
        _ => {}
    }
    Ok(())
}

async fn decide(change: &Changed<'_, Booking>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let Booking { id, way, state, total, .. } = change.record().clone();
    let bookings = ctx.as_program().store::<Booking>();
    let approve = || BookingPatch::default().state(State::Approved);
    match way.as_str() {
        "store" if state == State::Requested => drop(bookings.update(id, approve()).await?),
        "sql" => {
            ctx.sql(ctx.extension::<Statements>()?.seen).bind(id).execute().await?;
        }
        "both" if state == State::Requested => {
            ctx.sql(ctx.extension::<Statements>()?.total).bind(id).execute().await?;
            bookings.update(id, approve()).await?;
            ctx.sql(ctx.extension::<Statements>()?.total).bind(id).execute().await?;
        }
        "fee" if total == 0 => {
            ctx.as_program().store::<Fee>().create(NewFee::new(id, 5)).await?;
        }
        "undone" if state == State::Requested => {
            let mut tx = ctx.as_program();
            let undone = tx.nested(async |tx| {
                tx.store::<Booking>().update(id, approve()).await?;
                Err::<(), _>(crud_runtime::Error::from(Problem::new(Code::Conflict, "undone")))
            });
            drop(undone.await.unwrap_err());
        }
        // The first of a batch is approved by the hook of the last.
        "last" => {
            bookings.update_where(Booking::FIELDS.code.eq("first"), approve()).await?;
        }
        "gone" if change.operation() == Operation::Create => drop(bookings.delete_one(id).await?),
        _ => {}
    }
    Ok(())
}

async fn tell(change: Changed<'static, Booking>, app: App) {
    let Booking { code, state, total, seen, .. } = change.record();
    let line = format!("{:?} {code} {state:?} {total} {seen}", change.operation());
    app.extension::<Told>().expect("the journal").0.lock().unwrap().push(line);
}

async fn charge(change: &Changed<'_, Fee>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let fee = change.record();
    if change.operation() == Operation::Create {
        let patch = BookingPatch::default().add(Booking::FIELDS.total, fee.amount);
        ctx.as_program().store::<Booking>().update(fee.booking_id, patch).await?;
    }
    Ok(())
}

async fn book(ctx: Context, body: Valid<Ask>) -> crud_runtime::Result<Created<Booking>> {
    let new = NewBooking::new(&*body.code, &*body.way);
    let made = ctx.app().transaction(async |tx| tx.store::<Booking>().create(new.clone()).await);
    Ok(Created(made.await?))
}

#[derive(Debug, Schema)]
struct Ask {
    code: String,
    way: String,
}

async fn service(database: &Database) -> (Service, Told) {
    let told = Told::default();
    let service = database.service().await.extension(told.clone()).extension(statements(database.backend()));
    let service = service.resource::<Booking>().resource::<Fee>().route("/book", post(book));
    (service.migrate().await.expect("the tables"), told)
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_bookings(test: impl AsyncFn(&Api, &App, &Told)) {
    on_each_sql_backend(async |database| {
        let (service, told) = service(database).await;
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api, &app, &told).await;
        api.stop().await;
    });
}

fn body(code: &str, way: &str) -> Value {
    json!({ "code": code, "way": way })
}

/// Asserts that the record of an answer and its `ETag` are what is stored, and that the history yields it; the record.
async fn assert_stored(api: &Client, answer: Answer) -> Value {
    let (etag, record) = (answer.etag(), answer.into_json());
    let found = api.get(path("/bookings", &record)).await;
    assert_eq!(found.header("etag"), Some(etag.as_str()), "{record}");
    assert_eq!(found.ok(), record);
    assert_history(api, &record).await;
    record
}

/// Asserts that the history of a record yields it, and that it is the record of this moment.
async fn assert_history(api: &Client, record: &Value) {
    let path = path("/bookings", record);
    let history = audit_log::history(api, &path).await;
    let states = audit_log::replay(&history).unwrap_or_else(|fault| panic!("{fault}: {history:#?}"));
    assert_eq!(states.into_values().next().flatten().as_ref(), Some(record), "{history:#?}");
    assert_eq!(&api.get(format!("{path}?as_of={}", now())).await.ok(), record);
}

async fn actions(api: &Client, record: &Value) -> Vec<String> {
    let history = audit_log::history(api, &path("/bookings", record)).await;
    audit_log::actions(&history).into_iter().map(str::to_owned).collect()
}

#[test]
fn create_answers_what_its_hook_has_made_of_the_record() {
    on_bookings(async |api, _, _| {
        let approved = assert_stored(api, api.post("/bookings", &body("a", "store")).await.expect(201)).await;
        assert_eq!(approved["state"], "Approved");
        assert_eq!(actions(api, &approved).await, ["create", "update"], "the hook's change has an entry");
        let seen = assert_stored(api, api.post("/bookings", &body("b", "sql")).await.expect(201)).await;
        assert_eq!(seen["seen"], 1);
        assert_eq!(actions(api, &seen).await, ["create", "update"], "what a statement changes has an entry too");
        let both = assert_stored(api, api.post("/bookings", &body("c", "both")).await.expect(201)).await;
        assert_eq!((&both["state"], &both["total"]), (&json!("Approved"), &json!(20)));
        assert_eq!(actions(api, &both).await, ["create", "update", "update", "update"]);
        let charged = assert_stored(api, api.post("/bookings", &body("d", "fee")).await.expect(201)).await;
        assert_eq!(charged["total"], 5, "the hook of another resource has added the fee");
        let kept = assert_stored(api, api.post("/bookings", &body("e", "undone")).await.expect(201)).await;
        assert_eq!(kept["state"], "Requested");
        assert_eq!(actions(api, &kept).await, ["create"], "what is undone leaves no entry");
        // The `ETag` of an answer is good for the next change.
        let answer = api.post("/bookings", &body("f", "store")).await.expect(201);
        let (etag, path) = (answer.etag(), path("/bookings", &answer.into_json()));
        api.put(&path, &json!({ "code": "g" })).header("if-match", &etag).await.ok();
        api.put(&path, &json!({ "code": "h" })).header("if-match", &etag).await.problem("precondition_failed");
    });
}

#[test]
fn each_road_of_a_change_answers_what_is_stored() {
    on_bookings(async |api, app, _| {
        let made = assert_stored(api, api.post("/bookings", &body("a", "sql")).await.expect(201)).await;
        let path = path("/bookings", &made);
        let seen = async |answer: Answer| assert_stored(api, answer).await["seen"].clone();
        assert_eq!(seen(api.put(&path, &json!({ "total": 1 })).await.expect(200)).await, 2);
        assert_eq!(seen(api.patch(&path, &json!({ "total": 2 })).await.expect(200)).await, 3);
        assert_eq!(seen(api.post(format!("{path}/decline"), &json!({})).await.expect(200)).await, 4);
        let upsert = json!({ "code": "a", "way": "sql", "total": 3 });
        assert_eq!(seen(api.post("/bookings?on_conflict=code", &upsert).await.expect(200)).await, 5);
        assert_eq!(seen(api.post("/bookings?on_conflict=code", &body("new", "sql")).await.expect(201)).await, 1);
        // A change that changes nothing calls no `after`.
        assert_eq!(seen(api.put(&path, &json!({ "total": 3 })).await.expect(200)).await, 5);
        let deleted = api.delete(&path).await.ok();
        assert_eq!((&deleted["seen"], &deleted["is_deleted"]), (&json!(6), &json!(true)));
        assert_eq!(api.get(format!("{path}?include_deleted=true")).await.ok(), deleted);
        assert_eq!(seen(api.post(format!("{path}/restore"), &json!({})).await.expect(200)).await, 7);

        let reopened = api.post(format!("{path}/reopen"), &json!({ "way": "store" })).await.expect(200);
        assert_eq!(assert_stored(api, reopened).await["state"], "Approved");
        let file = "code,way\nx,store\ny,sql\n";
        let import = api.request(Method::POST, "/bookings/import").body("text/csv", file).await.ok();
        assert_eq!(import["created"], 2);
        for record in records(&api.get("/bookings").await.ok()) {
            assert_history(api, record).await;
        }
        let routed = api.post("/book", &body("r", "store")).await.expect(201).into_json();
        assert_eq!(routed["state"], "Approved");
        let bookings = app.store::<Booking>();
        let typed = bookings.create(NewBooking::new("t", "both")).await.unwrap();
        assert_eq!((typed.state, typed.total), (State::Approved, 20));
        assert_eq!(bookings.get(typed.id).await.unwrap(), typed);
        let typed = bookings.update(typed.id, BookingPatch::default().way("sql")).await.unwrap();
        assert_eq!(bookings.get(typed.id).await.unwrap(), typed);
        let typed = bookings.soft_delete(typed.id).await.unwrap();
        assert_eq!(typed.seen, 2);
        let many =
            bookings.create_batch([NewBooking::new("u", "store"), NewBooking::new("v", "sql")]).await.unwrap().items;
        assert_eq!((many[0].state, many[1].seen), (State::Approved, 1));
    });
}

#[test]
fn batch_answers_what_the_hooks_of_all_items_have_made_of_the_records() {
    on_bookings(async |api, _, _| {
        let items = [body("first", "plain"), body("b", "store"), body("c", "sql"), body("d", "last")];
        let created = api.post("/bookings/batch", &batch(items)).await.ok();
        assert_eq!(column(&created["items"], "state"), ["Approved", "Approved", "Requested", "Requested"]);
        assert_eq!(column(&created["items"], "seen"), [0, 0, 1, 0]);
        for item in records(&created["items"]) {
            assert_eq!(&api.get(path("/bookings", item)).await.ok(), item);
            assert_history(api, item).await;
        }
        let updates = records(&created["items"]).iter().map(|item| json!({ "id": item["id"], "way": "sql" }));
        let updated = api.put("/bookings/batch", &batch(updates)).await.ok();
        assert_eq!(column(&updated["items"], "seen"), [1; 4], "the third one is not changed");
        for item in records(&updated["items"]) {
            assert_history(api, item).await;
        }
        let ids = json!({ "ids": column(&updated["items"], "id") });
        let deleted = api.post("/bookings/batch/delete", &ids).await.ok();
        assert_eq!(column(&deleted["items"], "seen"), [2; 4]);
    });
}

#[test]
fn what_before_changes_of_the_record_is_kept() {
    on_bookings(async |api, _, _| {
        for way in ["before by sql", "before by store"] {
            let made = api.post("/bookings", &body(way, way)).await.created();
            let path = path("/bookings", &made);
            let updated =
                assert_stored(api, api.put(&path, &json!({ "code": format!("{way} 2") })).await.expect(200)).await;
            assert_eq!(updated["seen"], 1);
            assert_eq!(actions(api, &made).await, ["create", "update", "update"]);
            // A field that is sent as it was read keeps what `before` has made of it.
            let back = json!({ "code": format!("{way} 3"), "seen": 1 });
            let back = assert_stored(api, api.put(&path, &back).await.expect(200)).await;
            assert_eq!(back["seen"], 2);
            api.put(&path, &json!({ "code": format!("{way} 2") })).await.ok();
            // The change alone of `before` is answered as well.
            let same = api.put(&path, &json!({ "code": format!("{way} 2") })).await.expect(200);
            assert_stored(api, same).await;
        }
    });
}

#[test]
fn record_that_its_hook_removes_is_answered_as_it_was() {
    on_bookings(async |api, _, _| {
        let gone = api.post("/bookings", &body("a", "gone")).await.created();
        api.get(path("/bookings", &gone)).await.problem("not_found");
        assert_eq!(audit_log::actions(&audit_log::entries(api, "Booking").await), ["create", "delete"]);
    });
}

#[test]
fn committed_is_told_of_each_change_once() {
    on_bookings(async |api, _, told| {
        api.post("/bookings", &body("a", "store")).await.created();
        api.post("/bookings", &body("b", "both")).await.created();
        let expected =
            ["Create a Requested 0 0", "Create b Requested 20 0", "Update a Approved 0 0", "Update b Approved 10 0"];
        wait_until("four lines", async || told.0.lock().unwrap().len() == 4).await;
        let mut lines = told.0.lock().unwrap().clone();
        lines.sort();
        assert_eq!(lines, expected);
    });
}

/// A job in batches whose items fail alone.
#[derive(Debug, Clone, Resource)]
#[crud(audit, batch(mode(partial)), hooks(after(pass)))]
struct Task {
    id: i64,
    name: String,
    #[crud(default = false)]
    passed: bool,
}

async fn pass(change: &Changed<'_, Task>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let Task { id, name, passed } = change.record();
    if !passed {
        ctx.as_program().store::<Task>().update(*id, TaskPatch::default().passed(true)).await?;
    }
    match name.as_str() {
        "fail" => Err(Problem::new(Code::Conflict, "fails")),
        _ => Ok(()),
    }
}

#[test]
fn partial_batch_answers_what_is_stored_of_those_that_succeed() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Task>().migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        let items = ["a", "fail", "b"].map(|name| json!({ "name": name }));
        let answer = api.post("/tasks/batch", &batch(items)).await.expect(207).into_json();
        assert_eq!((&answer["created"], &answer["failed"]), (&json!(2), &json!(1)));
        assert_eq!(column(&answer["items"], "passed"), [true, true]);
        assert_eq!(api.get("/tasks").await.ok(), answer["items"]);
        let actions = audit_log::entries(&api, "Task").await;
        assert_eq!(audit_log::actions(&actions), ["create", "update", "create", "update"]);
        api.stop().await;
    });
}

/// An order with its lines, whose sum the hook of the lines or a trigger of their table keeps.
#[derive(Debug, Clone, Resource)]
#[crud(audit, has_many(lines(OrderLine::order_id, nested), notes(OrderNote::order_id, nested)))]
struct Order {
    id: i64,
    #[crud(length(max = 20))]
    number: String,
    #[crud(read_only, default = 0)]
    total: i64,
    #[crud(read_only, default = 0)]
    notes_count: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(hooks(after(add)))]
struct OrderLine {
    id: i64,
    #[crud(references(Order))]
    order_id: i64,
    price: i64,
}

#[derive(Debug, Clone, Resource)]
struct OrderNote {
    id: i64,
    #[crud(references(Order))]
    order_id: i64,
    text: String,
}

async fn add(change: &Changed<'_, OrderLine>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let patch = OrderPatch::default().add(Order::FIELDS.total, change.record().price);
    ctx.as_program().store::<Order>().update(change.record().order_id, patch).await?;
    Ok(())
}

/// A trigger that counts the notes of an order.
fn count_notes(backend: Backend) -> Vec<&'static str> {
    match backend {
        Backend::Sqlite => vec![
            "CREATE TRIGGER counted AFTER INSERT ON order_notes BEGIN \
             UPDATE orders SET notes_count = notes_count + 1 WHERE id = NEW.order_id; END",
        ],
        Backend::Postgres => vec![
            "CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             UPDATE orders SET notes_count = notes_count + 1 WHERE id = NEW.order_id; RETURN NULL; END $$",
            "CREATE TRIGGER counted AFTER INSERT ON order_notes FOR EACH ROW EXECUTE FUNCTION counted()",
        ],
        _ => vec![
            "CREATE TRIGGER counted AFTER INSERT ON order_notes FOR EACH ROW \
             UPDATE orders SET notes_count = notes_count + 1 WHERE id = NEW.order_id",
        ],
    }
}

#[test]
fn record_with_nested_ones_is_answered_as_these_have_left_it() {
    on_each_sql_backend(async |database| {
        let resources = async || {
            let service = database.service().await.resource::<Order>().resource::<OrderLine>().resource::<OrderNote>();
            service.migrate().await.expect("the tables")
        };
        drop(resources().await);
        for statement in count_notes(database.backend()) {
            database.execute(statement).await;
        }
        let api = Api::start(database, resources().await).await;
        let stored = async |answer: Answer| {
            let etag = answer.etag();
            let mut order = answer.into_json();
            for relation in ["lines", "notes"] {
                order.as_object_mut().expect("an order").remove(relation);
            }
            let path = path("/orders", &order);
            assert_eq!(api.get(&path).await.ok(), order);
            let history = audit_log::history(&api, &path).await;
            let states = audit_log::replay(&history).unwrap_or_else(|fault| panic!("{fault}"));
            assert_eq!(states.into_values().next().flatten().as_ref(), Some(&order), "{history:#?}");
            (order, etag)
        };
        let lines = json!({ "number": "A", "lines": [{ "price": 3 }, { "price": 4 }] });
        let (order, _) = stored(api.post("/orders", &lines).await.expect(201)).await;
        assert_eq!(order["total"], 7);
        let notes = json!({ "number": "B", "notes": [{ "text": "a" }, { "text": "b" }] });
        let (order, _) = stored(api.post("/orders", &notes).await.expect(201)).await;
        assert_eq!(order["notes_count"], 2);
        let more = json!({ "lines": [{ "price": 1 }], "notes": [{ "text": "c" }] });
        let (order, _) = stored(api.patch(path("/orders", &order), &more).await.expect(200)).await;
        assert_eq!((&order["total"], &order["notes_count"]), (&json!(1), &json!(3)));
        let plain = api.post("/orders", &json!({ "number": "C" })).await.expect(201);
        let etag = plain.etag();
        api.put(path("/orders", &plain.into_json()), &json!({ "number": "D" })).header("if-match", &etag).await.ok();
        api.stop().await;
    });
}
