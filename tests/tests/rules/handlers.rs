//! axum's handlers as own routes: extractors, rejections, answers, transactions, layers, the document.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crud_runtime::access::Access;
use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::Json;
use crud_runtime::axum::body::{Body, Bytes};
use crud_runtime::axum::extract::multipart::MultipartError;
use crud_runtime::axum::extract::{
    Extension, FromRef, FromRequestParts, Multipart, OriginalUri, Path, Query, Request, State,
};
use crud_runtime::axum::http::request::Parts;
use crud_runtime::axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use crud_runtime::axum::middleware::{Next, from_fn, map_response};
use crud_runtime::axum::response::sse::{Event, Sse};
use crud_runtime::axum::response::{Html, IntoResponse, Redirect, Response};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{
    Context, Created, DescribeArgument, Described, Locked, Record, Routes, Status, Undescribed, Valid, delete, get, on,
    post, put,
};
use crud_runtime::{Page, Result};
use crud_tests::{Api, RawConnection, http, on_each_backend, within};
use futures_util::{Stream, stream};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, IntoResponses, ToSchema};

use crate::resources::{Booking, NewBooking, NewPart, Part, PartPatch, on_each, part, resources};

const SECRET: &str = "the secret of these tests, which is public";

fn auth() -> Auth {
    Auth::builder().secret(SECRET).build().expect("the authentication")
}

#[derive(Debug, Deserialize, ToSchema)]
struct Order {
    pieces: i32,
    lines: Vec<Line>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct Line {
    price: i64,
}

#[derive(Debug, Serialize, ToSchema)]
struct Ordered {
    part: i64,
    pieces: i32,
    total: i64,
    by: String,
}

#[derive(Debug, Clone)]
struct Shop {
    name: &'static str,
    orders: Arc<AtomicU32>,
}

impl FromRef<Shop> for Arc<AtomicU32> {
    fn from_ref(shop: &Shop) -> Self {
        shop.orders.clone()
    }
}

#[allow(clippy::too_many_arguments, reason = "a handler takes up to sixteen")]
async fn order(
    Path((part, kind)): Path<(i64, String)>,
    State(shop): State<Shop>,
    State(orders): State<Arc<AtomicU32>>,
    Extension(color): Extension<&'static str>,
    headers: HeaderMap,
    uri: OriginalUri,
    ctx: Context,
    Json(order): Json<Order>,
) -> Result<Status<201, Json<Ordered>>, Problem> {
    orders.fetch_add(1, Ordering::Relaxed);
    let agent = headers.get("user-agent").map_or("none", |agent| agent.to_str().unwrap_or("?"));
    let by = format!("{} {color} {kind} {agent} {} {}", shop.name, uri.path(), ctx.app().now().year() > 2000);
    let total = order.lines.iter().map(|line| line.price).sum();
    Ok(Status(Json(Ordered { part, pieces: order.pieces, total, by })))
}

fn orders(shop: Shop) -> Routes {
    let order = post(order).layer(Extension("red"));
    Routes::new().route("/parts/{id}/orders/{kind}", order).with_state(shop)
}

#[test]
fn extractors_of_axum_over_the_programs_state_are_arguments() {
    on_each_backend(async |database| {
        let shop = Shop { name: "north", orders: Arc::default() };
        let test = resources(database).await.routes(orders(shop.clone())).test().await.expect("the service");
        let body = json!({ "pieces": 2, "lines": [{ "price": 3 }, { "price": 4 }] });
        let answer = test.post("/parts/7/orders/big", &body).header("user-agent", "ann").await.expect(201).json();
        let by = "north red big ann /parts/7/orders/big true";
        assert_eq!(answer, json!({ "part": 7, "pieces": 2, "total": 7, "by": by }));
        assert_eq!(shop.orders.load(Ordering::Relaxed), 1);
    });
}

async fn counted(State(app): State<App>) -> Result<Json<u64>> {
    Ok(Json(app.store::<Part>().count(Select::all()).await?))
}

#[allow(clippy::too_many_arguments, reason = "a handler takes up to sixteen")]
async fn many(
    _: Context,
    _: HeaderMap,
    _: Method,
    _: OriginalUri,
    _: State<App>,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    Json(body): Json<Vec<i64>>,
) -> Json<usize> {
    Json(body.len())
}

#[test]
fn handlers_take_sixteen_arguments_and_the_services_state() {
    on_each_backend(async |database| {
        let service = resources(database).await.route("/many", post(many)).route("/counted", get(counted));
        let test = service.test().await.expect("the service");
        assert_eq!(test.post("/many", json!([1, 2, 3])).await.expect(200).json(), 3);
        test.store::<Part>().create(part("lamp", 1)).await.expect("a part");
        assert_eq!(test.get("/counted").await.expect(200).json(), 1);
    });
}

/// Counts the requests that reach it.
struct Reached;

static REACHED: AtomicU32 = AtomicU32::new(0);

impl<S: Send + Sync> FromRequestParts<S> for Reached {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
        REACHED.fetch_add(1, Ordering::Relaxed);
        Ok(Self)
    }
}

