use std::sync::{Arc, Mutex};

use crud_runtime::Error;
use crud_runtime::auth::Auth;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_tests::fixtures::id;
use crud_tests::{Api, Database, holds_for_a_moment, on_each_transactional_backend, wait_until};
use serde_json::{Value, json};

use crate::caller::{SECRET, bearer};
use crate::resources::{Part, part};

/// Journal of the hooks, in order: an extension of the service.
#[derive(Debug, Clone, Default)]
struct Journal(Arc<Mutex<Vec<String>>>);

impl Journal {
    fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    /// The lines since the last call.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Waits for this line of `committed`, which runs beside the answer.
    async fn wait(&self, line: &str) {
        wait_until(line, async || self.0.lock().unwrap().iter().any(|other| other == line)).await;
    }

    /// Number of lines with this start.
    fn count(&self, start: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|line| line.starts_with(start)).count()
    }

    /// Waits for so many lines that start so, and checks that no more come.
    async fn has(&self, count: usize, start: &str) {
        wait_until(start, async || self.count(start) >= count).await;
        holds_for_a_moment(start, async || self.count(start) == count).await;
    }
}

/// A ticket, whose title says what its hooks do.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(audit, filter, batch, soft_delete)]
#[crud(hooks(before(check_in), after(bill), committed(notify), validate(due_if_urgent)))]
struct Ticket {
    id: i64,
    #[crud(length(max = 20))]
    title: String,
    #[crud(default = false)]
    urgent: bool,
    due: Option<NaiveDate>,
    #[crud(read_only)]
    code: Option<String>,
    #[crud(references(Ticket))]
    parent_id: Option<i64>,
    deleted_at: Option<DateTime<Utc>>,
}

fn due_if_urgent(changeset: &mut Changeset<'_, Ticket>) {
    let fields = Ticket::FIELDS;
    if changeset.get(fields.urgent) == Some(true) && changeset.get(fields.due).flatten().is_none() {
        changeset.add_error(fields.due, "due_required", "must be set for an urgent ticket");
    }
    if changeset.get(fields.title).is_some_and(|title| title.starts_with("bad")) {
        changeset.add_error(fields.title, "bad_title", "must not be bad");
    }
}

async fn check_in(changeset: &mut Changeset<'_, Ticket>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let operation = changeset.operation();
    ctx.extension::<Journal>()?.add(format!("before {operation:?} {}", changeset.previous().map_or(0, |old| old.id)));
    let Some(title) = changeset.get(Ticket::FIELDS.title) else { return Ok(()) };
    if title == "stop" {
        return Err(Problem::new(Code::Conflict, "stopped"));
    }
    if operation == Operation::Create {
        changeset.set(Ticket::FIELDS.code, format!("T-{}", title.to_uppercase()));
    }
    if operation == Operation::Update && title == "too long" {
        changeset.set(Ticket::FIELDS.title, "x".repeat(21));
    }
    Ok(())
}

async fn bill(change: &Changed<'_, Ticket>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let (operation, ticket) = (change.operation(), change.record());
    ctx.extension::<Journal>()?.add(format!("after {operation:?} {} {}", ticket.id, ctx.index()));
    if change.changed(Ticket::FIELDS.title) && operation == Operation::Create {
        ctx.as_program().store::<Part>().create(part(&format!("for {}", ticket.title), 1)).await?;
    }
    match ticket.title.as_str() {
        "fail after" => Err(Problem::new(Code::Conflict, "not after all")),
        "kept" if matches!(operation, Operation::Purge | Operation::Delete) => {
            Err(Problem::new(Code::Conflict, "kept"))
        }
        _ => Ok(()),
    }
}

async fn notify(change: Changed<'static, Ticket>, app: App) {
    let journal = app.extension::<Journal>().expect("the journal").clone();
    let stored = app.store::<Ticket>().get(change.record().id).await;
    // It is durable by now, unless it is removed.
    let is_there = stored.is_ok();
    journal.add(format!("committed {:?} {} {is_there}", change.operation(), change.record().id));
    assert_ne!(change.record().title, "panic", "a panic of the program's own");
}

