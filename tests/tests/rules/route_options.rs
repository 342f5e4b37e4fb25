use crud_runtime::access::Access;
use crud_runtime::audit::AuditRecord;
use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::Json;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Located, Path, Query, Record, Status, Valid, get, post, role};
use crud_runtime::{Error, Page, Result};
use crud_tests::{Api, Database, http, log_lines, on_each_backend};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

const SECRET: &str = "the secret of these tests, which is public";
const PASSWORD: &str = "correct horse battery";

/// A member, whose password is stored as its length.
#[derive(Debug, Clone, Resource)]
#[crud(audit)]
struct Member {
    id: i64,
    name: String,
    #[crud(default = true)]
    enabled: bool,
    #[crud(hidden, default = 0)]
    password_length: i64,
}

fn auth() -> Auth {
    Auth::builder().secret(SECRET).build().expect("the authentication")
}

async fn members(database: &Database) -> Service {
    database.service().await.auth(auth()).resource::<Member>()
}

/// A member whose token is `member`'s with its id as the subject.
async fn member(test: &crud_runtime::testing::Test, name: &str) -> (i64, crud_runtime::testing::Test) {
    let new = NewMember { name: name.into(), enabled: None, password_length: None };
    let id = test.store::<Member>().create(new).await.expect("a member").id;
    (id, test.as_principal(Principal::new(id.to_string())))
}

async fn ping(_: Context) -> Result<Json<bool>> {
    Ok(Json(true))
}