impl<S> DescribeArgument<S> for Reached {}

async fn guarded(_: Reached, caller: Principal, Json(order): Json<Order>) -> String {
    format!("{} {}", caller.subject(), order.pieces)
}

#[test]
fn access_and_limits_come_before_every_extractor() {
    http::on_each_backend(async |database| {
        let service = database.service().await.auth(auth());
        let route = post(guarded).access(Access::Role("staff")).body_limit(100);
        let test = service.route("/guarded", route).test().await.expect("the service");
        let before = REACHED.load(Ordering::Relaxed);
        test.post("/guarded", json!("no order")).await.problem("authentication_failed");
        test.as_role("guest").post("/guarded", json!("no order")).await.problem("permission_denied");
        let large = json!({ "pieces": 1, "lines": vec![json!({ "price": 1 }); 20] });
        test.as_role("staff").post("/guarded", &large).await.problem("body_too_large");
        assert_eq!(REACHED.load(Ordering::Relaxed), before, "an extractor ran");
        let staff = test.as_principal(Principal::new("7").with_roles(["staff"]));
        let answer = staff.post("/guarded", json!({ "pieces": 1, "lines": [] })).await.expect(200);
        assert_eq!(answer.text(), "7 1");
    });
}

/// A signature, which another system sends.
struct Signature;

impl<S: Send + Sync> FromRequestParts<S> for Signature {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        match parts.headers.get("x-signature").and_then(|value| value.to_str().ok()) {
            Some("good") => Ok(Self),
            Some("json") => Err((StatusCode::CONFLICT, Json(json!({ "mine": 1 }))).into_response()),
            Some("html") => Err((StatusCode::FORBIDDEN, Html("<p>no</p>")).into_response()),
            Some("away") => Err(Redirect::to("/login").into_response()),
            _ => Err((StatusCode::FORBIDDEN, "a signature is needed").into_response()),
        }
    }
}

impl<S> DescribeArgument<S> for Signature {
    fn describe(described: &mut Described) {
        described.header("X-Signature", "The signature of the body.");
        described.problem(Code::PermissionDenied);
    }
}

async fn signed(_: Signature, Path(number): Path<i64>, Json(order): Json<Order>) -> Json<i64> {
    Json(number + i64::from(order.pieces))
}