/// A job in batches whose items fail alone.
#[derive(Debug, Clone, Resource)]
#[crud(audit, batch(mode(partial)), hooks(after(start)))]
pub(crate) struct Job {
    id: i64,
    name: String,
}

async fn start(change: &Changed<'_, Job>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let name = &change.record().name;
    ctx.as_program().store::<Part>().create(part(name, 1)).await?;
    ctx.as_program().store::<Ticket>().create(new(name)).await?;
    if name == "fail" {
        let at = crud_runtime::error::FieldError::field("name", "not_today", "is not for today");
        return Err(Problem::validation([at]));
    }
    Ok(())
}

/// A draft that an update restores.
#[derive(Debug, Clone, Resource)]
#[crud(audit, soft_delete(auto_restore_on_update), hooks(before(settle), after(watch)))]
struct Draft {
    id: i64,
    text: String,
    seen: Option<DateTime<Utc>>,
    deleted_at: Option<DateTime<Utc>>,
}

async fn settle(changeset: &mut Changeset<'_, Draft>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    if changeset.operation() == Operation::Create && changeset.changed(Draft::FIELDS.seen) {
        changeset.set(Draft::FIELDS.text, "seen at once");
    }
    if let Some(old) = changeset.previous().filter(|_| changeset.operation() == Operation::Update) {
        let text = changeset.get(Draft::FIELDS.text).unwrap_or_default();
        // The time has nanoseconds, which storage does not keep.
        let seen = DateTime::from_timestamp(1_000, 123_456_789);
        let old = old.text.clone();
        match text.as_str() {
            "undo" => changeset.set(Draft::FIELDS.text, old),
            "see" => changeset.set(Draft::FIELDS.seen, seen),
            "assign" => changeset.set(Draft::FIELDS.id, 7),
            _ => {}
        }
    }
    // A delete writes no fields, nor does a restore.
    if changeset.get(Draft::FIELDS.text).as_deref() == Some("set anyway") && changeset.operation() != Operation::Create
    {
        changeset.set(Draft::FIELDS.text, "gone");
        changeset.set(Draft::FIELDS.id, 7);
    }
    Ok(())
}

async fn watch(change: &Changed<'_, Draft>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    ctx.extension::<Journal>()?.add(format!("after {:?} {}", change.operation(), change.record().text));
    Ok(())
}

/// A note with an owner, which no update passes.
#[derive(Debug, Clone, Resource)]
#[crud(hooks(before(count), validate(refuse)))]
struct Note {
    id: i64,
    #[crud(owner)]
    author: String,
    text: String,
}

fn refuse(changeset: &mut Changeset<'_, Note>) {
    if changeset.get(Note::FIELDS.text).as_deref() == Some("refused") {
        changeset.add_record_error("refused", "is refused");
    }
}

async fn count(changeset: &mut Changeset<'_, Note>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let sender = ctx.principal().map(|principal| principal.subject().to_owned()).unwrap_or_default();
    ctx.extension::<Journal>()?.add(format!("before {:?} by {sender}", changeset.operation()));
    Ok(())
}

/// The tables, a service on them and its journal.
async fn service(database: &Database) -> (Service, Journal) {
    let journal = Journal::default();
    let service = database.service().await.extension(journal.clone());
    let service = service.resource::<Ticket>().resource::<Part>().resource::<Job>().resource::<Draft>();
    (service.migrate().await.expect("the tables"), journal)
}

/// Runs a test over HTTP and through the program's own handle, on each back end with transactions.
fn on_each(test: impl AsyncFn(&Api, &App, &Journal) + Copy) {
    on_each_transactional_backend(async |database| {
        let (service, journal) = service(database).await;
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api, &app, &journal).await;
        api.stop().await;
    });
}

fn new(title: &str) -> NewTicket {
    NewTicket::new(title)
}

async fn parts(app: &App) -> Vec<String> {
    let parts = app.store::<Part>().list(Part::FIELDS.name.asc()).await.unwrap();
    parts.into_iter().map(|part| part.name).collect()
}

