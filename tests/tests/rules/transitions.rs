use crud_runtime::Error;
use crud_runtime::auth::Auth;
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_tests::fixtures::id;
use crud_tests::{Api, Database, on_each_backend, on_each_transactional_backend};
use serde_json::{Value, json};

use crate::caller::{SECRET, bearer};

/// The state of an article.
#[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
enum Status {
    Draft,
    InReview,
    Published,
    Archived,
}

/// An article, from its draft to the archive.
#[derive(Debug, Clone, Resource)]
#[crud(audit, soft_delete, batch, filter)]
struct Article {
    id: i64,
    title: String,
    #[crud(
        default(Status::Draft),
        transitions(
            submit(Draft, InReview),
            send_back(InReview, Draft),
            publish(any(Draft, InReview), Published, role("editor")),
            archive(any(Draft, Published), Archived)
        )
    )]
    status: Status,
    deleted_at: Option<DateTime<Utc>>,
}

/// A task whose state the routes alone change, in batches whose items fail alone.
#[derive(Debug, Clone, Resource)]
#[crud(batch(mode(partial)))]
struct Task {
    id: i64,
    #[crud(rename = "state", default(Step::Open), transitions(finish(Open, Done), reopen(Done, Open)))]
    step: Step,
    note: Option<String>,
}

/// A flight, which is created and changed with its checklist.
#[derive(Debug, Clone, Resource)]
#[crud(has_many(checklist(Check::flight_id, nested)))]
struct Flight {
    id: i64,
    note: Option<String>,
    #[crud(default(Step::Open), transitions(finish(Open, Done)))]
    step: Step,
}

/// An item of a flight's checklist.
#[derive(Debug, Clone, Resource)]
struct Check {
    id: i64,
    text: String,
    #[crud(references(Flight, on_delete(cascade)))]
    flight_id: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
enum Step {
    Open,
    Done,
}

/// An order whose hook drives its state.
#[derive(Debug, Clone, Resource)]
#[crud(hooks(before(drive)))]
struct Order {
    id: i64,
    note: String,
    #[crud(default(Step::Open), transitions(finish(Open, Done)))]
    step: Step,
}

async fn drive(changeset: &mut Changeset<'_, Order>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    match changeset.get(Order::FIELDS.note).as_deref() {
        Some("done") => changeset.set(Order::FIELDS.step, Step::Done),
        Some("open") => changeset.set(Order::FIELDS.step, Step::Open),
        _ => {}
    }
    Ok(())
}

async fn resources(database: &Database) -> Service {
    database.service().await.resource::<Article>().resource::<Task>()
}

/// A service whose transitions everyone may make.
async fn service(database: &Database) -> Service {
    resources(database).await.without_auth().migrate().await.expect("the tables")
}

fn on_each(test: impl AsyncFn(&Api, &App, &Database) + Copy) {
    on_each_backend(async |database| {
        let service = service(database).await;
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api, &app, database).await;
        api.stop().await;
    });
}

async fn article(api: &Api) -> String {
    format!("/articles/{}", api.post("/articles", &json!({ "title": "a" })).await.created()["id"])
}

fn problem<T: std::fmt::Debug>(result: Result<T, Error>) -> Problem {
    match result.unwrap_err() {
        Error::Problem(problem) => problem,
        error => panic!("{error:?}"),
    }
}

#[test]
fn route_changes_the_state_and_other_fields() {
    on_each(async |api, _, _| {
        let path = article(api).await;
        assert_eq!(api.post(format!("{path}/submit"), &json!({})).await.ok()["status"], "in_review");
        let published = api.post(format!("{path}/publish"), &json!({ "title": "b", "status": "published" })).await.ok();
        assert_eq!((&published["status"], &published["title"]), (&json!("published"), &json!("b")));
        let empty = api.request(reqwest::Method::POST, format!("{path}/archive")).await;
        let etag = empty.etag();
        let archived = empty.ok();
        assert_eq!(archived["status"], "archived");
        assert_eq!(api.get(&path).await.etag(), etag);
        let history = api.get(format!("{path}/history")).await.ok();
        let actions: Vec<&Value> = history["data"].as_array().unwrap().iter().map(|entry| &entry["action"]).collect();
        assert_eq!(actions, ["create", "update", "update", "update"]);
        assert_eq!(history["data"][1]["changes"], json!({ "status": "in_review" }));
    });
}

