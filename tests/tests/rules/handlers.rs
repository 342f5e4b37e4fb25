//! Own routes: transactions of handlers, methods and paths, layers.

use std::time::Duration;

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::auth::Auth;
use crud_runtime::axum::Json;
use crud_runtime::axum::body::Body;
use crud_runtime::axum::extract::{FromRequestParts, Path, Request, State};
use crud_runtime::axum::http::request::Parts;
use crud_runtime::axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use crud_runtime::axum::middleware::{Next, from_fn, map_response};
use crud_runtime::axum::response::{IntoResponse, Redirect, Response};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{
    Context, DescribeArgument, Described, Locked, Record, Undescribed, Valid, delete, get, on, post, put,
};
use crud_tests::{Api, RawConnection, http, on_each_backend, within};
use serde::Deserialize;
use serde_json::json;

use crate::resources::{Part, PartPatch, on_each, part, resources};

const SECRET: &str = "the secret of these tests, which is public";

pub(crate) fn auth() -> Auth {
    Auth::builder().secret(SECRET).build().expect("the authentication")
}

#[derive(Debug, Deserialize, Schema)]
pub(crate) struct End {
    pub(crate) how: String,
}

/// Takes one from stock, and ends in the way that the request says.
async fn end(
    ctx: Context,
    part: Locked<Part>,
    Valid(body): Valid<End>,
) -> Result<Option<(HeaderMap, Record<Part>)>, Response> {
    let taken = PartPatch::default().add(Part::FIELDS.stock, -1);
    let part = ctx.store::<Part>().update(part.id, taken).await.map_err(IntoResponse::into_response)?;
    match &*body.how {
        "well" => Ok(Some((HeaderMap::new(), Record(part)))),
        "none" => Ok(None),
        "error" => Err(Problem::new(Code::Conflict, "not today").into_response()),
        "redirect" => Err(Redirect::to("/elsewhere").into_response()),
        "panic" => panic!("a handler's mistake"),
        "hang" => std::future::pending().await,
        _ => Err(StatusCode::OK.into_response()),
    }
}

async fn teapot(ctx: Context, part: Locked<Part>) -> Result<(StatusCode, Json<&'static str>)> {
    ctx.store::<Part>().update(part.id, PartPatch::default().add(Part::FIELDS.stock, -1)).await?;
    Ok((StatusCode::IM_A_TEAPOT, Json("short and stout")))
}

/// Says that all went well, whatever the handler says.
async fn whitewash(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::OK;
    response
}

#[test]
fn success_alone_commits_the_transaction_of_a_locked_record() {
    on_each(async |database, app| {
        let lamp = app.store::<Part>().create(part("lamp", 9)).await.expect("a part");
        let service = resources(database)
            .await
            .limits(|limits| limits.request_timeout(Duration::from_secs(2)))
            .route("/parts/{id}/end", post(end))
            .route("/parts/{id}/washed", post(end).layer(map_response(whitewash)))
            .route("/parts/{id}/teapot", post(teapot));
        let test = service.test().await.expect("the service");
        let stock = async || app.store::<Part>().get(lamp.id).await.expect("the part").stock;
        let path = format!("/parts/{}/end", lamp.id);
        let call = |how: &str| test.post(&path, json!({ "how": how }));
        assert_eq!(call("well").await.expect(200).json()["stock"], 8);
        assert_eq!(stock().await, 8);
        call("none").await.problem("not_found");
        call("error").await.problem("conflict");
        assert_eq!(call("redirect").await.expect(303).header("location"), Some("/elsewhere"));
        call("panic").await.problem("internal");
        call("hang").await.problem("timeout");
        // An error is one, whatever its status says.
        call("else").await.expect(200);
        test.post(&path, json!({ "hwo": "well" })).await.problem("validation_failed");
        test.post(format!("/parts/{}/teapot", lamp.id), json!({})).await.expect(418);
        let washed = test.post(format!("/parts/{}/washed", lamp.id), json!({ "how": "error" })).await;
        washed.expect(200);
        assert_eq!(stock().await, 8, "a failure was committed");
        assert_eq!(
            test.post(format!("/parts/{}/washed", lamp.id), json!({ "how": "well" })).await.expect(200).json()["stock"],
            7
        );
        assert_eq!(stock().await, 7);
    });
}