fn problem<T: std::fmt::Debug>(result: Result<T, Error>) -> Problem {
    match result.unwrap_err() {
        Error::Problem(problem) => problem,
        error => panic!("{error:?}"),
    }
}

#[test]
fn hooks_run_in_their_order() {
    on_each(async |api, app, journal| {
        let ticket = api.post("/tickets", &json!({ "title": "a" })).await.created();
        let id = id(&ticket);
        assert_eq!(ticket["code"], "T-A", "set by `before`");
        journal.wait(&format!("committed Create {id} true")).await;
        let expected =
            ["before Create 0".to_owned(), format!("after Create {id} 0"), format!("committed Create {id} true")];
        assert_eq!(journal.take(), expected);
        assert_eq!(parts(app).await, ["for a"]);
        // Values that `before` sets are validated, and `after` does not run if one is refused.
        let refused = api.patch(format!("/tickets/{id}"), &json!({ "title": "too long" })).await;
        assert_eq!(refused.problem("validation_failed").only().at, "pointer /title");
        assert_eq!(journal.take(), [format!("before Update {id}")]);
        let stopped = api.post("/tickets", &json!({ "title": "stop" })).await.problem("conflict");
        assert_eq!(stopped.detail, "stopped");
        // Bodies are checked before the hooks.
        journal.take();
        api.post("/tickets", &json!({ "title": 1 })).await.problem("validation_failed");
        assert_eq!(journal.take(), [""; 0]);
    });
}

#[test]
fn validate_sees_the_merged_record_and_reports_each_error() {
    on_each(async |api, app, _| {
        let both = json!({ "title": "bad", "urgent": true });
        let problem = api.post("/tickets", &both).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/due", "/title"]);
        let due = json!({ "title": "a", "due": "2026-12-24" });
        let path = format!("/tickets/{}", api.post("/tickets", &due).await.created()["id"]);
        assert_eq!(api.patch(&path, &json!({ "urgent": true })).await.ok()["urgent"], true);
        let problem = api.patch(&path, &json!({ "due": null })).await.problem("validation_failed");
        assert_eq!((problem.only().at.as_str(), problem.only().code.as_str()), ("pointer /due", "due_required"));
        assert_eq!(api.get(&path).await.ok()["due"], "2026-12-24");
        let refused = self::problem(app.store::<Ticket>().create(new("bad")).await);
        assert_eq!((refused.code(), refused.errors()[0].code()), (Code::ValidationFailed, "bad_title"));
    });
}

#[test]
fn failed_after_hook_undoes_the_change_its_entry_and_its_writes() {
    on_each(async |api, app, journal| {
        let failed = api.post("/tickets", &json!({ "title": "fail after" })).await.problem("conflict");
        assert_eq!(failed.detail, "not after all");
        assert_eq!(problem(app.store::<Ticket>().create(new("fail after")).await).code(), Code::Conflict);
        assert_eq!(app.store::<Ticket>().count(Select::all()).await.unwrap(), 0);
        assert_eq!(parts(app).await, [""; 0]);
        assert_eq!(api.get("/audit-logs").await.ok()["total"], 0);
        journal.has(0, "committed").await;
    });
}

#[test]
fn committed_runs_once_and_may_panic() {
    on_each(async |api, app, journal| {
        let id = id(&api.post("/tickets", &json!({ "title": "panic" })).await.created());
        journal.wait(&format!("committed Create {id} true")).await;
        journal.has(1, "committed").await;
        api.get(format!("/tickets/{id}")).await.ok();
        let failed: Result<(), Error> = app
            .transaction(async |tx| {
                tx.store::<Ticket>().create(new("never")).await?;
                Err(Problem::new(Code::Conflict, "rolled back").into())
            })
            .await;
        failed.unwrap_err();
        journal.has(1, "committed").await;
        journal.take();
        let made = app
            .transaction(async |tx| -> crud_runtime::Result<Ticket> {
                let made = tx.store::<Ticket>().create(new("inside")).await?;
                tx.store::<Ticket>().create(new("fail after")).await.unwrap_err();
                journal.has(0, "committed").await;
                journal.add("commit".to_owned());
                Ok(made)
            })
            .await
            .unwrap();
        journal.wait(&format!("committed Create {} true", made.id)).await;
        journal.has(1, "committed").await;
        let lines = journal.take();
        let position = |start: &str| lines.iter().position(|line| line.starts_with(start)).unwrap();
        assert!(position("commit") < position("committed"), "{lines:?}");
        assert_eq!(parts(app).await, ["for inside", "for panic"]);
    });
}