#[test]
fn illegal_transition_names_the_legal_ones() {
    on_each(async |api, app, _| {
        let path = article(api).await;
        let refused = api.post(format!("{path}/send_back"), &json!({})).await.problem("illegal_transition");
        let error = refused.only();
        assert_eq!((error.at.as_str(), error.code.as_str()), ("pointer /status", "transition"));
        assert_eq!(error.allowed, ["submit", "publish", "archive"]);
        assert_eq!(api.patch(&path, &json!({ "status": "archived" })).await.ok()["status"], "archived");
        let body = json!({ "status": "draft", "title": "b" });
        let refused = api.patch(&path, &body).await.problem("illegal_transition");
        assert!(refused.detail.contains("`archived`") && refused.detail.contains("`draft`"), "{refused}");
        assert_eq!(api.get(&path).await.ok()["title"], "a");
        // The current state is no change; its route is illegal.
        let kept = json!({ "status": "archived", "title": "b" });
        assert_eq!(api.put(&path, &kept).await.ok()["title"], "b");
        api.post(format!("{path}/archive"), &json!({})).await.problem("illegal_transition");
        let number: i64 = path.rsplit('/').next().unwrap().parse().unwrap();
        let patch = ArticlePatch::default().status(Status::Draft);
        let refused = problem(app.store::<Article>().update(number, patch).await);
        assert_eq!((refused.code(), refused.errors()[0].code()), (Code::IllegalTransition, "transition"));
    });
}

#[test]
fn route_leaves_its_own_states_alone() {
    on_each(async |api, _, _| {
        let path = article(api).await;
        let body = json!({ "status": "archived" });
        let refused = api.post(format!("{path}/publish"), &body).await.problem("validation_failed");
        assert_eq!(refused.only().at, "pointer /status");
        let other = json!({ "id": 99 });
        assert_eq!(
            api.post(format!("{path}/publish"), &other).await.problem("validation_failed").only().at,
            "pointer /id"
        );
        api.post("/articles/99/publish", &json!({})).await.problem("not_found");
        api.post(format!("{path}/publish"), &json!({ "titel": "b" })).await.problem("validation_failed");
        api.post(format!("{path}/unknown"), &json!({})).await.problem("route_not_found");
        let wrong = api.get(format!("{path}/publish")).await.expect(405);
        assert_eq!(wrong.allow(), ["OPTIONS", "POST"]);
        assert_eq!(api.get(&path).await.ok()["status"], "draft");
    });
}

#[test]
fn if_match_is_checked_with_the_state() {
    on_each(async |api, _, _| {
        let path = article(api).await;
        let etag = api.get(&path).await.etag();
        api.patch(&path, &json!({ "title": "b" })).await.ok();
        let stale = api.post(format!("{path}/publish"), &json!({})).header("if-match", &etag);
        stale.await.problem("precondition_failed");
        let etag = api.get(&path).await.etag();
        api.post(format!("{path}/publish"), &json!({})).header("if-match", &etag).await.ok();
    });
}

#[test]
fn new_record_is_in_the_initial_state() {
    on_each(async |api, app, _| {
        let body = json!({ "title": "a", "status": "published" });
        let refused = api.post("/articles", &body).await.problem("validation_failed");
        assert_eq!((refused.only().at.as_str(), refused.only().code.as_str()), ("pointer /status", "transition"));
        let body = json!({ "title": "a", "status": "draft" });
        assert_eq!(api.post("/articles", &body).await.created()["status"], "draft");
        let refused = problem(app.store::<Article>().create(NewArticle::new("a").status(Status::Published)).await);
        assert_eq!((refused.code(), refused.errors()[0].code()), (Code::ValidationFailed, "transition"));
        let tasks = [NewTask::new(), NewTask::new().step(Step::Done)];
        let made = app.store::<Task>().create_batch(tasks).await.unwrap();
        assert_eq!((made.items.len(), made.errors[0].index), (1, 1));
        let items = json!({ "items": [{ "note": "a" }, { "state": "Done" }] });
        let answer = api.post("/tasks/batch", &items).await.expect(207).into_json();
        assert_eq!(
            answer["errors"][0]["errors"][0],
            json!({
                "pointer": "/state", "code": "transition", "detail": "must be `Open` in a new record",
            })
        );
    });
}

