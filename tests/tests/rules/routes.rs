use crud_runtime::access::Access;
use crud_runtime::audit::AuditRecord;
use crud_runtime::auth::Auth;
use crud_runtime::axum::Json;
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Created, ListParameters, Locked, Query, Record, Valid, get, handler, post};
use crud_runtime::{Error, Result};
use crud_tests::{Api, Database, http, on_each_backend};
use jsonwebtoken::{EncodingKey, Header, encode, get_current_timestamp};
use serde_json::json;

use crate::resources::{Booking, NewBooking, NewPart, Part, PartPatch, on_each, part};

/// A withdrawal: the number of parts, and the reason.
#[derive(Debug, Schema)]
struct Take {
    #[crud(range(min = 1, max = 10), default = 1)]
    quantity: i32,
    #[crud(length(max = 20))]
    note: Option<String>,
}

/// Takes parts from stock for a booking.
async fn take(ctx: Context, part: Locked<Part>, body: Valid<Take>) -> Result<Created<Booking>> {
    let left = PartPatch::default().add(Part::FIELDS.stock, -body.quantity);
    ctx.store::<Part>().update(part.id, left).await?;
    if body.note.as_deref() == Some("fail") {
        return Err(Problem::new(Code::Conflict, "not today").into());
    }
    Ok(Created(ctx.store::<Booking>().create(NewBooking { part_id: part.id, quantity: body.quantity }).await?))
}

async fn touch(ctx: Context, part: Locked<Part>) -> Result<Record<Part>> {
    Ok(Record(ctx.store::<Part>().update(part.id, PartPatch::default().add(Part::FIELDS.stock, 1)).await?))
}

async fn top(ctx: Context) -> Result<Json<Vec<String>>> {
    let limit = ctx.query("limit").and_then(|limit| limit.parse().ok()).unwrap_or(10);
    let parts = ctx.store::<Part>().list(Select::from(Part::FIELDS.stock.desc()).limit(limit)).await?;
    Ok(Json(parts.into_iter().map(|part| part.name).collect()))
}

/// The parameters of a search.
#[derive(Debug, Schema)]
#[crud(rename_all = "camelCase")]
struct Search {
    /// Begin of the name.
    #[crud(length(min = 2), validate(pattern = "^[a-z]+$"))]
    starts_with: String,
    #[crud(range(min = 1, max = 10), default = 2)]
    limit: i32,
    most_weight: Option<f64>,
    made: Option<DateTime<Utc>>,
}

async fn search(ctx: Context, query: Query<Search>) -> Result<Json<Vec<String>>> {
    let fields = Part::FIELDS;
    let found = fields.name.like(format!("{}%", query.starts_with)).order_by(fields.name.asc());
    let found = found.limit(u64::try_from(query.limit).map_err(Problem::internal)?);
    let parts = ctx.store::<Part>().list(found).await?;
    // No part says when it was made.
    let parts = if query.made.is_some() { Vec::new() } else { parts };
    let heavy = |part: &Part| part.weight.zip(query.most_weight).is_some_and(|(weight, most)| weight > most);
    Ok(Json(parts.into_iter().filter(|part| !heavy(part)).map(|part| part.name).collect()))
}

async fn panicking() -> Result<()> {
    panic!("a handler's mistake")
}

const SECRET: &str = "the secret of these tests, which is public";

fn token(subject: &str, roles: &[&str]) -> String {
    let now = get_current_timestamp();
    let claims = json!({
        "sub": subject, "roles": roles, "permissions": [], "iat": now, "exp": now + 600, "type": "access",
    });
    encode(&Header::default(), &claims, &EncodingKey::from_secret(SECRET.as_bytes()).expect("a key")).expect("a token")
}

async fn service(database: &Database) -> Service {
    crate::resources::resources(database)
        .await
        .route("/parts/{id}/take", post(take).summary("Take parts"))
        .route("/parts/{id}/touch", post(touch))
        .route("/parts/top", get(top))
        .route("/parts/find", get(search))
        .route("/panics", post(panicking).undocumented())
        .migrate()
        .await
        .expect("the tables")
}