#[test]
fn atomic_batch_reports_every_bad_item_and_writes_none() {
    on_each(async |api, app, journal| {
        let items = json!({ "items": [
            { "title": "a" }, { "title": "bad" }, { "title": "b" }, { "title": "fail after" }, { "title": "stop" },
        ] });
        let problem = api.post("/tickets/batch", &items).await.problem("validation_failed");
        assert_eq!(problem.items(), [(1, "/title"), (3, ""), (4, "")]);
        assert_eq!(app.store::<Ticket>().count(Select::all()).await.unwrap(), 0);
        assert_eq!(parts(app).await, [""; 0]);
        // An item that is malformed does not hide the others.
        let items = json!({ "items": [{ "title": 1 }, { "title": "bad" }] });
        let problem = api.post("/tickets/batch", &items).await.problem("validation_failed");
        assert_eq!(problem.items(), [(0, "/title"), (1, "/title")]);
        let items = json!({ "items": [{ "title": "a" }, { "title": "b" }] });
        let made = api.post("/tickets/batch", &items).await.ok();
        assert_eq!(made["created"], 2);
        journal.wait(&format!("committed Create {} true", made["items"][1]["id"])).await;
        let ids: Vec<Value> = made["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
        journal.has(2, "committed").await;
        journal.take();
        let changes = json!({ "items": [{ "id": ids[0], "title": "c" }, { "id": ids[1], "urgent": true }] });
        let problem = api.put("/tickets/batch", &changes).await.problem("validation_failed");
        assert_eq!(problem.items(), [(1, "/due")]);
        journal.has(0, "committed").await;
        api.post("/tickets/batch/delete", &json!({ "ids": ids })).await.ok();
        let lines = journal.take();
        let soft_deletes = lines.iter().filter(|line| line.starts_with("after Delete")).count();
        assert_eq!(soft_deletes, 2, "{lines:?}");
        assert_eq!(api.get("/audit-logs?action=soft_delete").await.ok()["total"], 2);
    });
}

#[test]
fn partial_batch_undoes_the_failed_item_with_its_writes() {
    on_each(async |api, app, journal| {
        let items = json!({ "items": [{ "name": "a" }, { "name": "fail" }, { "name": "b" }] });
        let answer = api.post("/jobs/batch", &items).await.expect(207).into_json();
        assert_eq!((&answer["created"], &answer["failed"]), (&json!(2), &json!(1)));
        let error = &answer["errors"][0];
        assert_eq!((&error["index"], &error["code"]), (&json!(1), &json!("validation_failed")));
        assert_eq!(error["errors"][0]["pointer"], "/name");
        assert_eq!(error["errors"][0]["code"], "not_today");
        assert_eq!(parts(app).await, ["a", "b", "for a", "for b"]);
        journal.has(2, "committed").await;
        assert_eq!(api.get("/audit-logs?entity_type=Job").await.ok()["total"], 2);
    });
}

#[test]
fn update_that_changes_nothing_calls_before_and_validate_only() {
    on_each(async |api, app, journal| {
        let ticket = api.post("/tickets", &json!({ "title": "a" })).await.created();
        let id = id(&ticket);
        journal.wait(&format!("committed Create {id} true")).await;
        journal.take();
        let same = api.put(format!("/tickets/{id}"), &json!({ "title": "a" })).await.ok();
        assert_eq!(same, ticket);
        app.store::<Ticket>().update(id, TicketPatch::default().title("a")).await.unwrap();
        journal.has(0, "committed").await;
        assert_eq!(journal.take(), [format!("before Update {id}"), format!("before Update {id}")]);
        assert_eq!(api.get("/audit-logs?action=update").await.ok()["total"], 0);
    });
}

#[test]
fn update_that_a_hook_undoes_or_that_restores_is_written_as_it_is() {
    on_each(async |api, app, journal| {
        let drafts = app.store::<Draft>();
        let id = drafts.create(NewDraft::new("a")).await.unwrap().id;
        assert_eq!(drafts.update(id, DraftPatch::default().text("undo")).await.unwrap().text, "a");
        assert_eq!(journal.take(), ["after Create a"]);
        drafts.soft_delete(id).await.unwrap();
        let restored = drafts.update(id, DraftPatch::default().text("a")).await.unwrap();
        assert_eq!(restored.deleted_at, None);
        assert_eq!(journal.take(), ["after Delete a", "after Update a"]);
        let seen = drafts.update(id, DraftPatch::default().text("see")).await.unwrap().seen.unwrap();
        assert_eq!(seen.timestamp_subsec_nanos(), 123_456_000);
        api.patch(format!("/drafts/{id}"), &json!({ "text": "assign" })).await.problem("internal");
        assert_eq!(drafts.get(id).await.unwrap().text, "see");
    });
}

#[test]
fn hook_that_sets_what_it_cannot_is_a_problem_with_its_name() {
    on_each(async |api, app, _| {
        let drafts = app.store::<Draft>();
        let id = drafts.create(NewDraft::new("set anyway")).await.unwrap().id;
        api.delete(format!("/drafts/{id}")).await.problem("internal");
        let says = |result| std::error::Error::source(&problem(result)).expect("a cause").to_string();
        assert_eq!(
            says(drafts.soft_delete(id).await),
            "the hook rules::hooks::settle sets `text` of a Delete, which writes no fields"
        );
        assert_eq!(drafts.get(id).await.unwrap().text, "set anyway");
        let other = drafts.create(NewDraft::new("a")).await.unwrap().id;
        assert_eq!(
            says(drafts.update(other, DraftPatch::default().text("assign")).await),
            "the hook rules::hooks::settle sets `id`, which the service sets"
        );
    });
}

#[test]
fn create_changes_the_fields_that_have_a_value() {
    on_each(async |_, app, _| {
        let drafts = app.store::<Draft>();
        assert_eq!(drafts.create(NewDraft::new("a")).await.unwrap().text, "a");
        assert_eq!(drafts.create(NewDraft::new("a").seen(Utc::now())).await.unwrap().text, "seen at once");
    });
}

#[test]
fn each_way_to_remove_and_restore_calls_the_hooks_with_its_operation() {
    on_each(async |api, app, journal| {
        let tickets = app.store::<Ticket>();
        let mut ids = Vec::new();
        for title in ["a", "b", "c", "d"] {
            ids.push(tickets.create(new(title)).await.unwrap().id);
        }
        journal.has(4, "committed Create").await;
        journal.take();
        let kinds = async |id: i64, there: bool, kind: &str| {
            journal.wait(&format!("committed {kind} {id} {there}")).await;
            let expected = [
                format!("before {kind} {id}"),
                format!("after {kind} {id} 0"),
                format!("committed {kind} {id} {there}"),
            ];
            assert_eq!(journal.take(), expected);
        };
        let path = format!("/tickets/{}", ids[0]);
        api.delete(&path).await.ok();
        kinds(ids[0], false, "Delete").await;
        api.post(format!("{path}/restore"), &json!({})).await.ok();
        kinds(ids[0], true, "Restore").await;
        api.delete(&path).await.ok();
        kinds(ids[0], false, "Delete").await;
        api.delete(format!("{path}/permanent")).await.ok();
        kinds(ids[0], false, "Purge").await;
        tickets.delete_one(ids[1]).await.unwrap();
        kinds(ids[1], false, "Purge").await;

        for id in &ids[2..] {
            tickets.soft_delete(*id).await.unwrap();
        }
        journal.has(2, "committed Delete").await;
        journal.take();
        let both = json!({ "ids": &ids[2..] });
        assert_eq!(api.post("/tickets/restore", &both).await.ok()["restored"], 2);
        journal.has(2, "committed Restore").await;
        assert_eq!(journal.take().iter().filter(|line| line.starts_with("after Restore")).count(), 2);
        for id in &ids[2..] {
            tickets.soft_delete(*id).await.unwrap();
        }
        journal.has(2, "committed Delete").await;
        journal.take();
        assert_eq!(api.delete("/tickets/deleted?all=true").await.ok()["deleted"], 2);
        journal.has(2, "committed Purge").await;
        assert_eq!(tickets.count(Select::all()).await.unwrap(), 0);
    });
}

#[test]
fn bulk_change_that_a_hook_refuses_changes_nothing() {
    on_each(async |api, app, journal| {
        let tickets = app.store::<Ticket>();
        let kept = tickets.create(new("a")).await.unwrap().id;
        let other = tickets.create(new("b")).await.unwrap().id;
        for id in [kept, other] {
            tickets.soft_delete(id).await.unwrap();
        }
        tickets.update(kept, TicketPatch::default().title("kept")).await.unwrap();
        let refused = api.delete("/tickets/deleted?all=true").await.problem("conflict");
        assert_eq!(refused.detail, "kept");
        journal.has(0, "committed Purge").await;
        assert_eq!(api.post("/tickets/restore?all=true", &json!(null)).await.status(), 422);
        assert_eq!(tickets.restore_all().await.unwrap(), 2);
    });
}

#[test]
fn missing_records_and_wrong_states_are_reported_before_a_hook_runs() {
    on_each(async |api, app, journal| {
        let id = app.store::<Ticket>().create(new("a")).await.unwrap().id;
        journal.wait(&format!("committed Create {id} true")).await;
        journal.take();
        api.patch("/tickets/99", &json!({ "title": "bad" })).await.problem("not_found");
        api.delete("/tickets/99").await.problem("not_found");
        api.post(format!("/tickets/{id}/restore"), &json!({})).await.problem("not_deleted");
        let stale = api.patch(format!("/tickets/{id}"), &json!({ "title": "bad" })).header("if-match", "\"other\"");
        stale.await.problem("precondition_failed");
        assert_eq!(journal.take(), [""; 0]);
        let etag = api.get(format!("/tickets/{id}")).await.etag();
        let fresh = api.patch(format!("/tickets/{id}"), &json!({ "title": "b" })).header("if-match", &etag);
        assert_eq!(fresh.await.ok()["title"], "b");
    });
}

/// A desk, whose hooks both find errors.
#[derive(Debug, Clone, Resource)]
#[crud(hooks(before(name_desk), validate(check_desk)))]
struct Desk {
    id: i64,
    room: String,
    seats: i32,
}

fn check_desk(changeset: &mut Changeset<'_, Desk>) {
    let fields = Desk::FIELDS;
    if changeset.get(fields.seats) == Some(0) {
        changeset.add_error(fields.seats, "seats", "must be at least one");
    }
    if changeset.previous().is_some() && changeset.changed(fields.room) {
        changeset.add_record_error("moved", "stays in its room");
    }
    if changeset.get(fields.room).as_deref() == Some("set") {
        changeset.set(fields.seats, 1);
    }
}

async fn name_desk(changeset: &mut Changeset<'_, Desk>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    let room = changeset.get(Desk::FIELDS.room).unwrap_or_default();
    if room.is_empty() || changeset.operation() == Operation::Delete {
        changeset.add_error(Desk::FIELDS.room, "room", "must have a desk");
    }
    Ok(())
}

#[test]
fn errors_of_before_and_of_validate_are_one_answer() {
    on_each_transactional_backend(async |database| {
        let test = database.service().await.resource::<Desk>().test().await.expect("the tables");
        let errors = |problem: &Value| -> Vec<[String; 2]> {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let errors = problem["errors"].as_array().expect("errors").iter();
            errors.map(|error| [text(&error["pointer"]), text(&error["code"])]).collect()
        };
        let at = |pointer: &str, code: &str| [pointer.to_owned(), code.to_owned()];
        let both = test.post("/desks", json!({ "room": "", "seats": 0 })).await.problem("validation_failed");
        assert_eq!(errors(&both), [at("/room", "room"), at("/seats", "seats")]);
        let desk = test.post("/desks", json!({ "room": "a", "seats": 1 })).await.expect(201).json();
        let path = format!("/desks/{}", desk["id"]);
        let moved = test.patch(&path, json!({ "room": "b", "seats": 0 })).await.problem("validation_failed");
        assert_eq!(errors(&moved), [at("/seats", "seats"), at("", "moved")]);
        let kept = test.delete(&path).await.problem("validation_failed");
        assert_eq!(errors(&kept), [at("/room", "room")]);
    });
}

#[test]
fn check_that_sets_a_field_is_refused() {
    on_each_transactional_backend(async |database| {
        let test = database.service().await.resource::<Desk>().test().await.expect("the tables");
        test.post("/desks", json!({ "room": "set", "seats": 4 })).await.problem("internal");
        let error = test.store::<Desk>().create(NewDesk::new("set", 4)).await.unwrap_err();
        assert!(format!("{error:?}").contains("check_desk sets `seats`, and a check sets no fields"), "{error:?}");
    });
}

#[test]
fn records_of_other_owners_are_not_found_whatever_the_hooks_say() {
    on_each_transactional_backend(async |database| {
        let journal = Journal::default();
        let auth = Auth::builder().secret(SECRET).build().unwrap();
        let service = database.service().await.extension(journal.clone()).auth(auth).resource::<Note>();
        let api = Api::start(database, service.migrate().await.unwrap()).await;
        let (ada, bob) = (bearer("ada", &[]), bearer("bob", &[]));
        let note = api.post("/notes", &json!({ "text": "a" })).header("authorization", &ada).await.created();
        assert_eq!(journal.take(), ["before Create by ada"]);
        let path = format!("/notes/{}", note["id"]);
        let refused = json!({ "text": "refused" });
        api.patch(&path, &refused).header("authorization", &bob).await.problem("not_found");
        api.delete(&path).header("authorization", &bob).await.problem("not_found");
        assert_eq!(journal.take(), [""; 0]);
        api.patch(&path, &refused).header("authorization", &ada).await.problem("validation_failed");
        assert_eq!(journal.take(), ["before Update by ada"]);
        api.stop().await;
    });
}

#[test]
fn missing_extension_is_an_internal_error() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Ticket>().resource::<Part>().migrate().await.unwrap();
        let error = service.app().store::<Ticket>().create(new("a")).await.unwrap_err();
        assert!(format!("{error:?}").contains("Service::extension"), "{error:?}");
        assert_eq!(problem(Err::<(), _>(error)).code(), Code::Internal);
    });
}