#[test]
fn batches_obey_the_transitions() {
    on_each(async |api, app, database| {
        let tasks = app.store::<Task>();
        let one = tasks.create(NewTask::new()).await.unwrap().id;
        let two = tasks.create(NewTask::new()).await.unwrap().id;
        let items = json!({ "items": [{ "id": one, "state": "Done" }, { "id": two, "note": "b", "state": "Open" }] });
        assert_eq!(api.put("/tasks/batch", &items).await.ok()["updated"], 2);
        // `one` is done now: its state in the body is no change.
        let reopened = json!({ "items": [{ "id": one, "state": "Done" }, { "id": two, "state": "Done" }] });
        assert_eq!(api.put("/tasks/batch", &reopened).await.ok()["updated"], 2);
        let article = json!({ "title": "a" });
        let ids = [
            api.post("/articles", &article).await.created()["id"].clone(),
            api.post("/articles", &article).await.created()["id"].clone(),
        ];
        if !database.backend().speaks_sql() {
            return; // An atomic batch needs transactions.
        }
        let items = json!({ "items": [
            { "id": ids[0], "status": "published" },
            { "id": ids[1], "status": "archived" },
        ] });
        api.put("/articles/batch", &items).await.ok();
        let items = json!({ "items": [
            { "id": ids[0], "status": "archived" },
            { "id": ids[1], "status": "draft" },
        ] });
        let refused = api.put("/articles/batch", &items).await.problem("illegal_transition");
        assert_eq!(refused.items(), [(1, "/status")]);
        assert_eq!(api.get(format!("/articles/{}", ids[0])).await.ok()["status"], "published");
        // A restored record is in the state that it was in.
        api.delete(format!("/articles/{}", ids[1])).await.ok();
        let restored = api.post(format!("/articles/{}/restore", ids[1]), &json!({})).await.ok();
        assert_eq!(restored["status"], "archived");
    });
}

#[test]
fn one_of_two_racers_makes_the_transition() {
    on_each(async |api, _, _| {
        for _ in 0..5 {
            let path = article(api).await;
            let (publish, archive) = (format!("{path}/publish"), format!("{path}/publish"));
            let body = json!({});
            let (one, two) =
                tokio::join!(async { api.post(publish, &body).await }, async { api.post(archive, &body).await });
            let mut statuses = [one.status(), two.status()];
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 409]);
        }
    });
}

#[test]
fn access_of_a_transition_binds_its_route_and_every_update() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).build().unwrap();
        let service = resources(database).await.auth(auth).migrate().await.unwrap();
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let (writer, editor) = (bearer("1", &[]), bearer("2", &["editor"]));
        let new = json!({ "title": "a" });
        let article = api.post("/articles", &new).header("authorization", &writer).await.created();
        let path = format!("/articles/{}", article["id"]);
        let (publish, published) = (format!("{path}/publish"), json!({ "status": "published" }));
        api.post(&publish, &json!({})).await.problem("authentication_failed");
        api.post(&publish, &json!({})).header("authorization", &writer).await.problem("permission_denied");
        api.patch(&path, &published).header("authorization", &writer).await.problem("permission_denied");
        let items = json!({ "items": [{ "id": article["id"], "status": "published" }] });
        api.put("/articles/batch", &items).header("authorization", &writer).await.problem("permission_denied");
        // Another transition is that of every update.
        api.post(format!("{path}/submit"), &json!({})).header("authorization", &writer).await.ok();
        assert_eq!(api.post(&publish, &json!({})).header("authorization", &editor).await.ok()["status"], "published");
        // The current state is no transition.
        api.patch(&path, &published).header("authorization", &writer).await.ok();
        // The program itself has no roles.
        let other = app.store::<Article>().create(NewArticle::new("b")).await.unwrap();
        let patch = ArticlePatch::default().status(Status::Published);
        assert_eq!(app.store::<Article>().update(other.id, patch).await.unwrap().status, Status::Published);
        api.stop().await;
    });
}

