//! Linked records: labels of issues by a junction whose key is the pair, and watchers by one with a separate key.

use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_tests::fixtures::{column, create_all};
use crud_tests::{Answer, Api, Client, on_each_backend, on_each_sql_backend, on_each_transactional_backend, query};
use serde_json::{Value, json};

/// An issue.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(title),
    pagination,
    audit,
    batch,
    idempotency,
    has_many(tags(IssueLabel::issue_id)),
    many_to_many(
        labels(IssueLabel, limit = 2),
        watchers(Watch::issue_id, Watch::person_id),
        votes(Vote, limit = 5),
        parts(Part::whole_id, Part::part_id)
    )
)]
pub(crate) struct Issue {
    pub(crate) id: i64,
    pub(crate) title: String,
}

/// A label.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), soft_delete)]
pub(crate) struct Label {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) deleted_at: Option<DateTime<Utc>>,
}

/// A label of an issue.
#[derive(Debug, Clone, Resource)]
#[crud(filter(label::name), audit)]
pub(crate) struct IssueLabel {
    #[crud(id, references(Issue))]
    pub(crate) issue_id: i64,
    #[crud(id, references(Label))]
    pub(crate) label_id: i64,
}

/// A person.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name))]
struct Person {
    #[crud(id)]
    login: String,
    name: String,
}

/// A person who watches an issue, or is asked to by another one.
#[derive(Debug, Clone, Resource)]
#[crud(unique(issue_id, person_id), hooks(before(may_watch)))]
struct Watch {
    id: Uuid,
    #[crud(references(Issue))]
    issue_id: i64,
    #[crud(references(Person))]
    person_id: String,
    #[crud(references(Person))]
    asked_by: Option<String>,
    #[crud(created_at)]
    since: DateTime<Utc>,
}

#[allow(clippy::unused_async, reason = "a hook is async")]
async fn may_watch(change: &mut Changeset<'_, Watch>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    match change.get(Watch::FIELDS.person_id).as_deref() {
        Some("eve") if change.operation() == Operation::Create => {
            Err(Problem::new(Code::Conflict, "eve watches nothing"))
        }
        _ => Ok(()),
    }
}

