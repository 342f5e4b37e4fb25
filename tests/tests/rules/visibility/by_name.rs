//! The handlers of the suite by the handle to a resource that is named while the service runs, and what it adds to the
//! typed store.

use std::collections::BTreeMap;

use crud_runtime::axum::Json;
use crud_runtime::axum::response::Response;
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Locked, Next, Records, RecordsAnswer, get, handler, post};
use crud_tests::{on_each_backend, on_each_transactional_backend};
use serde_json::{Value, json};

use super::{Issue, Road, guest, principal, with_issues, with_routes};

type Answered = Result<RecordsAnswer, Problem>;

fn issues(ctx: &Context) -> Result<Records, Problem> {
    ctx.records("issues")
}

fn id(ctx: &Context) -> i64 {
    ctx.id::<Issue>().unwrap_or_default()
}

fn keys(page: &RecordsAnswer) -> Json<Vec<i64>> {
    let page = page.json();
    Json(page["data"].as_array().into_iter().flatten().filter_map(|issue| issue["id"].as_i64()).collect())
}

pub(super) async fn cards(ctx: Context) -> Result<Json<Vec<i64>>, Problem> {
    Ok(keys(&issues(&ctx)?.parameters([("sort", "id")]).list().await?))
}

/// Ways by which the handle finds an issue, deleted or not: those of the typed store that it has.
pub(super) async fn roads(ctx: Context) -> Result<Json<BTreeMap<&'static str, bool>>, Problem> {
    let (issues, id) = (issues(&ctx)?, ctx.query("id").unwrap_or_default());
    let may_restore = issues.resource().admits(Operation::Restore, ctx.principal());
    let deleted = may_restore.then_some(("include_deleted", "true"));
    let all = issues.clone().parameters(deleted);
    let list = all.clone().parameters([("id", &id)]);
    let record = match all.get(&id).await {
        Err(problem) if problem.code() == Code::NotFound => None,
        found => Some(found?.json()),
    };
    Ok(Json(BTreeMap::from([
        ("find", issues.exists(&id).await?),
        ("find_deleted", record.as_ref().is_some_and(|record| record["is_deleted"] == true)),
        ("is_soft_deleted", record.is_some()),
        ("list", list.list().await?.json()["data"] != json!([])),
        ("count", list.count().await? > 0),
        ("first", list.parameters([("limit", "1")]).list().await?.json()["data"] != json!([])),
    ])))
}

pub(super) async fn rename(ctx: Context) -> Answered {
    issues(&ctx)?.update(id(&ctx), json!({ "title": "renamed" })).await
}

pub(super) async fn give(ctx: Context) -> Answered {
    issues(&ctx)?.update(id(&ctx), json!({ "author": "another" })).await
}

pub(super) async fn remove(ctx: Context) -> Result<(), Problem> {
    issues(&ctx)?.delete(id(&ctx)).await.map(drop)
}

pub(super) async fn open(ctx: Context) -> Answered {
    let guest: i64 = ctx.query("guest").and_then(|guest| guest.parse().ok()).unwrap_or_default();
    let mut body = json!({ "guest_id": guest, "title": "opened" });
    if let Some(author) = ctx.query("author") {
        body["author"] = author.into();
    }
    issues(&ctx)?.create(body).await
}

pub(super) async fn titled(ctx: Context) -> Result<Json<Value>, Problem> {
    let given = ["sort", "limit", "cost"].into_iter().filter_map(|name| Some((name, ctx.query(name)?)));
    Ok(Json(issues(&ctx)?.parameters(given).list().await?.json()["data"].take()))
}

pub(super) async fn seen(ctx: Context) -> Answered {
    issues(&ctx)?.get(id(&ctx)).await
}

pub(super) async fn held(ctx: Context, _: Locked<Issue>) -> Answered {
    issues(&ctx)?.get(id(&ctx)).await
}

pub(super) async fn within(ctx: Context, _: Locked<Issue>) -> Result<Json<Vec<i64>>, Problem> {
    cards(ctx).await
}

pub(super) async fn add(ctx: Context, Json(new): Json<Value>) -> Answered {
    issues(&ctx)?.create(new).await
}

pub(super) async fn edit(ctx: Context, Json(patch): Json<Value>) -> Answered {
    issues(&ctx)?.update(id(&ctx), patch).await
}