#[test]
fn handlers_success_commits_and_its_failure_rolls_back() {
    on_each(async |database, app| {
        let lamp = app.store::<Part>().create(part("lamp", 5)).await.unwrap();
        let api = Api::start(database, service(database).await).await;
        let path = format!("/parts/{}/take", lamp.id);
        let created = api.post(&path, &json!({ "quantity": 2 })).await.expect(201);
        let booking = created.json();
        assert_eq!((&booking["part_id"], &booking["quantity"]), (&json!(lamp.id), &json!(2)));
        assert_eq!(created.require("location"), format!("/bookings/{}", booking["id"]));
        assert_eq!(api.post(&path, &json!({})).await.expect(201).json()["quantity"], 1);
        api.post(&path, &json!({ "note": "fail" })).await.problem("conflict");
        // More than there is: the sum is below the field's minimum.
        api.post(&path, &json!({ "quantity": 9 })).await.problem("validation_failed");
        assert_eq!(app.store::<Part>().get(lamp.id).await.unwrap().stock, 2);
        assert_eq!(app.store::<Booking>().count(Select::all()).await.unwrap(), 2);
        api.stop().await;
    });
}

#[test]
fn bodies_are_checked_like_those_of_generated_routes() {
    on_each(async |database, app| {
        let lamp = app.store::<Part>().create(part("lamp", 5)).await.unwrap();
        let api = Api::start(database, service(database).await).await;
        let path = format!("/parts/{}/take", lamp.id);
        let wrong = json!({ "quantity": 99, "note": "x".repeat(30), "nte": 1 });
        let problem = api.post(&path, &wrong).await.problem("validation_failed");
        let places: Vec<&str> = problem.errors.iter().map(|error| error.at.as_str()).collect();
        assert_eq!(places, ["pointer /quantity", "pointer /note", "pointer /nte"]);
        api.post(&path, &json!([1])).await.problem("validation_failed");
        api.post("/parts/x/take", &json!({})).await.problem("validation_failed");
        api.post("/parts/99/take", &json!({})).await.problem("not_found");
        assert_eq!(app.store::<Part>().get(lamp.id).await.unwrap().stock, 5);
        api.stop().await;
    });
}

#[test]
fn parameters_are_typed_and_their_errors_those_of_lists() {
    on_each(async |database, app| {
        for (name, weight) in [("lamp", 1.5), ("label", 0.1), ("lace", 0.2), ("wire", 3.0)] {
            app.store::<Part>().create(NewPart { weight: Some(weight), ..part(name, 5) }).await.unwrap();
        }
        let api = Api::start(database, service(database).await).await;
        assert_eq!(api.get("/parts/find?startsWith=la").await.ok(), json!(["label", "lace"]));
        assert_eq!(api.get("/parts/find?startsWith=la&limit=3&mostWeight=1").await.ok(), json!(["label", "lace"]));
        let target = "/parts/find?limit=11&mostWeight=x&made=now&limt=3&limit=1";
        let problem = api.get(target).await.problem("validation_failed");
        let errors: Vec<(&str, &str)> =
            problem.errors.iter().map(|error| (error.at.as_str(), error.code.as_str())).collect();
        assert_eq!(
            errors,
            [
                ("parameter limit", "max"),
                ("parameter mostWeight", "value"),
                ("parameter made", "value"),
                ("parameter limt", "unknown_parameter"),
                ("parameter limit", "duplicate"),
                ("parameter startsWith", "required"),
            ]
        );
        assert_eq!(
            problem.errors[3].detail,
            "is not a parameter; parameters are `startsWith`, `limit`, `mostWeight`, `made`; did you mean `limit`?"
        );
        let lenient = api.get("/parts/find?startsWith=wi&more=1").header("prefer", "handling=lenient").await;
        assert_eq!(lenient.ok(), json!(["wire"]));
        let problem = api.get("/parts/find?startsWith=L").await.problem("validation_failed");
        assert_eq!(problem.errors.len(), 2, "its length and its pattern");
        let document = api.get("/openapi.json").await.ok();
        let parameters = &document["paths"]["/parts/find"]["get"]["parameters"];
        assert_eq!(
            parameters[0],
            json!({
                "name": "startsWith", "in": "query", "description": "Begin of the name.", "required": true,
                "schema": parameters[0]["schema"]
            })
        );
        assert_eq!(
            (&parameters[0]["schema"]["minLength"], &parameters[1]["schema"]["default"]),
            (&json!(2), &json!(2))
        );
        assert_eq!(parameters[3]["schema"]["format"], "date-time");
        api.stop().await;
    });
}

