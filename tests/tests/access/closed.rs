//! Rules without a source of principals, and rules that destructive operations inherit: closed unless a program says
//! otherwise.

use axum::Router;
use crud_runtime::Service;
use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, get, post};
use crud_tests::http::on_each_backend;
use crud_tests::{Api, Client, Database};
use serde_json::json;
use tokio::net::TcpListener;

use crate::resources::Open;
use crate::start_log::start_log;
use crate::support::{caller, on_resources, secured};

/// Only an admin may delete.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, batch, access(read(public), write(authenticated), delete(role("admin"))))]
struct Plan {
    id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// A separate rule for each road.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, access(purge(role("auditor")), all(authenticated), delete(role("admin")), restore(role("clerk"))))]
struct Draft {
    id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// One rule is stated, and it is public.
#[derive(Debug, Clone, Resource)]
#[crud(access(read(public)))]
struct Half {
    id: i64,
}

/// As `Half`, where nothing else is offered.
#[derive(Debug, Clone, Resource)]
#[crud(operations(list, get), access(read(public)))]
pub(crate) struct Board {
    id: i64,
}

/// As `Board`, with deleted records, which need the access of `restore`.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, filter(id), export, operations(list, get), access(read(public)))]
pub(crate) struct Poster {
    id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// As `Board`, with past states, which need the access of `history`.
#[derive(Debug, Clone, Resource)]
#[crud(audit, operations(list, get), access(list(public), get(public)))]
pub(crate) struct Placard {
    id: i64,
}

/// Listed, and not read by its key.
#[derive(Debug, Clone, Resource)]
#[crud(filter, operations(list), access(list(public)))]
struct Author {
    id: i64,
    name: String,
}

/// Without a rule; refers to one whose `get` is left out, and to one whose `list` is.
#[derive(Debug, Clone, Resource)]
#[crud(filter, audit)]
struct Essay {
    id: i64,
    #[crud(references(Author, expand))]
    author_id: Option<i64>,
    #[crud(references(Shown, expand))]
    shown_id: Option<i64>,
}

/// Read by its key alone.
#[derive(Debug, Clone, Resource)]
#[crud(filter, operations(get), access(get(public)))]
struct Shown {
    id: i64,
    name: String,
}

/// A transition states a rule.
#[derive(Debug, Clone, Resource)]
struct Story {
    id: i64,
    #[crud(default(Stage::Draft), transitions(publish(Draft, Published, role("editor"))))]
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

async fn ping(_: Context) -> crud_runtime::Result<Json<bool>> {
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
        (service().await.resource::<Plan>(), ["Plan", "`write(authenticated)`"]),
        (service().await.resource::<Half>(), ["Half", "`create`"]),
        (service().await.resource::<Story>(), ["publish", "`role(\"editor\")`"]),
        (service().await.route("/ping", get(ping).access(staff())), ["/ping", "`role(\"staff\")`"]),
        (
            service().await.resource::<Note>().route("/notes/ping", post(ping).access(staff())),
            ["/notes/ping", "`role(\"staff\")`"],
        ),
        (
            service().await.resource::<Note>().route("/notes/ping", post(ping).access(Access::Authenticated)),
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
            (service().await.access(|access| access.audit_role("auditor")), "`audit_role`"),
            (service().await.openapi(|document| document.docs_role("staff")), "`docs_role`"),
            (service().await.access(|access| access.metrics_role("ops")), "`metrics_role`"),
            (service().await.access(|access| access.users_role("admin")), "`users_role`"),
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
        let service = database
            .service()
            .await
            .resource::<Plan>()
            .resource::<Story>()
            .openapi(|document| document.docs_role("staff"));
        let ping = post(ping).access(Access::Role("staff"));
        let service = service.route("/plans/ping", ping).without_auth().migrate().await.expect("the tables");
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
fn parameter_that_needs_a_rule_which_is_left_out_is_closed_without_authentication() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Poster>().resource::<Placard>();
        let service = service.migrate().await.expect("the tables");
        let app = service.app();
        let api = Api::start(database, service).await;
        let poster = app.store::<Poster>().create(NewPoster::new()).await.expect("a poster");
        app.store::<Poster>().delete(poster.id).await.expect("it is deleted");
        let placard = app.store::<Placard>().create(NewPlacard::new()).await.expect("a placard");
        let (poster, placard) = (format!("/posters/{}", poster.id), format!("/placards/{}", placard.id));
        assert_eq!(api.get("/posters").await.ok(), json!([]));
        api.get(&placard).await.ok();
        for target in [
            "/posters?only_deleted=true",
            "/posters?include_deleted=true",
            "/posters/export?only_deleted=true",
            "/posters/export?include_deleted=true",
            &format!("{poster}?include_deleted=true"),
            &format!("{placard}?as_of=2026-01-31T00:00:00Z"),
            "/audit-logs",
        ] {
            api.get(target).await.problem("authentication_failed");
        }
        api.post("/posters/search", &json!({ "only_deleted": true })).await.problem("authentication_failed");
        api.get(&poster).await.problem("not_found");
        api.stop().await;
    });
}

#[test]
fn rule_that_is_left_out_closes_the_roads_through_other_resources_too() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Author>().resource::<Shown>().resource::<Essay>();
        let service = service.migrate().await.expect("the tables");
        let app = service.app();
        let api = Api::start(database, service).await;
        let author = app.store::<Author>().create(NewAuthor::new("Ann")).await.expect("an author").id;
        let shown = app.store::<Shown>().create(NewShown::new("Bob")).await.expect("one that is shown").id;
        let refused = api.post("/essays", &json!({ "author_id": author })).await;
        assert_eq!(refused.problem("reference_not_found").pointers(), ["/author_id"], "its `get` is left out");
        api.post("/essays", &json!({ "shown_id": shown })).await.created();
        assert_eq!(api.get("/essays?expand=shown").await.ok()[0]["shown"], json!(null), "its `list` is left out");
        assert_eq!(api.get("/essays?expand=author").await.ok()[0]["author"], json!(null), "its `list` is open");
        // The log has no more than the history of each record, which is open.
        api.get("/audit-logs").await.ok();
        api.stop().await;
    });
}

#[test]
fn each_way_to_serve_refuses_rules_that_nothing_checks() {
    on_each_backend(async |database| {
        let service = async || database.service().await.resource::<Half>().migrate().await.expect("the table");
        let listener = async || TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let never = std::future::pending::<()>;
        let address = crud_tests::free_address().to_string();
        let refusals = [
            ("serve", service().await.serve(address).await),
            ("serve_on", service().await.serve_on(listener().await, never()).await),
            ("into_router", service().await.into_router().map(drop)),
            ("into_parts", service().await.into_parts().map(drop)),
            ("a router of the resource's own", service().await.state().map(drop)),
            ("test", service().await.test().await.map(drop)),
        ];
        for (name, refused) in refusals {
            let error = refused.expect_err(name).to_string();
            assert!(error.contains("Half states access without `create`"), "{name}: {error}");
        }
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
        assert!(line.starts_with("WARN ") && line.contains("no access rule"), "{line}");
        let public = database.service().await.resource::<Open>().migrate().await.expect("the tables");
        let [line] = &start_log(&public, OPEN)[..] else { panic!("a line") };
        assert!(line.starts_with("WARN ") && line.contains("its rules are `public`"), "{line}");
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
        let service = service.route("/notes/ping", get(ping));
        service.migrate().await.expect("the tables").state().expect("the service starts");
    });
}
