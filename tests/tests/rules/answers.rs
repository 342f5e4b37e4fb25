//! Own routes: records, pages and event streams as answers, and the document of arguments and answers.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::axum::body::Bytes;
use crud_runtime::axum::extract::{Path, Query};
use crud_runtime::axum::http::{HeaderMap, StatusCode};
use crud_runtime::axum::response::Html;
use crud_runtime::axum::response::sse::{Event, Sse};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Created, Record, Undescribed, get, post};
use crud_runtime::{Page, Result};
use crud_tests::openapi::inlined;
use crud_tests::{Api, http, on_each_backend, within};
use futures_util::{Stream, stream};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, IntoResponses};

use crate::extractors::{Shop, orders, signed};
use crate::resources::{Booking, NewBooking, Part, part, resources};

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
pub(crate) struct Range {
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
        let document = service.openapi_json().expect("the document");
        let document = inlined(&document);
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