/// A reader, whose address is unique in any case.
#[derive(Debug, Clone, Resource)]
#[crud(upsert(email), hooks(before(lower)))]
struct Reader {
    id: i64,
    #[crud(unique, validate(email))]
    email: String,
}

async fn lower(changeset: &mut Changeset<'_, Reader>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    if changeset.changed(Reader::FIELDS.email) && matches!(changeset.operation(), Operation::Create | Operation::Update)
    {
        let email = changeset.get(Reader::FIELDS.email).unwrap_or_default();
        changeset.set(Reader::FIELDS.email, email.to_lowercase());
    }
    Ok(())
}

#[test]
fn hook_that_keeps_text_in_lower_case_makes_it_unique_in_any_case() {
    on_each_transactional_backend(async |database| {
        let test = database.service().await.resource::<Reader>().test().await.unwrap();
        let body = |email: &str| json!({ "email": email });
        test.post("/readers", body("Ann@X.org")).await.expect(201);
        assert_eq!(test.get("/readers/1").await.expect(200).json()["email"], "ann@x.org");
        test.post("/readers", body("ANN@x.org")).await.problem("conflict");
        let bob = test.post("/readers", body("bob@x.org")).await.expect(201).json()["id"].clone();
        test.patch(format!("/readers/{bob}"), body("aNN@x.org")).await.problem("conflict");
        test.patch("/readers/1", body("ANN@X.ORG")).await.expect(200);
        test.post("/readers?on_conflict=email", body("ann@x.org")).await.expect(200);
    });
}