#[derive(Debug, Schema)]
struct Listed {
    names: Vec<String>,
}

async fn listed(query: Query<Listed>) -> Result<Json<Vec<String>>> {
    Ok(Json(query.0.names))
}

#[test]
fn parameter_that_is_not_a_single_value_is_refused_at_start() {
    on_each(async |database, _| {
        let service = crate::resources::resources(database).await.route("/listed", get(listed));
        let error = service.migrate().await.unwrap().into_router().expect_err("a list").to_string();
        assert_eq!(
            error,
            "the route GET `/listed` takes the parameter `names`, which must be a single value, not JSON, bytes or a list"
        );
    });
}

#[test]
fn records_of_own_routes_have_entity_tags_and_preconditions() {
    on_each(async |database, app| {
        let lamp = app.store::<Part>().create(part("lamp", 5)).await.unwrap();
        let api = Api::start(database, service(database).await).await;
        let path = format!("/parts/{}", lamp.id);
        let tag = api.get(&path).await.expect(200).require("etag").to_owned();
        let touched = api.post(format!("{path}/touch"), &json!({})).header("if-match", &tag).await.expect(200);
        assert_eq!(touched.json()["stock"], 6);
        assert_eq!(touched.require("etag"), api.get(&path).await.expect(200).require("etag"));
        api.post(format!("{path}/touch"), &json!({})).header("if-match", &tag).await.problem("precondition_failed");
        let minimal = api.post(format!("{path}/touch"), &json!({})).header("prefer", "return=minimal").await;
        minimal.expect(204);
        assert_eq!(app.store::<Part>().get(lamp.id).await.unwrap().stock, 7);
        api.stop().await;
    });
}

#[test]
fn methods_panics_and_paths_are_answered_as_on_generated_routes() {
    on_each_backend(async |database| {
        let service = crate::resources::resources(database)
            .await
            .route("/parts/top", get(top))
            .route("/panics", post(panicking).undocumented())
            .migrate()
            .await
            .unwrap();
        let parts = service.store::<Part>();
        for (name, stock) in [("a", 1), ("b", 3), ("c", 2)] {
            parts.create(part(name, stock)).await.unwrap();
        }
        let api = Api::start(database, service).await;
        assert_eq!(api.get("/parts/top?limit=2").await.ok(), json!(["b", "c"]));
        assert_eq!(api.head("/parts/top").await.expect(200).text(), "");
        let refused = api.post("/parts/top", &json!({})).await;
        assert_eq!(refused.require("allow"), "GET, HEAD, OPTIONS");
        refused.problem("method_not_allowed");
        api.post("/panics", &json!({})).await.problem("internal");
        api.get("/parts/bottom").await.problem("validation_failed");
        api.stop().await;
    });
}