/// A page that only editors change, and every user publishes.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated), update(role("editor"))))]
struct Page {
    id: i64,
    text: String,
    #[crud(read_only, default(Step::Open), transitions(finish(Open, Done, authenticated)))]
    step: Step,
}

#[test]
fn other_fields_on_the_route_need_the_access_of_an_update() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).build().unwrap();
        let service = database.service().await.auth(auth).resource::<Page>().migrate().await.unwrap();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let (reader, editor) = (bearer("1", &[]), bearer("2", &["editor"]));
        let page = api.post("/pages", &json!({ "text": "a" })).header("authorization", &editor).await.created();
        let path = format!("/pages/{}", page["id"]);
        let ignored = api.patch(&path, &json!({ "step": "Done" })).header("authorization", &editor).await.ok();
        assert_eq!(ignored["step"], "Open", "the route alone changes it");
        let finish = format!("{path}/finish");
        let more = json!({ "text": "b" });
        api.post(&finish, &more).header("authorization", &reader).await.problem("permission_denied");
        assert_eq!(api.post(&finish, &json!({})).header("authorization", &reader).await.ok()["step"], "Done");
        api.stop().await;
    });
}

#[test]
fn hook_that_sets_a_state_obeys_the_transitions() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Order>().migrate().await.unwrap();
        let app = service.app();
        let api = Api::start(database, service).await;
        let order = app.store::<Order>().create(NewOrder::new("a")).await.unwrap();
        let path = format!("/orders/{}", order.id);
        assert_eq!(api.patch(&path, &json!({ "note": "done" })).await.ok()["step"], "Done");
        let refused = api.patch(&path, &json!({ "note": "open" })).await.problem("illegal_transition");
        assert_eq!(refused.only().at, "pointer /step");
        api.post("/orders", &json!({ "note": "done" })).await.problem("validation_failed");
        let made = api.post("/orders", &json!({ "note": "b" })).await.created();
        api.post(format!("/orders/{}/finish", id(&made)), &json!({})).await.ok();
        api.post(format!("/orders/{}/finish", id(&made)), &json!({})).await.problem("illegal_transition");
        api.stop().await;
    });
}

/// A booking that the room's rule approves at once, or puts on a list.
#[derive(Debug, Clone, Resource)]
#[crud(batch, import, upsert(guest), hooks(before(admit)))]
struct Booking {
    id: i64,
    #[crud(unique, length(max = 20))]
    guest: String,
    #[crud(
        default(Wish::Requested),
        transitions(
            initial(Requested, Approved),
            approve(any(Requested, Listed), Approved),
            enlist(Requested, Listed)
        )
    )]
    wish: Wish,
}

#[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
enum Wish {
    Requested,
    Approved,
    Listed,
}

