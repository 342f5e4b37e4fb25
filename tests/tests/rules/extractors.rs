//! Own routes: extractors of axum and of the program, their rejections, the path that they take.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::auth::Principal;
use crud_runtime::axum::Json;
use crud_runtime::axum::extract::{Extension, FromRef, FromRequestParts, OriginalUri, Path, Query, State};
use crud_runtime::axum::http::request::Parts;
use crud_runtime::axum::http::{HeaderMap, Method, StatusCode};
use crud_runtime::axum::response::{Html, IntoResponse, Redirect, Response};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{
    Context, DescribeArgument, Described, ListParameters, Locked, Record, Routes, Status, Valid, delete, get, on,
    plain, post,
};
use crud_tests::{http, on_each_backend};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::answers::Range;
use crate::handlers::{End, auth};
use crate::resources::{Booking, Part, part, resources};

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Order {
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
pub(crate) struct Shop {
    pub(crate) name: &'static str,
    pub(crate) orders: Arc<AtomicU32>,
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

pub(crate) fn orders(shop: Shop) -> Routes {
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
pub(crate) struct Signature;

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

pub(crate) async fn signed(_: Signature, Path(number): Path<i64>, Json(order): Json<Order>) -> Json<i64> {
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

/// A handler that is axum's alone: its answer has no name.
async fn posted(
    Query(query): Query<BTreeMap<String, String>>,
    State(shop): State<Shop>,
    Json(order): Json<Order>,
) -> impl IntoResponse {
    (StatusCode::CREATED, [("x-shop", shop.name)], format!("{} {}", query.len(), order.pieces))
}

#[test]
fn handlers_of_axum_alone_have_the_access_limits_and_errors_of_others() {
    async fn locks(_: Locked<Part>) {}
    http::on_each_backend(async |database| {
        let shop = Shop { name: "north", orders: Arc::default() };
        let route = plain::post(posted).access(Access::Role("staff")).body_limit(100);
        let route = route.describe(|operation| operation.summary = Some("Post an order".to_owned()));
        let service = resources(database).await.auth(auth()).route("/posted", route.with_state(shop));
        let service = service.route("/parts/{id}/locks", plain::post(locks));
        let test = service.test().await.expect("the service");
        let order = json!({ "pieces": 2, "lines": [] });
        test.post("/posted", &order).await.problem("authentication_failed");
        test.as_role("guest").post("/posted", &order).await.problem("permission_denied");
        let staff = test.as_role("staff");
        let posted = staff.post("/posted?a=1&b=2", &order).await.expect(201);
        assert_eq!((posted.header("x-shop"), posted.text()), (Some("north"), "2 2".to_owned()));
        let wrong = staff.post("/posted", json!({ "pieces": "two", "lines": [] })).await.problem("validation_failed");
        assert_eq!(wrong["errors"][0]["pointer"], "/pieces");
        let large = json!({ "pieces": 1, "lines": vec![json!({ "price": 1 }); 20] });
        staff.post("/posted", &large).await.problem("body_too_large");
        staff.post("/parts/1/locks", json!({})).await.problem("internal");
        let document = test.get("/openapi.json").await.expect(200).json();
        assert_eq!(document["paths"]["/posted"]["post"]["summary"], "Post an order");
    });
}

#[test]
fn path_that_the_types_of_the_handler_do_not_fit_is_refused_at_start() {
    async fn two(_: Path<(i64, i64)>) {}
    async fn named(_: crud_runtime::routing::Path<Range>) {}
    async fn booking(_: Record<Booking>) {}
    async fn lists(_: ListParameters<Part>, _: ListParameters<Booking>) {}
    async fn bodies(_: Valid<End>, _: Valid<Range>) {}
    http::on_each_backend(async |database| {
        for (path, route, says) in [
            ("/one/{a}", get(two), "takes a `Path` of 2 parameters, and its path has 1"),
            ("/one/{from}", get(named), "takes the parameter `to` of the path, which has no `{to}`"),
            ("/parts/{id}/booking", get(booking), "takes a record of Booking"),
            ("/parts/lists", get(lists), "takes `ListParameters` of two types"),
            ("/parts/bodies", post(bodies), "takes `Valid` of two types"),
            ("/parts/{id}", get(async || "own"), "is generated"),
            ("/parts/{part}", delete(async || "own"), "names a parameter otherwise"),
            ("/parts/{*rest}", delete(async || "own"), "names a parameter otherwise"),
            ("/{*rest}/parts", get(async || "own"), "needs a path such as"),
            ("//x", get(async || "own"), "needs a path such as"),
            ("/:x", get(async || "own"), "needs a path such as"),
            ("/", get(async || "own"), "needs a path such as"),
            ("/parts/x", post(async || "own").envelope("part"), "has neither a `Valid` body nor a JSON answer"),
            ("/x", on(Method::HEAD, async || "own"), "is for HEAD"),
        ] {
            let error = resources(database).await.route(path, route).into_router().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    });
}