#[test]
fn own_routes_need_their_access_and_act_as_the_principal() {
    on_each(async |database, app| {
        let lamp = app.store::<Part>().create(part("lamp", 5)).await.unwrap();
        let service = crate::resources::resources(database)
            .await
            .auth(Auth::builder().secret(SECRET).build().unwrap())
            .route("/parts/{id}/touch", post(touch).access(Access::Role("staff")))
            .route("/parts/top", get(top).access(Access::Public))
            .migrate()
            .await
            .unwrap();
        let api = Api::start(database, service).await;
        let path = format!("/parts/{}/touch", lamp.id);
        let call = async |roles: &[&str]| {
            let token = format!("Bearer {}", token("7", roles));
            api.post(&path, &json!({})).header("authorization", &token).await
        };
        assert_eq!(api.get("/parts/top").await.ok(), json!(["lamp"]));
        api.post(&path, &json!({})).await.problem("authentication_failed");
        call(&["customer"]).await.problem("permission_denied");
        assert_eq!(call(&["staff"]).await.ok()["stock"], 6);
        let log = app.store::<AuditRecord>();
        let updates = log.list(AuditRecord::FIELDS.action.eq("update")).await.unwrap();
        assert_eq!(updates.iter().map(|entry| entry.user_id).collect::<Vec<_>>(), [Some(7)]);
        api.stop().await;
    });
}

#[test]
fn document_has_own_routes() {
    on_each(async |database, _| {
        let document = service(database).await.openapi_json().unwrap();
        let take = &document["paths"]["/parts/{id}/take"]["post"];
        assert_eq!((&take["summary"], &take["operationId"]), (&json!("Take parts"), &json!("takePart")));
        assert_eq!(
            take["requestBody"]["content"]["application/json"]["schema"]["$ref"],
            "#/components/schemas/TakeBody"
        );
        let created = &take["responses"]["201"]["content"]["application/json"]["schema"]["$ref"];
        assert_eq!(created, "#/components/schemas/Booking");
        for status in ["404", "409", "412", "422", "5XX"] {
            assert!(take["responses"][status].is_object(), "{status}");
        }
        let body = &document["components"]["schemas"]["TakeBody"];
        assert_eq!((&body["properties"]["quantity"]["maximum"], &body["required"]), (&json!(10), &json!(null)));
        assert!(document["paths"]["/parts/top"]["get"].is_object() && document["paths"]["/panics"].is_null());
    });
}

#[test]
fn route_that_does_not_fit_is_refused_at_start() {
    on_each(async |database, _| {
        async fn of_booking(_: Locked<Booking>) -> Result<()> {
            Ok(())
        }
        let resources = async || crate::resources::resources(database).await;
        for service in vec![
            resources().await.route("/parts", post(top)),
            resources().await.route("/parts/{id}", get(top)),
            resources().await.route("/parts//b", post(top)),
            resources().await.route("/parts/touch", post(touch)),
            resources().await.route("/parts/{id}/touch", get(touch)),
            resources().await.route("/parts/{id}/book", post(of_booking)),
            resources().await.route("/health", post(top)),
            resources().await.route("no-slash", post(top)),
            resources().await.route("/top", get(top)).route("/top", get(top)),
        ] {
            let error = service.into_router().unwrap_err();
            assert!(matches!(&error, Error::Setup(text) if text.starts_with("the route ")), "{error:?}");
        }
    });
}

/// A resource that no service here has.
#[derive(Debug, Clone, Resource)]
struct Absent {
    id: i64,
    name: String,
}

#[test]
fn route_about_records_of_an_unregistered_resource_is_refused_at_start() {
    http::on_each_backend(async |database| {
        async fn created(_: Context) -> Result<Created<Absent>> {
            Ok(Created(Absent { id: 1, name: String::new() }))
        }
        async fn record(_: Context) -> Result<Record<Absent>> {
            Ok(Record(Absent { id: 1, name: String::new() }))
        }
        async fn listed(_: Context, _: ListParameters<Absent>) -> Result<Json<u8>> {
            Ok(Json(0))
        }
        async fn logged(_: Context, _: ListParameters<AuditRecord>) -> Result<Json<u8>> {
            Ok(Json(0))
        }
        let resources = async || crate::resources::resources(database).await;
        for service in [
            resources().await.route("/absents", get(listed)),
            resources().await.route("/absents", post(created)),
            resources().await.route("/parts/{id}/absent", get(record)),
            resources().await.replace::<Booking>(Operation::Get, handler(record)),
        ] {
            let error = service.into_router().unwrap_err().to_string();
            assert!(error.contains("`Service::resource::<Absent>()`"), "{error}");
        }
        // The service's own tables are there without being registered.
        let _: crud_runtime::axum::Router = resources().await.route("/log", get(logged)).into_router().unwrap();
    });
}