#[test]
fn rejections_of_axum_become_problems_and_those_of_the_program_stay() {
    http::on_each_backend(async |database| {
        let service = database.service().await.route("/signed/{number}", post(signed));
        let test = service.test().await.expect("the service");
        let order = json!({ "pieces": 1, "lines": [] });
        let send = |path: &str, signature: &str, body: &Value| test.post(path, body).header("x-signature", signature);
        assert_eq!(send("/signed/2", "good", &order).await.expect(200).json(), 3);
        send("/signed/x", "good", &order).await.problem("malformed_request");
        let wrong = json!({ "pieces": 1, "lines": [{ "price": "x" }] });
        let problem = send("/signed/2", "good", &wrong).await.problem("validation_failed");
        assert_eq!(problem["errors"][0]["pointer"], "/lines/0/price", "{problem}");
        let csv = test.request(Method::POST, "/signed/2").body("text/csv", "1").header("x-signature", "good");
        csv.await.problem("unsupported_media_type");
        let refused = send("/signed/2", "none", &order).await.problem("permission_denied");
        assert_eq!(refused["detail"], "a signature is needed");
        assert_eq!(send("/signed/2", "json", &order).await.expect(409).json(), json!({ "mine": 1 }));
        assert_eq!(send("/signed/2", "html", &order).await.expect(403).text(), "<p>no</p>");
        assert_eq!(send("/signed/2", "away", &order).await.expect(303).header("location"), Some("/login"));
    });
}