/// Ends after every limit.
async fn hang() -> Result<()> {
    std::future::pending().await
}

#[test]
fn answer_to_a_change_that_timed_out_says_that_it_may_stand() {
    http::on_each_backend(async |database| {
        let service = resources(database)
            .await
            .limits(|limits| limits.request_timeout(Duration::from_millis(200)))
            .route("/hang", get(hang).access(Access::Public))
            .route("/hang", post(hang).access(Access::Public));
        let test = service.test().await.expect("the service");
        assert_eq!(test.get("/hang").await.problem("timeout")["detail"], "the request took too long");
        let change = test.post("/hang", json!({})).await.problem("timeout");
        assert_eq!(change["detail"], "the request took too long; its change may have been applied, or may still be");
    });
}

async fn outside(State(app): State<App>, part: Locked<Part>) -> Result<()> {
    app.store::<Part>().update(part.id, PartPatch::default().add(Part::FIELDS.stock, 1)).await.map(drop)
}

#[test]
fn store_of_the_state_beside_a_locked_record_fails_at_once() {
    on_each(async |database, app| {
        let lamp = app.store::<Part>().create(part("lamp", 9)).await.expect("a part");
        let service = resources(database).await.route("/parts/{id}/outside", post(outside));
        let test = service.test().await.expect("the service");
        let refused = test.post(format!("/parts/{}/outside", lamp.id), json!({}));
        within(Duration::from_secs(1), "the refusal", async { refused.await.problem("internal") }).await;
        assert_eq!(app.store::<Part>().get(lamp.id).await.expect("the part").stock, 9);
    });
}

#[test]
fn trickling_body_holds_no_lock() {
    on_each(async |database, app| {
        let lamp = app.store::<Part>().create(part("lamp", 9)).await.expect("a part");
        let service =
            resources(database).await.route("/parts/{id}/end", post(end)).migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let body = r#"{"how":"well"}"#;
        let mut slow = RawConnection::connect(api.address()).await;
        slow.send(format!(
            "POST /parts/{}/end HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Expect: 100-continue\r\n\r\n",
            lamp.id,
            body.len()
        ))
        .await;
        assert_eq!(slow.answer().await.expect("an answer").status, 100);
        slow.send(&body[..5]).await;
        let more = PartPatch::default().add(Part::FIELDS.stock, 1);
        let write = async { app.store::<Part>().update(lamp.id, more).await.expect("the change") };
        within(Duration::from_millis(500), "another writer", write).await;
        slow.send(&body[5..]).await;
        assert_eq!(slow.answer().await.expect("an answer").status, 200);
        assert_eq!(app.store::<Part>().get(lamp.id).await.expect("the part").stock, 9);
        api.stop().await;
    });
}

/// A part that an extractor of the program locks.
struct Held(Locked<Part>);

impl<S: Send + Sync> FromRequestParts<S> for Held {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Locked::<Part>::from_request_parts(parts, state).await.map(Self)
    }
}

impl<S> DescribeArgument<S> for Held {
    fn describe(described: &mut Described) {
        <Locked<Part> as DescribeArgument<S>>::describe(described);
    }
}

async fn take_held(ctx: Context, Held(part): Held, _: Body) -> Result<Record<Part>> {
    let taken = PartPatch::default().add(Part::FIELDS.stock, -1);
    Ok(Record(ctx.store::<Part>().update(part.id, taken).await?))
}

async fn take_hidden(_: Undescribed<Locked<Part>>, _: Body) {}