#[test]
fn store_of_an_unregistered_resource_names_it() {
    on_each_backend(async |database| {
        let app = crate::resources::resources(database).await.migrate().await.unwrap().app();
        let absent = app.store::<Absent>();
        let read = absent.list(Select::all()).await.map(drop);
        let written = absent.create(NewAbsent { name: "a".to_owned() }).await.map(drop);
        for result in [read, written] {
            let mut error: &dyn std::error::Error = &result.unwrap_err();
            while let Some(cause) = error.source() {
                error = cause;
            }
            let text = error.to_string();
            assert!(text.contains("Absent") && text.contains("`Service::resource::<Absent>()`"), "{text}");
            assert!(!text.contains("migrate"), "{text}");
        }
    });
}

#[test]
fn routers_and_layers_of_the_program_have_the_services_middleware() {
    on_each_backend(async |database| {
        use crud_runtime::axum::http::HeaderValue;
        use crud_runtime::axum::middleware::map_response;
        use crud_runtime::axum::response::Response;
        use crud_runtime::axum::routing::get;

        async fn mark(mut response: Response) -> Response {
            response.headers_mut().insert("x-mark", HeaderValue::from_static("yes"));
            response
        }
        async fn panics() -> &'static str {
            panic!("a handler's mistake")
        }
        let own =
            crud_runtime::axum::Router::new().route("/plain", get(async || "plain")).route("/panics", get(panics));
        let service = crate::resources::resources(database).await.merge(own).layer(map_response(mark));
        let api = Api::start(database, service.migrate().await.unwrap()).await;
        for (path, status) in [("/plain", 200), ("/parts", 200), ("/nothing", 404)] {
            let answer = api.get(path).await.expect(status);
            assert_eq!(answer.require("x-mark"), "yes", "{path}");
            answer.require("x-request-id");
        }
        api.get("/panics").await.problem("internal");
        api.stop().await;
    });
}

#[test]
fn merged_route_that_is_there_already_is_refused_at_start() {
    use crud_runtime::ServiceState;
    use crud_runtime::axum::Router;
    use crud_runtime::axum::routing::{get, post};

    on_each_backend(async |database| {
        let own = |path: &str| Router::new().route(path, get(async || "own"));
        let stateful = |path: &str| Router::<ServiceState>::new().route(path, get(async || "own"));
        let service = async || crate::resources::resources(database).await;
        for (service, says) in [
            (service().await.merge(own("/parts")), "/parts"),
            (service().await.merge(own("/parts/{key}")), "/parts/{"),
            (service().await.merge(own("/health")), "/health"),
            (service().await.merge(own("/openapi.json")), "/openapi.json"),
            (service().await.merge(own("/plain")).merge(own("/plain")), "/plain"),
            (service().await.merge(own("/plain")).merge_with_state(stateful("/plain")), "/plain"),
            (service().await.route("/top", crud_runtime::routing::get(top)).merge(own("/top")), "/top"),
        ] {
            let error = service.into_router().unwrap_err();
            let text = error.to_string();
            assert!(matches!(error, Error::Setup(_)) && text.contains("merged router"), "{text}");
            assert!(text.contains(says), "{text}");
        }
        let both = service().await.merge(own("/plain")).merge(Router::new().route("/plain", post(async || "posted")));
        drop(both.into_router().expect("other methods of one path"));
    });
}