#[test]
fn role_of_a_route_is_named_at_run_time() {
    http::on_each_backend(async |database| {
        let name = format!("operators-{}", 1 + 1);
        let service = members(database).await.route("/status", get(ping).access(role(name.clone())));
        let table = service.model().expect("the table").access_table();
        let route = table.routes().iter().find(|route| route.path == "/status").expect("the route");
        assert_eq!((&*route.access, &*route.stated_by), (r#"role("operators-2")"#, "the route"));
        let named = table.names().iter().find(|it| it.name == name).expect("the role");
        assert_eq!(named.places, ["GET /status"]);
        let test = service.test().await.expect("the service");
        test.get("/status").await.problem("authentication_failed");
        test.as_role("operators").get("/status").await.problem("permission_denied");
        assert_eq!(test.as_role(&name).get("/status").await.expect(200).json(), true);
        let document = test.get("/openapi.json").await.json();
        let operation = &document["paths"]["/status"]["get"];
        assert_eq!(operation["x-access"], r#"role("operators-2")"#);
        assert!(operation["description"].as_str().expect("a text").ends_with("Requires the role `operators-2`."));
        let closed = database.service().await.route("/status", get(ping).access(role(name)));
        let error = closed.into_router().expect_err("nothing checks the role").to_string();
        assert!(error.contains(r#"the route GET `/status` states `role("operators-2")`"#), "{error}");
    });
}

/// Refuses members that are disabled.
async fn is_enabled(ctx: Context) -> Result<()> {
    let id: Option<i64> = ctx.principal().and_then(|principal| principal.subject().parse().ok());
    match ctx.unscoped_store::<Member>().find(id.unwrap_or_default()).await? {
        Some(member) if member.enabled => Ok(()),
        _ => Err(Problem::new(Code::PermissionDenied, "the member is disabled").into()),
    }
}

#[derive(Debug, Schema)]
struct Payment {
    #[crud(range(min = 1))]
    cents: i64,
}

#[derive(Debug, Schema)]
struct Month {
    #[crud(range(min = 1, max = 12))]
    month: i32,
}

async fn pay(_: Context, path: Path<Month>, payment: Valid<Payment>) -> Result<Json<i64>> {
    Ok(Json(payment.cents * i64::from(path.month)))
}

#[test]
fn check_refuses_what_the_token_admits_before_anything_is_read() {
    on_each_backend(async |database| {
        let route = || post(pay).access(Access::Authenticated).check(is_enabled);
        let path = "/payments/{month}";
        let test = members(database).await.route(path, route()).test().await.expect("the service");
        let (id, ada) = member(&test, "ada").await;
        assert_eq!(ada.post("/payments/2", json!({ "cents": 7 })).await.expect(200).json(), 14);
        ada.post("/payments/x", json!({ "cents": 7 })).await.problem("validation_failed");
        let disabled = MemberPatch::default().enabled(false);
        test.store::<Member>().update(id, disabled).await.expect("a member");
        for (path, body) in
            [("/payments/2", json!({ "cents": 7 })), ("/payments/x", json!([])), ("/payments/2", json!(1))]
        {
            let problem = ada.post(path, body).await.problem("permission_denied");
            assert_eq!(problem["detail"], "the member is disabled");
        }
        test.post("/payments/x", json!([])).await.problem("authentication_failed");
        // Nothing identifies clients of a service that is open to everyone.
        let open = database.service().await.without_auth().resource::<Member>().route(path, route());
        let open = open.test().await.expect("the service");
        assert_eq!(open.post("/payments/3", json!({ "cents": 1 })).await.expect(200).json(), 3);
    });
}

/// A sign-up.
#[derive(Debug, Schema)]
struct SignUp {
    name: String,
    /// The password, which is no column.
    #[crud(write_only, length(min = 8))]
    password: String,
}

async fn sign_up(ctx: Context, body: Valid<SignUp>) -> Result<Record<Member>> {
    let password_length = i64::try_from(body.password.len()).unwrap_or(i64::MAX);
    let new = NewMember { name: body.name.clone(), enabled: None, password_length: Some(password_length) };
    Ok(Record(ctx.unscoped_store::<Member>().create(new).await?))
}

async fn searched(_: Context, _: Query<SignUp>) -> Result<()> {
    Ok(())
}

#[test]
fn write_only_member_of_a_body_is_in_no_answer_line_of_the_log_or_entry() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut texts = Vec::new();
    let lines = log_lines(|| {
        runtime.block_on(async {
            let service = Service::connect("sqlite::memory:").await.expect("a database").auth(auth());
            let route = post(sign_up).access(Access::Public);
            let test = service.resource::<Member>().route("/sign-ups", route).test().await.expect("the service");
            let created = test.post("/sign-ups", json!({ "name": "ada", "password": PASSWORD })).await.expect(200);
            assert_eq!(created.json()["name"], "ada");
            let short = &PASSWORD[..7];
            let refused = test.post("/sign-ups", json!({ "name": 1, "password": short })).await;
            assert_eq!(refused.problem("validation_failed")["errors"].as_array().expect("errors").len(), 2);
            texts.extend([created.text(), refused.text()]);
            let member = test.store::<Member>().get(1).await.expect("the member");
            assert_eq!(member.password_length, 21);
            let entries = test.store::<AuditRecord>().list(Select::all()).await.expect("the log");
            assert_eq!(entries.len(), 1);
            texts.push(format!("{:?}", entries[0].changes));
            let document = test.get("/openapi.json").await.json();
            let password = &document["components"]["schemas"]["SignUpBody"]["properties"]["password"];
            assert_eq!((&password["writeOnly"], &password["minLength"]), (&json!(true), &json!(8)));
        });
    });
    assert!(lines.iter().any(|line| line.contains("/sign-ups")), "{lines:?}");
    for text in texts.iter().chain(&lines) {
        assert!(!text.contains(&PASSWORD[..7]), "{text}");
    }
}

#[test]
fn write_only_parameter_is_refused_at_start() {
    http::on_each_backend(async |database| {
        let service = members(database).await.route("/search", get(searched).access(Access::Authenticated));
        assert_eq!(
            service.into_router().expect_err("a password in a URL").to_string(),
            "the route GET `/search` takes the parameter `password`, which is `write_only`: logs have query strings"
        );
    });
}

/// A piece of work that is queued.
#[derive(Debug, Serialize, ToSchema)]
struct Ticket {
    number: i64,
    priority: Priority,
}

#[derive(Debug, Serialize, ToSchema)]
struct Priority {
    level: i64,
}

fn ticket(number: i64) -> Ticket {
    Ticket { number, priority: Priority { level: 1 } }
}

async fn queue(_: Context) -> Result<Located<Status<202, Json<Ticket>>>> {
    Ok(Located("/tickets/7".into(), Status(Json(ticket(7)))))
}

#[derive(Debug, Schema)]
struct TicketPath {
    /// The number of the ticket.
    #[crud(range(min = 1))]
    number: i64,
}

async fn one(_: Context, path: Path<TicketPath>) -> Result<Json<Ticket>> {
    Ok(Json(ticket(path.number)))
}

async fn listed(_: Context) -> Result<Json<Vec<Ticket>>> {
    Ok(Json(vec![ticket(1)]))
}

fn tickets(service: Service) -> Service {
    service
        .route("/tickets", post(queue).access(Access::Public).problems([Code::TooManyRequests]))
        .route("/tickets", get(listed).access(Access::Public))
        .route("/tickets/{number}", get(one).access(Access::Public).tags(["Work"]).operation_id("readTicket"))
}

#[test]
fn typed_replies_and_paths_are_in_the_document() {
    http::on_each_backend(async |database| {
        let mut api = Api::start(database, tickets(database.service().await)).await;
        api.check_against_document().await;
        let queued = api.post("/tickets", &json!({})).await.expect(202);
        assert_eq!(queued.require("location"), "/tickets/7");
        assert_eq!(*queued.json(), json!({ "number": 7, "priority": { "level": 1 } }));
        assert_eq!(api.get("/tickets/3").await.ok()["number"], 3);
        assert_eq!(api.get("/tickets").await.ok()[0]["number"], 1);
        for (number, code) in [("x", "type"), ("0", "min"), ("9223372036854775808", "type")] {
            let problem = api.get(format!("/tickets/{number}")).await.problem("validation_failed");
            assert_eq!((problem.parameters(), &*problem.only().code), (vec!["number"], code), "{number}");
        }
        let document = api.get("/openapi.json").await.ok();
        let post = &document["paths"]["/tickets"]["post"];
        let content = &post["responses"]["202"]["content"]["application/json"]["schema"];
        assert_eq!(content["$ref"], "#/components/schemas/Ticket");
        assert!(post["responses"]["202"]["headers"]["Location"].is_object());
        assert!(post["responses"]["429"].is_object() && post["responses"]["409"].is_null(), "{post}");
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["Ticket"]["properties"]["priority"]["$ref"], "#/components/schemas/Priority");
        assert_eq!(schemas["Priority"]["properties"]["level"]["type"], "integer");
        let path = &document["paths"]["/tickets/{number}"];
        assert_eq!((&path["get"]["tags"], &path["get"]["operationId"]), (&json!(["Work"]), &json!("readTicket")));
        let number = &path["parameters"][0];
        assert_eq!(
            (&number["name"], &number["description"], &number["schema"]["minimum"]),
            (&json!("number"), &json!("The number of the ticket."), &json!(1))
        );
        api.stop().await;
    });
}

/// The members as tickets, a page of them.
async fn paged(ctx: Context) -> Result<Json<Page<Ticket>>> {
    let page = ctx.store::<Member>().page(Select::all().offset(1).limit(1)).await?;
    Ok(Json(page.map(|member| ticket(member.id))))
}

#[test]
fn page_of_a_type_has_the_json_and_the_schema_of_a_list() {
    on_each_backend(async |database| {
        let service = members(database).await.route("/queue", get(paged).access(Access::Authenticated));
        let test = service.test().await.expect("the service");
        for name in ["ada", "bob", "cy"] {
            member(&test, name).await;
        }
        assert_eq!(
            test.as_role("any").get("/queue").await.expect(200).json(),
            json!({
                "data": [{ "number": 2, "priority": { "level": 1 } }], "total": 3, "total_relation": "eq", "page": 2,
                "pages": 3, "limit": 1, "skip": 1,
            })
        );
        let schemas = test.get("/openapi.json").await.json()["components"]["schemas"].clone();
        assert_eq!(schemas["TicketList"]["properties"]["data"]["items"]["$ref"], "#/components/schemas/Ticket");
        assert!(schemas["Ticket"].is_object() && schemas["Priority"].is_object());
    });
}

mod other {
    use serde::Serialize;
    use utoipa::ToSchema;

    #[derive(Debug, Serialize, ToSchema)]
    pub(super) struct Ticket {
        pub(super) title: String,
    }
}

async fn other_ticket(_: Context) -> Result<Json<other::Ticket>> {
    Ok(Json(other::Ticket { title: String::new() }))
}

#[test]
fn names_that_another_operation_or_schema_has_are_refused_at_start() {
    http::on_each_backend(async |database| {
        let service = async || tickets(members(database).await);
        let named = |id: &str| get(ping).access(Access::Authenticated).operation_id(id);
        for (service, says) in [
            (
                service().await.route("/named", named("readTicket")),
                "two operations of the document would be named `readTicket`",
            ),
            (
                service().await.route("/named", named("listMembers")),
                "two operations of the document would be named `listMembers`",
            ),
            (
                service().await.route("/named", named("getHealth")),
                "two operations of the document would be named `getHealth`",
            ),
            (
                service().await.route("/other", get(other_ticket).access(Access::Authenticated)),
                "two schemas have the name `Ticket`",
            ),
        ] {
            let error = service.into_router().expect_err(says);
            assert!(matches!(&error, Error::Setup(text) if text.contains(says)), "{error:?}");
        }
        drop(service().await.into_router().expect("other names"));
        let missing = service().await.route("/months", get(one).access(Access::Authenticated));
        assert_eq!(
            missing.into_router().expect_err("no number").to_string(),
            "the route GET `/months` takes the parameter `number` of the path, which has no `{number}`"
        );
    });
}

#[test]
fn body_limit_and_no_store_are_of_the_route() {
    http::on_each_backend(async |database| {
        async fn sum(body: Valid<Payment>) -> Result<Json<i64>> {
            Ok(Json(body.cents))
        }
        let service = database.service().await.route("/small", post(sum).body_limit(20).no_store());
        let service = service.route("/large", post(sum).body_limit(usize::MAX));
        let api = Api::start(database, service).await;
        let large = json!({ "cents": 1, "x": "y".repeat(20) });
        let small = api.post("/small", &json!({ "cents": 1 })).await.expect(200);
        assert_eq!(small.require("cache-control"), "no-store");
        let refused = api.post("/small", &large).await.expect(413);
        assert_eq!(refused.require("cache-control"), "no-store");
        assert_eq!(refused.problem("body_too_large").detail, "the body must have at most 20 bytes");
        let other = api.post("/large", &large).await;
        assert_eq!(other.header("cache-control"), None);
        other.problem("validation_failed");
        let too_large = json!({ "cents": 1, "x": "y".repeat(3 << 20) });
        api.post("/large", &too_large).await.problem("body_too_large");
        api.stop().await;
    });
}