async fn admit(changeset: &mut Changeset<'_, Booking>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    if changeset.operation() == Operation::Create {
        match changeset.get(Booking::FIELDS.guest).as_deref() {
            Some("ann") => changeset.set(Booking::FIELDS.wish, Wish::Approved),
            Some("late") => changeset.set(Booking::FIELDS.wish, Wish::Listed),
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn program_gives_a_new_record_one_of_the_initial_states_and_a_client_the_default() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Booking>().migrate().await.unwrap();
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        assert_eq!(api.post("/bookings", &json!({ "guest": "ann" })).await.created()["wish"], "Approved");
        assert_eq!(api.post("/bookings", &json!({ "guest": "bob" })).await.created()["wish"], "Requested");
        let refused = api.post("/bookings", &json!({ "guest": "late" })).await.problem("validation_failed");
        assert_eq!((refused.only().at.as_str(), refused.only().code.as_str()), ("pointer /wish", "transition"));
        assert!(refused.only().detail.contains("must be `Requested` or `Approved`"), "{refused}");
        // A client sends the default alone, by each road.
        let approved = json!({ "guest": "eve", "wish": "Approved" });
        let refused = api.post("/bookings", &approved).await.problem("validation_failed");
        assert!(refused.only().detail.contains("must be `Requested` in a new record"), "{refused}");
        api.post("/bookings/batch", &json!({ "items": [approved] })).await.problem("validation_failed");
        api.post("/bookings?on_conflict=guest", &approved).await.problem("validation_failed");
        let file =
            api.request(reqwest::Method::POST, "/bookings/import").body("text/csv", "guest,wish\neve,Approved\n");
        file.await.problem("validation_failed");
        let sent = api.post("/bookings", &json!({ "guest": "eve", "wish": "Requested" })).await.created();
        assert_eq!(sent["wish"], "Requested");
        // The program's own code gives either.
        let bookings = app.store::<Booking>();
        let made = bookings.create(NewBooking::new("dan").wish(Wish::Approved)).await.unwrap();
        assert_eq!(made.wish, Wish::Approved);
        let refused = problem(bookings.create(NewBooking::new("fay").wish(Wish::Listed)).await);
        assert_eq!((refused.code(), refused.errors()[0].code()), (Code::ValidationFailed, "transition"));
        // From there, transitions alone lead on.
        let path = format!("/bookings/{}", made.id);
        api.put(&path, &json!({ "wish": "Requested" })).await.problem("illegal_transition");
        let document = api.get("/openapi.json").await.ok();
        let new = &document["components"]["schemas"]["BookingCreate"]["properties"]["wish"];
        assert_eq!(new["enum"], json!(["Requested"]));
        api.stop().await;
    });
}

#[test]
fn document_has_each_transition() {
    on_each_transactional_backend(async |database| {
        let api = Api::start(database, service(database).await).await;
        let document = api.get("/openapi.json").await.ok();
        let publish = &document["paths"]["/articles/{id}/publish"]["post"];
        assert_eq!(publish["operationId"], "publishArticle");
        for status in ["200", "404", "409", "412", "422"] {
            assert!(publish["responses"][status].is_object(), "{status}");
        }
        assert_eq!(document["paths"]["/articles/{id}/send_back"]["post"]["operationId"], "sendBackArticle");
        let status = &document["components"]["schemas"]["Article"]["properties"]["status"];
        let description = status["description"].as_str().unwrap();
        assert!(description.contains("`publish` from `draft` or `in_review` to `published`"), "{description}");
        let new = &document["components"]["schemas"]["ArticleCreate"]["properties"]["status"];
        assert_eq!(new["enum"], json!(["draft"]));
        api.stop().await;
    });
}

#[test]
fn document_has_the_fields_that_a_transition_takes() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Flight>().resource::<Check>();
        let api = Api::start(database, service.without_auth().migrate().await.expect("the tables")).await;
        let document = api.get("/openapi.json").await.ok();
        let finish = &document["paths"]["/flights/{id}/finish"]["post"]["requestBody"]["content"]["application/json"];
        assert_eq!(finish["schema"]["$ref"], "#/components/schemas/FlightTransition");
        let schema = &document["components"]["schemas"]["FlightTransition"];
        let fields: Vec<&str> = schema["properties"].as_object().expect("fields").keys().map(String::as_str).collect();
        assert_eq!((fields, &schema["additionalProperties"]), (vec!["id", "note"], &json!(false)));
        let flight = api.post("/flights", &json!({ "note": "a" })).await.created();
        let finish = format!("/flights/{}/finish", flight["id"]);
        let nested = json!({ "checklist": [{ "text": "b" }] });
        api.post(finish.as_str(), &nested).await.problem("validation_failed");
        assert_eq!(api.post(finish.as_str(), &json!({ "note": "c" })).await.ok()["note"], "c");
        api.stop().await;
    });
}