#[test]
fn lock_that_no_argument_describes_is_refused() {
    on_each(async |database, app| {
        let lamp = app.store::<Part>().create(part("lamp", 9)).await.expect("a part");
        let service = resources(database).await;
        let service = service.route("/parts/{id}/held", post(take_held)).route("/parts/{id}/hidden", post(take_hidden));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.post(format!("/parts/{}/hidden", lamp.id), &json!({})).await.problem("internal");
        let mut slow = RawConnection::connect(api.address()).await;
        slow.send(format!(
            "POST /parts/{}/held HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
            lamp.id
        ))
        .await;
        assert_eq!(slow.answer().await.expect("an answer").status, 100);
        slow.send("a").await;
        let more = PartPatch::default().add(Part::FIELDS.stock, 1);
        let write = async { app.store::<Part>().update(lamp.id, more).await.expect("the change") };
        within(Duration::from_millis(500), "another writer", write).await;
        slow.send("b").await;
        assert_eq!(slow.answer().await.expect("an answer").status, 200);
        assert_eq!(app.store::<Part>().get(lamp.id).await.expect("the part").stock, 9);
        api.stop().await;
    });
}

async fn path(Path(parameters): Path<Vec<(String, String)>>) -> Json<Vec<String>> {
    Json(parameters.into_iter().map(|(name, value)| format!("{name}={value}")).collect())
}

#[test]
fn routes_have_any_method_and_path_that_no_generated_route_has() {
    on_each_backend(async |database| {
        let service = resources(database)
            .await
            .route("/parts/{id}/lines/{line}", put(path))
            .route("/parts", delete(async || Json("all gone")))
            .route("/parts/{id}/bookings/summary", get(async || "a summary"))
            .route("/parts/cache", on(Method::from_bytes(b"PURGE").expect("a method"), async || {}))
            .route("/parts:count", get(async || "seven"))
            .route("/@me", get(async || "ann"))
            .route("/files/{*path}", put(path));
        let test = service.test().await.expect("the service");
        let line = test.put("/parts/7/lines/a%20b", json!({})).await.expect(200).json();
        assert_eq!(line, json!(["id=7", "line=a b"]));
        let file = test.put("/files/2026/a%20b.txt", json!({})).await.expect(200).json();
        assert_eq!(file, json!(["path=2026/a b.txt"]));
        let document = test.get("/openapi.json").await.expect(200).json();
        assert_eq!(document["paths"]["/files/{path}"]["parameters"][0]["name"], "path");
        assert_eq!(test.get("/parts:count").await.expect(200).text(), "seven");
        assert_eq!(test.get("/@me").await.expect(200).text(), "ann");
        assert_eq!(test.delete("/parts").await.expect(200).json(), "all gone");
        assert_eq!(test.get("/parts/7/bookings/summary").await.expect(200).text(), "a summary");
        let purge = || test.request(Method::from_bytes(b"PURGE").expect("a method"), "/parts/cache");
        purge().await.expect(204);
        let refused = test.patch("/parts", json!({})).await;
        assert_eq!(refused.header("allow"), Some("GET, HEAD, POST, QUERY, DELETE, OPTIONS"));
        refused.problem("method_not_allowed");
    });
}

/// Marks the answers that a layer sees.
async fn marking(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert("x-layer", HeaderValue::from_static("seen"));
    response
}

#[test]
fn layer_of_a_route_is_around_its_handler_alone() {
    http::on_each_backend(async |database| {
        let service = database.service().await.auth(auth());
        let service = service
            .route("/with", get(async || "with").access(Access::Authenticated).layer(from_fn(marking)))
            .route("/without", get(async || "without").access(Access::Authenticated));
        let test = service.test().await.expect("the service");
        let staff = test.as_role("staff");
        assert_eq!(staff.get("/with").await.expect(200).header("x-layer"), Some("seen"));
        assert_eq!(staff.request(Method::HEAD, "/with").await.expect(200).header("x-layer"), Some("seen"));
        assert_eq!(staff.get("/without").await.expect(200).header("x-layer"), None);
        assert_eq!(test.get("/with").await.expect(401).header("x-layer"), None);
    });
}