pub(super) async fn edit_held(ctx: Context, _: Locked<Issue>, Json(patch): Json<Value>) -> Answered {
    issues(&ctx)?.update(id(&ctx), patch).await
}

/// Restores an issue, after a change that names a version.
async fn revive(ctx: Context) -> Answered {
    issues(&ctx)?.restore(id(&ctx)).await
}

#[test]
fn operation_by_name_needs_the_access_of_its_route() {
    on_each_backend(async |database| {
        let service = with_routes(database.service().await, Road::ByName).route("/issues/{id}/revive", post(revive));
        let test = with_issues(service).await;
        let revive = async |roles: &[&str], path: &str| {
            test.as_principal(principal("ann", roles, 1)).post(path, json!({})).await
        };
        revive(&["staff"], "/issues/4/revive").await.problem("permission_denied");
        revive(&["staff", "admin"], "/issues/1/revive").await.problem("not_deleted");
        assert_eq!(revive(&["staff", "admin"], "/issues/4/revive").await.expect(200).json()["is_deleted"], false);
    });
}

#[test]
fn answer_by_name_is_that_of_the_route() {
    on_each_backend(async |database| {
        let service = with_routes(database.service().await, Road::ByName)
            .route("/issues/{id}/seen", get(seen))
            .route("/issues/add", post(add));
        let test = with_issues(service).await;
        let staff = test.as_principal(principal("ann", &["staff"], 1));
        let (generated, by_name) = (staff.get("/issues/1").await, staff.get("/issues/1/seen").await);
        assert_eq!(by_name.header("etag"), generated.header("etag"));
        assert_eq!(by_name.expect(200).json(), generated.expect(200).json());
        for body in [json!({}), json!({ "guest_id": 5, "titel": "x" }), json!([])] {
            let (generated, by_name) = (staff.post("/issues", &body).await, staff.post("/issues/add", &body).await);
            let of = |problem: &Value| (problem["code"].clone(), problem["detail"].clone(), problem["errors"].clone());
            assert_eq!(of(&by_name.json()), of(&generated.json()), "{body}");
        }
        let created =
            staff.post("/issues/add", json!({ "guest_id": 5, "author": "ann", "title": "x" })).await.expect(201);
        let location = created.header("location").expect("where it is");
        assert_eq!(staff.get(location).await.expect(200).json(), created.json());
    });
}

/// Renames an issue where it has the version that the query names.
async fn rename_version(ctx: Context) -> Answered {
    let version = ctx.query("version").unwrap_or_default();
    issues(&ctx)?.if_match(&version).update(id(&ctx), json!({ "title": "renamed" })).await
}

#[test]
fn change_of_another_version_by_name_fails() {
    on_each_backend(async |database| {
        let service = with_routes(database.service().await, Road::ByName)
            .route("/issues/{id}/rename-version", post(rename_version));
        let test = with_issues(service).await;
        let caller = test.as_principal(guest());
        let tag = caller.get("/issues/1").await.header("etag").expect("a version").trim_matches('"').to_owned();
        for malformed in ["", "%0A", &format!("%22{tag}%22%0A"), &tag] {
            let path = format!("/issues/1/rename-version?version={malformed}");
            caller.post(path, json!({})).await.problem("precondition_failed");
        }
        let path = format!("/issues/1/rename-version?version=%22{tag}%22");
        caller.post(&path, json!({})).await.expect(200);
        caller.post(&path, json!({})).await.problem("precondition_failed");
    });
}

async fn refused(_: Next) -> Result<Response, Problem> {
    Err(Problem::new(Code::Conflict, "not today"))
}

#[test]
fn handler_in_place_of_an_operation_answers_by_name() {
    on_each_backend(async |database| {
        let service =
            with_routes(database.service().await, Road::ByName).replace::<Issue>(Operation::Update, handler(refused));
        let test = with_issues(service).await;
        test.as_principal(guest()).put("/issues/1/rename", json!({})).await.problem("conflict");
    });
}