/// A vote of a person, which stays when it is withdrawn.
#[derive(Debug, Clone, Resource)]
#[crud(unique(issue_id, person_id, among(active)), soft_delete)]
struct Vote {
    id: i64,
    #[crud(references(Issue))]
    issue_id: i64,
    #[crud(references(Person))]
    person_id: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// An issue that is a part of another one.
#[derive(Debug, Clone, Resource)]
#[crud(default_sort(desc(part_id)))]
struct Part {
    #[crud(id, references(Issue, on_delete(cascade)))]
    whole_id: i64,
    #[crud(id, references(Issue, on_delete(cascade)))]
    part_id: i64,
}

fn tracker(service: Service) -> Service {
    let service = service.resource::<Issue>().resource::<Label>().resource::<IssueLabel>().resource::<Person>();
    service.resource::<Watch>().resource::<Vote>().resource::<Part>()
}

/// Two issues, the labels `bug`, `ui` and `old`, and three people.
async fn fill(api: &Client) {
    create_all(api, "/issues", ["first", "second"].map(|title| json!({ "title": title }))).await;
    create_all(api, "/labels", ["bug", "ui", "old"].map(|name| json!({ "name": name }))).await;
    let people = ["ann", "bob", "eve"].map(|login| json!({ "login": login, "name": login.to_uppercase() }));
    create_all(api, "/people", people).await;
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each(test: impl AsyncFn(&Api)) {
    on_each_transactional_backend(async |database| {
        let service = tracker(database.service().await).migrate().await.expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        fill(&api).await;
        test(&api).await;
        api.stop().await;
    });
}

fn ids(ids: impl Into<Value>) -> Value {
    json!({ "ids": ids.into() })
}

/// The keys of a set.
fn keys(set: &Value) -> Vec<Value> {
    let key = if set["data"][0].get("login").is_some() { "login" } else { "id" };
    column(set, key)
}

#[test]
fn set_is_replaced_added_to_and_read() {
    on_each(async |api| {
        assert_eq!(api.get("/issues/1/labels").await.ok(), json!({ "data": [], "limit": 1000, "more": false }));
        let set = api.put("/issues/1/labels", &ids([2, 1])).await.ok();
        assert_eq!(column(&set, "name"), ["bug", "ui"], "in the order of their keys");
        assert_eq!(api.get("/issues/1/labels").await.ok(), set);
        let set = api.put("/issues/1/labels", &ids([3, 1])).await.ok();
        assert_eq!(column(&set, "name"), ["bug", "old"]);
        let set = api.post("/issues/1/labels", &ids([2, 3])).await.ok();
        assert_eq!(keys(&set), [1, 2, 3], "one that is linked already stays so");
        assert_eq!(api.post("/issues/1/labels", &ids([2])).await.ok(), set);
        assert_eq!(keys(&api.get("/issues/2/labels").await.ok()), [0; 0]);
        assert_eq!(api.get("/issue_labels").await.ok().as_array().map(Vec::len), Some(3));

        let set = api.delete("/issues/1/labels/2").await.ok();
        assert_eq!(keys(&set), [1, 3]);
        api.delete("/issues/1/labels/2").await.problem("not_found");
        assert_eq!(keys(&api.put("/issues/1/labels", &ids(json!([]))).await.ok()), [0; 0]);
        let minimal = api.put("/issues/1/labels", &ids([1])).header("prefer", "return=minimal").await.expect(204);
        assert_eq!(minimal.etag(), api.get("/issues/1/labels").await.etag());
    });
}

#[test]
fn junction_with_a_key_of_its_own_links_by_its_two_references() {
    on_each(async |api| {
        let set = api.put("/issues/1/watchers", &ids(["bob", "ann"])).await.ok();
        assert_eq!(keys(&set), ["ann", "bob"]);
        let first = api.get("/watches").await.ok();
        api.put("/issues/1/watchers", &ids(["bob", "ann"])).await.ok();
        assert_eq!(api.get("/watches").await.ok(), first, "what is linked already is not linked anew");
        assert_eq!(keys(&api.delete("/issues/1/watchers/ann").await.ok()), ["bob"]);
        // A vote that was withdrawn can be cast again.
        for _ in 0..2 {
            assert_eq!(keys(&api.post("/issues/1/votes", &ids(["ann"])).await.ok()), ["ann"]);
            assert_eq!(keys(&api.delete("/issues/1/votes/ann").await.ok()), [""; 0]);
        }
        // Issues of issues, in the order of the junction's lists.
        let parts = create_all(api, "/issues", ["a", "b"].map(|title| json!({ "title": title }))).await;
        let set = api.put("/issues/1/parts", &ids([parts[0]["id"].clone(), parts[1]["id"].clone()])).await.ok();
        assert_eq!(column(&set, "title"), ["b", "a"]);
        assert_eq!(keys(&api.get(format!("/issues/{}/parts", parts[0]["id"])).await.ok()), [0; 0]);
    });
}

#[test]
fn set_changes_if_it_is_the_version_that_the_client_has_read() {
    on_each(async |api| {
        let read = api.get("/issues/1/labels").await.etag();
        let changed = api.put("/issues/1/labels", &ids([1])).header("if-match", &read).await.expect(200);
        let other = api.put("/issues/1/labels", &ids([2])).header("if-match", &read).await;
        other.problem("precondition_failed");
        api.post("/issues/1/labels", &ids([2])).header("if-match", &read).await.problem("precondition_failed");
        api.delete("/issues/1/labels/1").header("if-match", &read).await.problem("precondition_failed");
        assert_eq!(keys(&api.get("/issues/1/labels").await.ok()), [1]);
        let current = api.get("/issues/1/labels").await.etag();
        assert_eq!(current, changed.etag());
        let unchanged = api.get("/issues/1/labels").header("if-none-match", &current).await.expect(304);
        assert_eq!(unchanged.etag(), current);
        api.post("/issues/1/labels", &ids([2])).header("if-match", &current).await.ok();
        api.delete("/issues/1/labels/1").header("if-match", "*").await.ok();
        // The version of the record is another one.
        let record = api.get("/issues/1").await.etag();
        api.put("/issues/1/labels", &ids([1, 2, 3])).await.ok();
        assert_eq!(api.get("/issues/1").await.etag(), record);
    });
}

#[test]
fn two_clients_that_each_add_a_label_both_succeed() {
    on_each(async |api| {
        for round in 0..4 {
            let add = async |label: i64| api.post("/issues/1/labels", &ids([label])).await;
            let (one, other, same) = tokio::join!(add(1), add(2), add(2));
            for answer in [one, other, same] {
                answer.ok();
            }
            assert_eq!(keys(&api.get("/issues/1/labels").await.ok()), [1, 2], "round {round}");
            let replace = async |labels: Vec<i64>| api.put("/issues/1/labels", &ids(labels)).await;
            let (one, other) = tokio::join!(replace(vec![3]), replace(vec![1, 3]));
            let (one, other) = (one.ok(), other.ok());
            let left = api.get("/issues/1/labels").await.ok();
            assert!(left == one || left == other, "{left} is neither {one} nor {other}");
            api.put("/issues/1/labels", &ids(json!([]))).await.ok();
        }
    });
}

#[test]
fn refused_change_of_a_set_leaves_it_as_it_is() {
    on_each(async |api| {
        let set = api.put("/issues/1/labels", &ids([1])).await.ok();
        let put = async |body: Value| api.put("/issues/1/labels", &body).await;
        let problem = put(ids([2, 99])).await.problem("reference_not_found");
        assert_eq!(problem.pointers(), ["/ids/1"]);
        let problem = api.post("/issues/1/labels", &ids([98, 2, 99])).await.problem("reference_not_found");
        assert_eq!(problem.pointers(), ["/ids/0", "/ids/2"]);
        for body in [json!({}), json!([1]), json!({ "ids": 1 }), ids(["a"]), ids([1, 1]), ids(json!([null]))] {
            put(body).await.problem("validation_failed");
        }
        put(json!({ "ids": [1], "items": [] })).await.problem("validation_failed");
        put(ids((0..1_001).collect::<Vec<_>>())).await.problem("batch_too_large");
        api.put("/issues/99/labels", &ids([1])).await.problem("not_found");
        api.get("/issues/99/labels").await.problem("not_found");
        api.get("/issues/1/labels?limit=1").await.problem("validation_failed");
        api.delete("/issues/1/labels/x").await.problem("validation_failed");
        // A deleted label is none.
        api.delete("/labels/3").await.ok();
        assert_eq!(put(ids([1, 3])).await.problem("reference_not_found").pointers(), ["/ids/1"]);
        assert_eq!(api.get("/issues/1/labels").await.ok(), set);
        // The hook of the junction refuses one of two: neither is linked.
        api.put("/issues/1/watchers", &ids(["ann"])).await.ok();
        let problem = api.put("/issues/1/watchers", &ids(["bob", "eve"])).await.problem("conflict");
        assert_eq!((problem.pointers(), problem.only().detail.as_str()), (vec!["/ids/1"], "eve watches nothing"));
        assert_eq!(keys(&api.get("/issues/1/watchers").await.ok()), ["ann"]);
        let log = api.get("/issues/1/history").await.ok();
        assert_eq!(column(&log, "action"), ["create", "link", "link"], "what is refused is in no log");
    });
}

#[test]
fn links_are_in_the_log_of_the_junction_and_of_the_record() {
    on_each(async |api| {
        let before = crud_tests::fixtures::now();
        api.put("/issues/1/labels", &ids([1, 2])).await.ok();
        api.put("/issues/1/labels", &ids([2, 3])).await.ok();
        api.post("/issues/1/labels", &ids([3])).await.ok();
        api.delete("/issues/1/labels/2").await.ok();
        let log = api.get("/issues/1/history").await.ok();
        assert_eq!(column(&log, "action"), ["create", "link", "unlink", "link", "unlink"]);
        let labels = |member: &str| column(&log, member).into_iter().map(|it| it["labels"].clone()).collect::<Vec<_>>();
        assert_eq!(labels("changes")[1], json!([1, 2]));
        assert_eq!(labels("previous")[2], json!([1]));
        assert_eq!(labels("changes")[3], json!([3]));
        assert_eq!(labels("previous")[4], json!([2]));
        let of_link = api.get("/issue_labels/1,2/history").await.ok();
        assert_eq!(column(&of_link, "action"), ["create", "delete"]);
        // The record is what it was, and so is its past.
        let issue = api.get("/issues/1").await.ok();
        api.patch("/issues/1", &json!({ "title": "renamed" })).await.ok();
        assert_eq!(api.get(query("/issues/1", [("as_of", before)])).await.ok(), issue);
        assert_eq!(api.get("/issues/1/history").await.ok().get("unlogged"), None);
    });
}

#[test]
fn conditions_lead_over_two_hops() {
    on_each(async |api| {
        api.put("/issues/1/labels", &ids([1, 2])).await.ok();
        api.put("/issues/2/labels", &ids([2])).await.ok();
        let titles = async |condition: Value| {
            let found = api.get(query("/issues", [("where", condition.to_string())])).await.ok();
            column(&found, "title")
        };
        for (name, expected) in [("bug", vec!["first"]), ("ui", vec!["first", "second"]), ("old", vec![])] {
            assert_eq!(titles(json!({ "labels": { "name": name } })).await, expected, "{name}");
            assert_eq!(titles(json!({ "tags": { "label": { "name": name } } })).await, expected, "{name}");
            assert_eq!(titles(json!({ "tags": { "label.name": name } })).await, expected, "{name}");
        }
        assert_eq!(titles(json!({ "not": { "labels": { "name": "bug" } } })).await, ["second"]);
        assert_eq!(titles(json!({ "labels": { "not": { "name": "ui" } } })).await, ["first"]);
        let both = json!({ "and": [{ "labels": { "name": "bug" } }, { "labels": { "name": "ui" } }] });
        assert_eq!(titles(both).await, ["first"]);
        assert_eq!(titles(json!({ "labels": { "name": "bug", "id": 2 } })).await, [""; 0], "one label satisfies all");
        api.delete("/labels/1").await.ok();
        assert_eq!(titles(json!({ "labels": { "name": "bug" } })).await, [""; 0], "a deleted one is none");
        let refused = api.get(query("/issues", [("where", r#"{"labels":{"nme":"x"}}"#)])).await;
        assert_eq!(refused.problem("validation_failed").only().code, "unknown_field");
        // A body of a search has them too.
        let body = json!({ "where": { "labels": { "name": "ui" } } });
        assert_eq!(api.post("/issues/search", &body).await.ok()["total"], 2);
    });
}

#[test]
fn expand_returns_the_first_linked_records_of_each() {
    on_each(async |api| {
        api.put("/issues/1/labels", &ids([1, 2, 3])).await.ok();
        if !api.backend().speaks_sql() {
            api.get("/issues?expand=labels").await.problem("unsupported_here");
            return;
        }
        api.put("/issues/1/watchers", &ids(["bob"])).await.ok();
        let list = api.get("/issues?expand=labels,watchers").await.ok();
        let first = &list["data"][0];
        assert_eq!(column(&first["labels"], "name"), ["bug", "ui"]);
        assert_eq!((&first["labels"]["limit"], &first["labels"]["more"]), (&json!(2), &json!(true)));
        assert_eq!(column(&first["watchers"], "name"), ["BOB"]);
        assert_eq!(list["data"][1]["labels"], json!({ "data": [], "limit": 2, "more": false }));
        assert_eq!(&api.get("/issues/1?expand=labels,watchers").await.ok(), first);
        // A record that was read can be written back, and links nothing.
        let written = api.put("/issues/1?expand=labels,watchers", first).await.ok();
        assert_eq!(&written, first);
        let refused = api.patch("/issues/1", &json!({ "labels": [1] })).await.problem("validation_failed");
        assert_eq!(
            refused.only().detail,
            "must be the records that `expand` returned: `PUT …/{id}/labels` links others"
        );
    });
}

#[test]
fn repeated_change_of_a_set_is_answered_as_the_first() {
    on_each(async |api| {
        let post = async |key: &str, label: i64| {
            api.post("/issues/1/labels", &ids([label])).header("idempotency-key", key).await
        };
        let first = post("a", 1).await;
        assert_eq!(first.etag(), api.get("/issues/1/labels").await.etag());
        api.delete("/issues/1/labels/1").await.ok();
        let replayed: Answer = post("a", 1).await;
        assert_eq!(replayed.require("idempotency-replayed"), "true");
        assert_eq!(replayed.ok(), first.ok());
        assert_eq!(keys(&api.get("/issues/1/labels").await.ok()), [0; 0]);
        assert_eq!(post("b", 99).await.problem("reference_not_found").pointers(), ["/ids/0"]);
    });
}

#[test]
fn repeated_change_of_a_large_set_is_answered_with_the_set() {
    on_each_transactional_backend(async |database| {
        let service = tracker(database.service().await).migrate().await.expect("the tables");
        let app = service.app();
        let api = Api::start(database, service).await;
        api.post("/issues", &json!({ "title": "first" })).await.created();
        // More than an answer that is stored.
        let labels = (0..500).map(|number| NewLabel::new(format!("{number:0200}")));
        let labels = app.store::<Label>().create_batch(labels).await.expect("the labels");
        let set: Vec<i64> = labels.items.iter().map(|label| label.id).collect();
        let put = async || api.put("/issues/1/labels", &ids(set.clone())).header("idempotency-key", "a").await;
        let first = put().await;
        assert_eq!(keys(first.json()), set);
        let replayed = put().await;
        assert_eq!(replayed.require("idempotency-replayed"), "true");
        assert_eq!(replayed.ok(), first.ok());
        let delete = async || api.delete(format!("/issues/1/labels/{}", set[0])).header("idempotency-key", "b").await;
        assert_eq!(keys(&delete().await.ok()), set[1..]);
        assert_eq!(keys(&delete().await.ok()), set[1..]);
        api.stop().await;
    });
}

/// The error with which a service does not start.
async fn start_error(service: Service) -> String {
    match service.migrate().await.and_then(Service::into_router) {
        Ok(_) => panic!("the service starts"),
        Err(error) => error.to_string(),
    }
}

/// A page of a book with several junctions that are none.
#[derive(Debug, Clone, Resource)]
#[crud(many_to_many(notes(Ambiguous)))]
struct AmbiguousPage {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct Ambiguous {
    id: i64,
    #[crud(references(AmbiguousPage))]
    page_id: i64,
    #[crud(references(Label))]
    label_id: i64,
    #[crud(references(Label))]
    other_id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(many_to_many(labels(Repeated)))]
struct RepeatedPage {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct Repeated {
    id: i64,
    #[crud(references(RepeatedPage))]
    page_id: i64,
    #[crud(references(Label))]
    label_id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(many_to_many(labels(Ranked)))]
struct RankedPage {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct Ranked {
    #[crud(id, references(RankedPage))]
    page_id: i64,
    #[crud(id, references(Label))]
    label_id: i64,
    rank: i32,
}

#[derive(Debug, Clone, Resource)]
#[crud(many_to_many(labels(Elsewhere)))]
struct LonePage {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct Elsewhere {
    #[crud(id, references(Issue))]
    issue_id: i64,
    #[crud(id, references(Label))]
    label_id: i64,
}

#[test]
fn junction_links_two_records_by_two_references() {
    on_each_sql_backend(async |database| {
        let service = async || database.service().await.resource::<Label>();
        let error = start_error(service().await.resource::<AmbiguousPage>().resource::<Ambiguous>()).await;
        assert!(error.contains("AmbiguousPage has `many_to_many(notes(Ambiguous))`"), "{error}");
        assert!(error.contains("`label_id` and `other_id`"), "{error}");
        assert!(error.contains("`notes(Ambiguous::…, Ambiguous::…)`"), "{error}");
        let error = start_error(service().await.resource::<RepeatedPage>().resource::<Repeated>()).await;
        assert!(error.contains("needs `unique(page_id, label_id)`"), "{error}");
        let error = start_error(service().await.resource::<RankedPage>().resource::<Ranked>()).await;
        assert!(error.contains("Ranked.rank is required"), "{error}");
        let error = start_error(service().await.resource::<LonePage>().resource::<Elsewhere>()).await;
        assert!(error.contains("no field of Elsewhere refers to LonePage"), "{error}");
        let error = start_error(service().await.resource::<RankedPage>()).await;
        assert!(error.contains("the service does not have Ranked"), "{error}");
    });
}

#[test]
fn storage_without_transactions_of_several_calls_refuses_links() {
    on_each_backend(async |database| {
        if database.backend().is_interactive() {
            return;
        }
        let service = database.service().await.resource::<PlainIssue>().resource::<Label>().resource::<PlainLabel>();
        let error = start_error(service).await;
        assert!(error.contains("`many_to_many(labels(PlainLabel))`") && error.contains("another database"), "{error}");
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(many_to_many(labels(PlainLabel)))]
struct PlainIssue {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct PlainLabel {
    #[crud(id, references(PlainIssue))]
    issue_id: i64,
    #[crud(id, references(Label))]
    label_id: i64,
}

#[test]
fn set_that_no_answer_has_whole_is_not_replaced() {
    on_each_sql_backend(async |database| {
        let service = tracker(database.service().await).migrate().await.expect("the tables");
        let app = service.app();
        let api = Api::start(database, service).await;
        api.post("/issues", &json!({ "title": "first" })).await.created();
        let labels = (0..1_001).map(|number| NewLabel::new(number.to_string()));
        let labels = app.store::<Label>().create_batch(labels).await.expect("the labels");
        let keys: Vec<i64> = labels.items.iter().map(|label| label.id).collect();
        let path = "/issues/1/labels";
        for part in keys.chunks(1_000) {
            api.post(path, &ids(part.to_vec())).await.ok();
        }
        assert_eq!(api.get(path).await.ok()["more"], true);
        for set in [json!([]), json!([keys[0]])] {
            api.put(path, &ids(set)).await.problem("batch_too_large");
        }
        let links = async || app.store::<IssueLabel>().count(Select::all()).await;
        assert_eq!(links().await.expect("a count"), 1_001);
        api.delete(format!("{path}/{}", keys[0])).await.ok();
        api.put(path, &ids([keys[1]])).await.ok();
        assert_eq!(links().await.expect("a count"), 1);
        api.stop().await;
    });
}
