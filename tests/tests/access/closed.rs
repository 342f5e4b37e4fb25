//! Rules without a source of principals, and rules that destructive operations inherit: closed unless a program says
//! otherwise.

use axum::Router;
use crud_runtime::Service;
use crud_runtime::access::Access;
use crud_runtime::action::{Action, Ctx, Json};
use crud_runtime::prelude::*;
use crud_tests::http::on_each_backend;
use crud_tests::{Api, Client, Database};
use serde_json::json;
use tokio::net::TcpListener;

use crate::resources::Open;
use crate::start_log::start_log;
use crate::support::{caller, on_resources, secured};

/// Only an admin may delete.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, batch, access(read = public, write = authenticated, delete = role("admin")))]
struct Plan {
    id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// A rule of its own for each road.
#[derive(Debug, Clone, Resource)]
#[crud(
    soft_delete,
    access(
        purge = role("auditor"),
        all = authenticated,
        delete = role("admin"),
        restore = role("clerk"),
    )
)]
struct Draft {
    id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// One rule is stated, and it is public.
#[derive(Debug, Clone, Resource)]
#[crud(access(read = public))]
struct Half {
    id: i64,
}

/// As `Half`, where nothing else is offered.
#[derive(Debug, Clone, Resource)]
#[crud(only(list, get), access(read = public))]
struct Board {
    id: i64,
}

/// A transition states a rule.
#[derive(Debug, Clone, Resource)]
struct Story {
    id: i64,
    #[crud(default = Stage::Draft, transitions(publish: Draft -> Published : role("editor")))]
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Stage {
    Draft,
    Published,
}

/// No rule at all.
#[derive(Debug, Clone, Resource)]
struct Note {
    id: i64,
}

async fn ping(_: Ctx) -> crud_runtime::Result<Json<bool>> {
    Ok(Json(true))
}

/// Text of the line of an open service.
const OPEN: &str = "open to everyone";

/// The error with which a service does not start.
async fn start_error(service: Service) -> String {
    match service.migrate().await.expect("the tables").state() {
        Ok(_) => panic!("the service starts"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn purge_and_restore_have_the_rule_of_delete() {
    on_resources(Service::resource::<Plan>, async |api| {
        let (user, admin) = (caller(api, "1", &[], &[]), caller(api, "2", &["admin"], &[]));
        let id = user.post("/plans", &json!({})).await.created()["id"].clone();
        let path = format!("/plans/{id}");
        user.delete(&path).await.problem("permission_denied");
        user.post("/plans/batch/delete", &json!({ "ids": [id] })).await.problem("permission_denied");
        admin.delete(&path).await.ok();
        user.get("/plans?include_deleted=true").await.problem("permission_denied");
        user.post(format!("{path}/restore"), &json!({})).await.problem("permission_denied");
        user.post("/plans/restore", &json!({ "ids": [id] })).await.problem("permission_denied");
        user.delete(format!("{path}/permanent")).await.problem("permission_denied");
        user.delete("/plans/deleted?all=true").await.problem("permission_denied");
        admin.post(format!("{path}/restore"), &json!({})).await.ok();
        admin.delete(&path).await.ok();
        admin.delete(format!("{path}/permanent")).await.ok();
    });
}

#[test]
fn rule_of_its_own_is_not_overridden_by_that_of_delete() {
    on_resources(Service::resource::<Draft>, async |api| {
        let (user, admin) = (caller(api, "1", &[], &[]), caller(api, "2", &["admin"], &[]));
        let path = format!("/drafts/{}", user.post("/drafts", &json!({})).await.created()["id"]);
        admin.delete(&path).await.ok();
        admin.post(format!("{path}/restore"), &json!({})).await.problem("permission_denied");
        admin.delete(format!("{path}/permanent")).await.problem("permission_denied");
        caller(api, "3", &["clerk"], &[]).post(format!("{path}/restore"), &json!({})).await.ok();
        admin.delete(&path).await.ok();
        caller(api, "4", &["auditor"], &[]).delete(format!("{path}/permanent")).await.ok();
    });
}

/// Services that state a rule, each with the words of its refusal.
async fn stating(database: &Database) -> Vec<(Service, [&'static str; 2])> {
    let staff = || Access::Role("staff");
    let service = async || database.service().await;
    vec![
        (service().await.resource::<Plan>(), ["Plan", "`write = authenticated`"]),
        (service().await.resource::<Half>(), ["Half", "`create`"]),
        (service().await.resource::<Story>(), ["publish", "`role(\"editor\")`"]),
        (service().await.route(Action::get("/ping").access(staff()).handler(ping)), ["/ping", "`role(\"staff\")`"]),
        (
            service().await.resource::<Note>().action::<Note>(Action::post("ping").access(staff()).handler(ping)),
            ["/notes/ping", "`role(\"staff\")`"],
        ),
        (
            service()
                .await
                .resource::<Note>()
                .action::<Note>(Action::post("ping").access(Access::Authenticated).handler(ping)),
            ["/notes/ping", "`authenticated`"],
        ),
    ]
}

#[test]
fn stated_rule_without_authentication_is_an_error_at_start() {
    on_each_backend(async |database| {
        for (service, words) in stating(database).await {
            let error = start_error(service).await;
            for word in words.into_iter().chain(["`Service::auth(…)`", "`Service::without_auth()`"]) {
                assert!(error.contains(word), "{word} in {error}");
            }
        }
    });
}

#[test]
fn role_of_a_service_route_without_authentication_is_an_error_at_start() {
    on_each_backend(async |database| {
        let service = async || database.service().await.resource::<Note>();
        let stating = [
            (service().await.audit_role("auditor"), "`audit_role`"),
            (service().await.docs_role("staff"), "`docs_role`"),
            (service().await.metrics_role("ops"), "`metrics_role`"),
            (service().await.users_role("admin"), "`users_role`"),
        ];
        for (service, word) in stating {
            let error = start_error(service).await;
            assert!(error.contains(word), "{word} in {error}");
        }
    });
}

#[test]
fn service_that_is_opened_by_its_word_enforces_no_rule() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Plan>().resource::<Story>().docs_role("staff");
        let ping = Action::post("ping").access(Access::Role("staff")).handler(ping);
        let service = service.action::<Plan>(ping).without_auth().migrate().await.expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let path = format!("/plans/{}", api.post("/plans", &json!({})).await.created()["id"]);
        api.delete(&path).await.ok();
        api.delete(format!("{path}/permanent")).await.ok();
        api.post("/plans/ping", &json!({})).await.ok();
        let story = api.post("/stories", &json!({})).await.created()["id"].clone();
        assert_eq!(api.post(format!("/stories/{story}/publish"), &json!({})).await.ok()["stage"], "Published");
        let page = api.get("/docs").await.expect(200);
        assert!(page.text().contains("This service is open to everyone"), "{}", page.text());
        api.stop().await;
    });
}

#[test]
fn authentication_and_the_word_that_opens_contradict_each_other() {
    on_each_backend(async |database| {
        let error = start_error(secured(database.service().await.resource::<Plan>()).without_auth()).await;
        assert!(error.contains("`without_auth`") && error.contains("remove one"), "{error}");
    });
}

#[test]
fn service_that_is_opened_still_needs_authentication_for_owners() {
    on_each_backend(async |database| {
        let error = start_error(database.service().await.resource::<crate::resources::Note>().without_auth()).await;
        assert!(error.contains("records of Note have owners"), "{error}");
    });
}

#[test]
fn operation_that_is_not_offered_is_closed_in_a_router_of_the_program() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Board>().migrate().await.expect("the tables");
        let boards = Router::new().route("/boards", Board::route(Operation::Create));
        let boards = boards.with_state(service.state().expect("what is offered is public"));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let server = tokio::spawn(async move { axum::serve(listener, boards).await });
        let program = Client::of_program(format!("http://{address}"), database.secrets());
        program.post("/boards", &json!({})).await.problem("authentication_failed");
        server.abort();
    });
}

#[test]
fn open_service_says_so_at_each_start() {
    on_each_backend(async |database| {
        let service = async || database.service().await.resource::<Note>().migrate().await.expect("the tables");
        let [line] = &start_log(&service().await, OPEN)[..] else { panic!("a line") };
        assert!(line.starts_with("INFO ") && line.contains("no access rule"), "{line}");
        let waived = service().await.resource::<Half>().without_auth();
        for _ in 0..2 {
            let [line] = &start_log(&waived, OPEN)[..] else { panic!("a line at each start") };
            assert!(line.starts_with("WARN ") && line.contains("Half states"), "{line}");
        }
        assert_eq!(start_log(&secured(service().await), OPEN), [""; 0]);
    });
}

#[test]
fn service_whose_rules_are_public_or_unstated_starts_without_authentication() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Open>().resource::<Board>().resource::<Note>();
        let service = service.action::<Note>(Action::get("ping").handler(ping));
        service.migrate().await.expect("the tables").state().expect("the service starts");
    });
}