/// Renames an issue in a transaction, which fails after it.
async fn rename_in_vain(ctx: Context) -> Result<(), crud_runtime::Error> {
    let issues = issues(&ctx)?;
    let id = id(&ctx);
    ctx.app()
        .transaction(async |tx| {
            let outside = issues.update(id, json!({ "title": "outside" })).await;
            assert_eq!(outside.err().map(|problem| problem.code()), Some(Code::Internal), "not in the transaction");
            let renamed = issues.clone().within(tx).update(id, json!({ "title": "within" })).await?;
            assert_eq!(renamed.json()["title"], "within");
            Err(Problem::new(Code::Conflict, "undone").into())
        })
        .await
}

#[test]
fn change_by_name_is_part_of_a_transaction() {
    on_each_transactional_backend(async |database| {
        let service =
            with_routes(database.service().await, Road::ByName).route("/issues/{id}/in-vain", post(rename_in_vain));
        let test = with_issues(service).await;
        let caller = test.as_principal(guest());
        caller.post("/issues/1/in-vain", json!({})).await.problem("conflict");
        assert_eq!(caller.get("/issues/1").await.expect(200).json()["title"], "of ann");
    });
}

async fn any(ctx: Context) -> Answered {
    ctx.records(&ctx.query("of").unwrap_or_default())?.list().await
}

#[test]
fn resource_that_the_service_lacks_is_not_found() {
    on_each_backend(async |database| {
        let service = with_routes(database.service().await, Road::ByName).route("/issues/any", get(any));
        let test = with_issues(service).await;
        let caller = test.as_principal(guest());
        for (name, is_there) in [("Issue", true), ("issues", true), ("/issues", true), ("issue", false), ("", false)] {
            let answer = caller.get(format!("/issues/any?of={name}")).await;
            assert_eq!(answer.status(), if is_there { 200 } else { 404 }, "{name}");
        }
    });
}

/// State of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
enum State {
    Open,
    Done,
}

/// A draft, whose history is known.
#[derive(Debug, Clone, Resource)]
#[crud(filter, pagination, audit)]
struct Draft {
    id: i64,
    title: String,
    #[crud(default(State::Open), transitions(finish(Open, Done)))]
    state: State,
}

/// The answers of a draft's operations, which are called by its name.
async fn life(ctx: Context) -> Result<Json<Value>, Problem> {
    let drafts = ctx.records("Draft")?;
    let created = drafts.create(json!({ "title": "first" })).await?.json();
    let id = created["id"].to_string();
    let as_of_now = [("as_of", ctx.now().format("%FT%T%.6fZ").to_string())];
    drafts.update(&id, json!({ "title": "second" })).await?;
    let past = drafts.clone().parameters(as_of_now).get(&id).await;
    let finished = drafts.transition(&id, "finish", json!({ "title": "third" })).await?.json();
    let again = drafts.transition(&id, "finish", ()).await.err().map(|problem| problem.code());
    let unknown = drafts.transition(&id, "burn", ()).await.err().map(|problem| problem.code());
    let misspelt = drafts.clone().parameters([("titel", "x")]).list().await.err().map(|problem| problem.code());
    let ambiguous = drafts.clone().parameters([("title", "a&b=c")]).count().await?;
    Ok(Json(json!({
        "created": created["state"],
        "past": past.map_or_else(|problem| json!(problem.to_string()), |past| past.json()["title"].clone()),
        "finished": [finished["state"], finished["title"]],
        "again": again.map(Code::as_str),
        "unknown": unknown.map(Code::as_str),
        "misspelt": misspelt.map(Code::as_str),
        "ambiguous": ambiguous,
        "deleted": drafts.delete(&id).await?.json()["title"],
        "exists": drafts.exists(&id).await?,
    })))
}

#[test]
fn life_of_a_record_by_name_has_the_rules_of_its_operations() {
    on_each_backend(async |database| {
        let service = database.service().await.without_auth().resource::<Draft>();
        let test = service.route("/drafts/life", post(life)).test().await.expect("the tables");
        let expected = json!({
            "created": "open",
            "past": "first",
            "finished": ["done", "third"],
            "again": "illegal_transition",
            "unknown": "method_not_allowed",
            "misspelt": "validation_failed",
            "ambiguous": 0,
            "deleted": "third",
            "exists": false,
        });
        assert_eq!(test.post("/drafts/life", json!({})).await.expect(200).json(), expected);
        // Each change has its entry.
        let log = test.get("/audit-logs?entity_type=Draft").await.expect(200).json();
        assert_eq!(log["total"], 4, "{log}");
    });
}