#[derive(Debug, Deserialize, Schema)]
struct End {
    how: String,
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

async fn farewell(ctx: Context, part: Record<Part>) -> Result<Record<Part>> {
    ctx.store::<Part>().delete(part.id).await?;
    Ok(part)
}

async fn all(ctx: Context) -> Result<Vec<Part>> {
    ctx.store::<Part>().list(Part::FIELDS.id.asc()).await
}

async fn paged(ctx: Context) -> Result<Page<Part>> {
    ctx.store::<Part>().page(Select::from(Part::FIELDS.id.asc()).limit(2)).await
}

async fn first(ctx: Context, Query(of): Query<Named>) -> Result<Option<Part>> {
    ctx.store::<Part>().first(Part::FIELDS.name.eq(of.name)).await
}

#[derive(Debug, Deserialize, IntoParams)]
struct Named {
    /// The name of the part.
    name: String,
}

async fn booked(ctx: Context, part: Record<Part>) -> Result<(HeaderMap, Created<Booking>)> {
    let booking = ctx.store::<Booking>().create(NewBooking { part_id: part.id, quantity: 1 }).await?;
    let mut headers = HeaderMap::new();
    headers.insert("x-part", part.name.parse().expect("a header"));
    Ok((headers, Created(booking)))
}

#[test]
fn records_are_answered_as_the_handler_holds_them() {
    on_each_backend(async |database| {
        let service = resources(database)
            .await
            .route("/parts/{id}/farewell", post(farewell))
            .route("/parts/all", get(all))
            .route("/parts/paged", get(paged))
            .route("/parts/first", get(first))
            .route("/parts/{id}/booked", post(booked));
        let test = service.test().await.expect("the service");
        for name in ["lamp", "wire", "bulb"] {
            test.store::<Part>().create(part(name, 1)).await.expect("a part");
        }
        let listed = test.get("/parts?sort=id").await.expect(200).json();
        assert_eq!(test.get("/parts/all").await.expect(200).json(), listed);
        let page = test.get("/parts/paged").await.expect(200);
        assert_eq!((page.header("x-total-count"), page.header("content-range")), (Some("3"), Some("parts 0-1/3")));
        assert_eq!(page.json()["data"].as_array().map(Vec::len), Some(2));
        let one = test.get("/parts/2").await.expect(200);
        let found = test.get("/parts/first?name=wire").await.expect(200);
        assert_eq!((found.text(), found.header("etag")), (one.text(), one.header("etag")));
        test.get("/parts/first?name=none").await.problem("not_found");
        test.get("/parts/first").await.problem("malformed_request");
        let booked = test.post("/parts/2/booked", json!({})).await.expect(201);
        assert_eq!((booked.header("location"), booked.header("x-part")), (Some("/bookings/1"), Some("wire")));
        // Nothing is read again.
        assert_eq!(test.post("/parts/1/farewell", json!({})).await.expect(200).json(), listed[0]);
        test.post("/parts/1/farewell", json!({})).await.problem("not_found");
        test.post("/parts/x/farewell", json!({})).await.problem("validation_failed");
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
            .route("/parts/cache", on(Method::from_bytes(b"PURGE").expect("a method"), async || {}));
        let test = service.test().await.expect("the service");
        let line = test.put("/parts/7/lines/a%20b", json!({})).await.expect(200).json();
        assert_eq!(line, json!(["id=7", "line=a b"]));
        assert_eq!(test.delete("/parts").await.expect(200).json(), "all gone");
        assert_eq!(test.get("/parts/7/bookings/summary").await.expect(200).text(), "a summary");
        let purge = || test.request(Method::from_bytes(b"PURGE").expect("a method"), "/parts/cache");
        purge().await.expect(204);
        let refused = test.patch("/parts", json!({})).await;
        assert_eq!(refused.header("allow"), Some("GET, HEAD, POST, DELETE, OPTIONS"));
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

async fn sum(Valid(body): Valid<End>, bytes: Bytes) -> Json<Vec<usize>> {
    Json(vec![body.how.len(), bytes.len()])
}

async fn streamed(body: Body) -> Result<Json<usize>> {
    let bytes = crud_runtime::axum::body::to_bytes(body, usize::MAX).await.map_err(Problem::internal)?;
    Ok(Json(bytes.len()))
}

async fn raw(request: Request) -> Result<Json<usize>, (StatusCode, &'static str)> {
    let read = crud_runtime::axum::body::to_bytes(request.into_body(), usize::MAX).await;
    read.map(|bytes| Json(bytes.len())).map_err(|_| (StatusCode::BAD_REQUEST, "it broke off"))
}

#[test]
fn bodies_are_bounded_whatever_extractor_reads_them() {
    http::on_each_backend(async |database| {
        let service = database
            .service()
            .await
            .route("/sum", post(sum))
            .route("/bytes", post(async |bytes: Bytes| Json(bytes.len())).body_limit(100))
            .route("/text", post(async |text: String| Json(text.len())).body_limit(100))
            .route("/streamed", post(streamed).body_limit(100))
            .route("/raw", post(raw).body_limit(100));
        let test = service.test().await.expect("the service");
        assert_eq!(test.post("/sum", json!({ "how": "well" })).await.expect(200).json(), json!([4, 14]));
        for path in ["/bytes", "/text", "/streamed", "/raw"] {
            let send = |size| test.request(Method::POST, path).body("text/plain", vec![b'x'; size]);
            assert_eq!(send(100).await.expect(200).json(), 100, "{path}");
            send(101).await.problem("body_too_large");
        }
        test.request(Method::POST, "/bytes").body("text/plain", vec![b'x'; 3_000_000]).await.problem("body_too_large");
    });
}

async fn add(ctx: Context, Json(new): Json<NewPart>) -> Result<Created<Part>> {
    Ok(Created(ctx.store::<Part>().create(new).await?))
}

async fn edit(ctx: Context, part: Record<Part>, Json(patch): Json<PartPatch>) -> Result<Record<Part>> {
    Ok(Record(ctx.store::<Part>().update(part.id, patch).await?))
}

#[test]
fn inputs_of_a_resource_are_bodies_with_the_meaning_of_its_own_routes() {
    on_each_backend(async |database| {
        let routes = Routes::new().route("/parts/add", post(add)).route("/parts/{id}/edit", post(edit));
        let test = resources(database).await.routes(routes).test().await.expect("the service");
        let added = test.post("/parts/add", json!({ "name": "bolt", "stock": 5, "price": "1.50" })).await.expect(201);
        assert_eq!(added.json(), test.get("/parts/1").await.expect(200).json());
        let edited = test.post("/parts/1/edit", json!({ "price": null, "stock": 7 })).await.expect(200).json();
        assert_eq!((&edited["name"], &edited["price"], &edited["stock"]), (&json!("bolt"), &Value::Null, &json!(7)));
        test.post("/parts/1/edit", json!({})).await.expect(200);
        for body in [json!({ "stok": 1 }), json!({ "stock": "many" }), json!({ "stock": null })] {
            let own = test.post("/parts/1/edit", &body).await.expect(422).json();
            let generated = test.patch("/parts/1", &body).await.expect(422).json();
            assert_eq!(own["errors"][0]["pointer"], generated["errors"][0]["pointer"], "{body}");
            assert_eq!(own["errors"][0]["detail"], generated["errors"][0]["detail"], "{body}");
        }
        // The rules of the fields are the store's.
        test.post("/parts/add", json!({ "name": "nut", "stock": -1 })).await.problem("validation_failed");
        test.post("/parts/add", json!({ "name": "bolt", "stock": 1 })).await.problem("conflict");
    });
}

/// A part whose price is for staff, and whose note is for the program.
#[derive(Debug, Clone, Resource)]
#[crud(derive(ToSchema))]
struct Priced {
    id: i64,
    name: String,
    #[crud(visible(role("staff")))]
    price: Option<i32>,
    #[crud(hidden)]
    note: Option<String>,
}

async fn add_priced(ctx: Context, Json(new): Json<NewPriced>) -> Result<Created<Priced>> {
    Ok(Created(ctx.store::<Priced>().create(new).await?))
}

async fn edit_priced(ctx: Context, part: Record<Priced>, Json(patch): Json<PricedPatch>) -> Result<Record<Priced>> {
    Ok(Record(ctx.store::<Priced>().update(part.id, patch).await?))
}

#[test]
fn inputs_of_a_resource_have_the_fields_that_the_caller_sees() {
    on_each_backend(async |database| {
        let access = || Access::Authenticated;
        let service = database.service().await.auth(auth()).resource::<Priced>();
        let routes = Routes::new()
            .route("/priceds/add", post(add_priced).access(access()))
            .route("/priceds/{id}/edit", post(edit_priced).access(access()));
        let store = service.store::<Priced>();
        let test = service.routes(routes).test().await.expect("the service");
        let (staff, guest) = (test.as_role("staff"), test.as_role("guest"));
        let new = json!({ "name": "bolt", "price": 5 });
        let [own, generated] =
            [guest.post("/priceds/add", &new).await, guest.post("/priceds", &new).await].map(|refused| {
                let problem = refused.expect(422).json();
                (problem["errors"][0]["pointer"].clone(), problem["errors"][0]["detail"].clone())
            });
        assert_eq!(own, generated);
        assert_eq!(own.0, "/price");
        let id = staff.post("/priceds/add", &new).await.expect(201).json()["id"].as_i64().expect("a key");
        let stored = store.get(id).await.expect("the part");
        assert_eq!((stored.price, stored.note), (Some(5), None));
        let path = format!("/priceds/{id}/edit");
        // A hidden field is one of no caller.
        for refused in [
            staff.post("/priceds/add", json!({ "name": "nut", "note": "x" })).await,
            staff.post("/priceds", json!({ "name": "nut", "note": "x" })).await,
            staff.post(&path, json!({ "note": "x" })).await,
        ] {
            assert_eq!(refused.expect(422).json()["errors"][0]["pointer"], "/note");
        }
        guest.post(&path, json!({ "price": 1 })).await.expect(422);
        guest.post(&path, json!({ "name": "nut" })).await.expect(200);
        staff.post(&path, json!({ "price": 6 })).await.expect(200);
        let stored = store.get(id).await.expect("the part");
        assert_eq!((&*stored.name, stored.price, stored.note), ("nut", Some(6), None));
    });
}

async fn upload(mut form: Multipart) -> Result<Json<Vec<String>>, MultipartError> {
    let mut parts = Vec::new();
    while let Some(part) = form.next_field().await? {
        let name = part.name().unwrap_or_default().to_owned();
        parts.push(format!("{name}: {}", part.bytes().await?.len()));
    }
    Ok(Json(parts))
}

#[test]
fn multipart_body_is_read_in_parts_within_the_limits() {
    http::on_each_backend(async |database| {
        let route = post(upload).access(Access::Public).body_limit(1_000);
        let test = database.service().await.route("/files", route).test().await.expect("the service");
        let send = |size: usize| {
            let part = |name: &str, size| {
                let text = "x".repeat(size);
                format!("--limit\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a\"\r\n\r\n{text}\r\n")
            };
            let body = part("photo", size) + &part("note", 5) + "--limit--\r\n";
            test.request(Method::POST, "/files").body("multipart/form-data; boundary=limit", body)
        };
        assert_eq!(send(300).await.expect(200).json(), json!(["photo: 300", "note: 5"]));
        send(1_000).await.problem("body_too_large");
        let broken =
            test.request(Method::POST, "/files").body("multipart/form-data; boundary=limit", "--limit\r\nbroken");
        broken.await.expect(400);
        test.request(Method::POST, "/files").body("text/plain", "x").await.problem("malformed_request");
        let document = test.get("/openapi.json").await.expect(200).json();
        let content = &document["paths"]["/files"]["post"]["requestBody"]["content"];
        assert_eq!(content, &json!({ "multipart/form-data": { "schema": { "type": "object" } } }));
    });
}

fn ticks() -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(0, async |tick: u32| {
        if tick > 0 {
            std::future::pending::<()>().await;
        }
        Some((Ok(Event::default().data("tick")), tick + 1))
    })
}

#[test]
fn event_stream_ends_when_the_service_stops() {
    http::on_each_backend(async |database| {
        let service = database.service().await.route("/ticks", get(async || Sse::new(ticks())));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let mut events = api.stream("/ticks").await;
        assert_eq!(events.chunk().await.expect("a chunk").expect("the first event"), "data: tick\n\n");
        let server = api.begin_stop();
        let ended = async {
            assert_eq!(events.chunk().await.expect("the end"), None);
            server.await.expect("no panic").expect("no failure");
        };
        within(Duration::from_secs(5), "the end of the stream", ended).await;
    });
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Range {
    #[crud(range(min = 1))]
    from: i32,
    to: Option<i32>,
}

async fn ranged(Path(year): Path<i32>, Query(range): Query<Range>) -> Json<Range> {
    Json(Range { from: year + range.from, to: range.to })
}

async fn queued(Json(range): Json<Range>) -> (StatusCode, Json<Range>) {
    (StatusCode::ACCEPTED, Json(range))
}

async fn ranges() -> Json<Vec<Range>> {
    Json(vec![Range { from: 1, to: None }])
}

async fn page_of_html(
    Undescribed(Query(query)): Undescribed<Query<Value>>,
) -> Result<Undescribed<Html<&'static str>>, Json<Refusal>> {
    if query["page"] == "2" { Err(Json(Refusal { error: "there is one page" })) } else { Ok(Undescribed(Html("<p>"))) }
}

/// Refused by the shop.
#[derive(Serialize, IntoResponses)]
#[response(status = "4XX")]
struct Refusal {
    error: &'static str,
}

#[test]
fn document_has_the_types_of_arguments_and_answers() {
    on_each_backend(async |database| {
        let shop = Shop { name: "north", orders: Arc::default() };
        let page = get(page_of_html).describe(|operation| operation.summary = Some("A page".to_owned()));
        let page = page.responses::<Refusal>();
        let service = resources(database)
            .await
            .routes(orders(shop))
            .route("/signed/{number}", post(signed))
            .route("/parts/first", get(first))
            .route("/parts/all", get(all))
            .route("/years/{year}", get(ranged))
            .route("/queued", post(queued))
            .route("/ranges", get(ranges).access(Access::Public))
            .route("/bytes", post(async |bytes: Bytes| bytes))
            .route("/page", page);
        let document: Value = serde_json::to_value(service.openapi().expect("the document")).expect("JSON");
        let operation = |method: &str, path: &str| document["paths"][path][method].clone();
        let json_of = |of: &Value| of["content"]["application/json"]["schema"].clone();
        let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        let order = operation("post", "/parts/{id}/orders/{kind}");
        assert_eq!(json_of(&order["requestBody"]), reference("Order"));
        assert_eq!(json_of(&order["responses"]["201"]), reference("Ordered"));
        assert_eq!(document["components"]["schemas"]["Order"]["properties"]["lines"]["items"], reference("Line"));
        assert!(document["components"]["schemas"]["Line"]["properties"]["price"].is_object());
        let parameters = &document["paths"]["/parts/{id}/orders/{kind}"]["parameters"];
        assert_eq!((&parameters[0]["name"], &parameters[1]["name"]), (&json!("id"), &json!("kind")));
        let signed = operation("post", "/signed/{number}");
        assert_eq!(signed["parameters"][0]["name"], "X-Signature");
        assert_eq!(document["paths"]["/signed/{number}"]["parameters"][0]["schema"]["format"], "int64");
        assert!(signed["responses"]["403"].is_object());
        let first = operation("get", "/parts/first");
        assert_eq!(
            (&first["parameters"][0]["name"], &first["parameters"][0]["required"]),
            (&json!("name"), &json!(true))
        );
        assert_eq!(first["parameters"][0]["description"], "The name of the part.");
        assert_eq!(json_of(&first["responses"]["200"]), reference("Part"));
        assert!(first["responses"]["404"].is_object());
        let all = json_of(&operation("get", "/parts/all")["responses"]["200"]);
        assert_eq!((&all["type"], &all["items"]), (&json!("array"), &reference("Part")));
        let ranged = operation("get", "/years/{year}");
        let required: Vec<&Value> = ranged["parameters"].as_array().unwrap().iter().map(|it| &it["required"]).collect();
        assert_eq!(required, [&json!(true), &json!(false)]);
        assert_eq!(ranged["parameters"][0]["schema"]["minimum"], 1);
        assert_eq!(json_of(&ranged["responses"]["200"]), reference("Range"));
        assert_eq!(json_of(&operation("post", "/queued")["responses"]["2XX"]), reference("Range"));
        let ranges = json_of(&operation("get", "/ranges")["responses"]["200"]);
        assert_eq!((&ranges["type"], &ranges["items"]["required"]), (&json!("array"), &json!(["from"])), "{ranges}");
        assert!(operation("post", "/bytes")["requestBody"]["content"]["application/octet-stream"].is_object());
        assert_eq!(operation("get", "/page")["summary"], "A page");
        let responses = &operation("get", "/page")["responses"];
        assert_eq!(responses["2XX"]["content"], json!(null));
        for status in ["422", "4XX"] {
            assert_eq!(json_of(&responses[status])["required"], json!(["error"]), "{status}: {responses}");
        }
        assert!(responses["422"]["content"]["application/problem+json"].is_object());
    });
}

#[test]
fn path_that_the_types_of_the_handler_do_not_fit_is_refused_at_start() {
    async fn two(_: Path<(i64, i64)>) {}
    async fn named(_: crud_runtime::routing::Path<Range>) {}
    async fn booking(_: Record<Booking>) {}
    http::on_each_backend(async |database| {
        for (path, route, says) in [
            ("/one/{a}", get(two), "takes a `Path` of 2 parameters, and its path has 1"),
            ("/one/{from}", get(named), "takes the parameter `to` of the path, which has no `{to}`"),
            ("/parts/{id}/booking", get(booking), "takes a record of Booking"),
            ("/parts/{id}", get(async || "own"), "is generated"),
            ("/parts/{part}", delete(async || "own"), "names a parameter otherwise"),
            ("/parts/x", post(async || "own").envelope("part"), "has neither a `Valid` body nor a JSON answer"),
            ("/x", on(Method::HEAD, async || "own"), "is for HEAD"),
        ] {
            let error = resources(database).await.route(path, route).into_router().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    });
}