#[test]
fn errors_of_merged_routes_are_problems() {
    use crud_runtime::axum::extract::{DefaultBodyLimit, Path};
    use crud_runtime::axum::http::StatusCode;
    use crud_runtime::axum::response::{AppendHeaders, IntoResponse};
    use crud_runtime::axum::routing::{get, post};
    use crud_runtime::axum::{Json as JsonBody, Router};

    async fn number(Path(number): Path<i64>, body: JsonBody<Vec<i64>>) -> String {
        format!("{number} {}", body.len())
    }
    async fn text() -> impl IntoResponse {
        (StatusCode::CONFLICT, AppendHeaders([("x-more", "a"), ("x-more", "b")]), "not while it rains")
    }
    async fn own() -> impl IntoResponse {
        (StatusCode::CONFLICT, JsonBody(json!({ "mine": true })))
    }
    async fn fails() -> Result<String, (StatusCode, &'static str)> {
        Err((StatusCode::INTERNAL_SERVER_ERROR, "the password of the database is hunter2"))
    }
    on_each_backend(async |database| {
        let own = Router::new()
            .route("/numbers/{number}", post(number))
            .route("/text", get(text))
            .route("/own", get(own))
            .route("/empty", get(async || StatusCode::NOT_FOUND))
            .route("/fails", get(fails))
            .layer(DefaultBodyLimit::max(100));
        let service = crate::resources::resources(database).await.merge(own);
        let api = Api::start(database, service.migrate().await.unwrap()).await;
        api.post("/numbers/x", &json!([1])).await.problem("malformed_request");
        api.post("/numbers/1", &json!(vec![1; 100])).await.problem("body_too_large");
        let wrong = api.post("/numbers/1", &json!(["a"])).await.problem("validation_failed");
        let error = wrong.only();
        assert_eq!((error.at.as_str(), error.code.as_str()), ("pointer /0", "type"));
        assert_eq!(error.detail, "invalid type: string \"a\", expected i64");
        let other = api.get("/numbers/1").await;
        assert_eq!(other.require("allow"), "POST");
        other.problem("method_not_allowed");
        let unsupported = api.request(reqwest::Method::POST, "/numbers/1").body("text/csv", "1").await;
        unsupported.problem("unsupported_media_type");
        let text = api.get("/text").await;
        assert_eq!(text.headers("x-more"), ["a", "b"]);
        assert_eq!(text.problem("conflict").detail, "not while it rains");
        assert_eq!(api.get("/empty").await.problem("not_found").detail, "not found");
        assert_eq!(api.get("/fails").await.problem("internal").detail, "internal error");
        let own = api.stream("/own").await;
        assert_eq!((own.status().as_u16(), own.text().await.unwrap()), (409, json!({ "mine": true }).to_string()));
        assert_eq!(api.post("/numbers/1", &json!([1])).await.expect(200).text(), "1 1");
        api.stop().await;
    });
}

#[test]
fn routers_with_the_services_state_need_no_with_state() {
    use crud_runtime::ServiceState;
    use crud_runtime::axum::extract::{Query, State};
    use crud_runtime::axum::routing::get;
    use std::collections::HashMap;

    async fn hello(
        caller: Principal,
        State(state): State<ServiceState>,
        query: Query<HashMap<String, String>>,
    ) -> String {
        let parts = state.app().store::<Part>().count(Select::all()).await.expect("the table");
        format!("{} {parts} {}", caller.subject(), query.get("x").map_or("", String::as_str))
    }
    on_each(async |database, app| {
        app.store::<Part>().create(part("lamp", 5)).await.unwrap();
        let own = crud_runtime::axum::Router::new().route("/hello", get(hello));
        let auth = Auth::builder().secret(SECRET).build().unwrap();
        let service = crate::resources::resources(database).await.auth(auth).merge_with_state(own);
        let test = service.test().await.unwrap();
        test.get("/hello").await.problem("authentication_failed");
        assert_eq!(test.as_role("staff").get("/hello?x=y").await.expect(200).text(), "test 1 y");
    });
}
