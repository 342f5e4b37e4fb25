use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::Json;
use crud_runtime::axum::http::HeaderValue;
use crud_runtime::axum::middleware::map_response;
use crud_runtime::axum::response::Response;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Created, Locked, Next, Record, Valid, get, handler, post};
use crud_runtime::testing::Test;
use crud_runtime::{Error, Result};
use crud_tests::{Api, Database, on_each_backend, on_each_transactional_backend};
use serde_json::json;

use crate::resources::{Booking, NewBooking, Part, PartPatch, part, resources};

/// A note that its author alone sees.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, batch)]
struct Draft {
    id: i64,
    #[crud(owner)]
    author: String,
    text: String,
    #[crud(default = 0)]
    words: i32,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Schema)]
struct Written {
    #[crud(length(max = 20))]
    text: String,
}

/// Counts the words.
async fn create(body: Valid<Written>, next: Next) -> Result<Response> {
    let words = body.text.split_whitespace().count();
    Ok(next.run_with(json!({ "text": body.text, "words": words })).await?)
}

/// Refuses drafts that are done.
async fn update(draft: Locked<Draft>, next: Next) -> Result<Response> {
    if draft.text == "done" {
        return Err(Problem::new(Code::Conflict, "the draft is done").into());
    }
    Ok(next.run().await?)
}

async fn many() -> Result<Json<&'static str>> {
    Ok(Json("many"))
}

fn drafts(service: Service) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("a long secret");
    service
        .auth(auth)
        .resource::<Draft>()
        .replace::<Draft>(Operation::Create, handler(create))
        .replace::<Draft>(Operation::BatchCreate, handler(many))
        .replace::<Draft>(Operation::Update, handler(update))
        .replace::<Draft>(Operation::BatchUpdate, handler(many))
}

fn on_drafts(test: impl AsyncFn(Test) + Copy) {
    on_each_transactional_backend(async |database: &Database| {
        test(drafts(database.service().await).test().await.expect("the tables")).await;
    });
}

#[test]
fn handler_runs_the_generated_operation_with_another_body() {
    on_drafts(async |test| {
        let ada = test.as_principal(Principal::new("ada"));
        let created = ada.post("/drafts", json!({ "text": "one two three" })).await.expect(201);
        assert_eq!(created.header("location"), Some("/drafts/1"));
        assert!(created.header("etag").is_some());
        let draft = created.json();
        assert_eq!((&draft["words"], &draft["author"]), (&json!(3), &json!("ada")));
        let minimal = ada.post("/drafts", json!({ "text": "four" })).header("prefer", "return=minimal").await;
        assert_eq!((minimal.status(), minimal.text()), (201, String::new()));
        let problem = ada.post("/drafts", json!({ "text": "x".repeat(21), "words": 9 })).await;
        assert_eq!(problem.problem("validation_failed")["errors"].as_array().unwrap().len(), 2);
        assert_eq!(ada.post("/drafts/batch", json!({ "items": [] })).await.expect(200).json(), "many");
    });
}

#[test]
fn access_scope_and_preconditions_stay_those_of_the_operation() {
    on_drafts(async |test| {
        let (ada, bob) = (test.as_principal(Principal::new("ada")), test.as_principal(Principal::new("bob")));
        test.post("/drafts", json!({ "text": "x" })).await.problem("authentication_failed");
        let created = ada.post("/drafts", json!({ "text": "one" })).await.expect(201);
        let path = created.header("location").unwrap().to_owned();
        let tag = created.header("etag").unwrap().to_owned();
        bob.patch(&path, json!({ "text": "two" })).await.problem("not_found");
        ada.patch(&path, json!({ "text": "done" })).header("if-match", &tag).await.expect(200);
        ada.patch(&path, json!({ "text": "two" })).header("if-match", &tag).await.problem("precondition_failed");
        ada.put(&path, json!({ "text": "two" })).await.problem("conflict");
        ada.patch("/drafts/99", json!({})).await.problem("not_found");
        ada.patch("/drafts/x", json!({})).await.problem("validation_failed");
        ada.delete(&path).await.expect(200);
    });
}

/// Books a part: the stock and the record are one transaction.
async fn book(ctx: Context, body: Valid<NewBookingBody>) -> Result<Created<Booking>> {
    let booked = ctx.app().transaction(async |tx| {
        let left = PartPatch::default().add(Part::FIELDS.stock, -body.quantity);
        tx.store::<Part>().update(body.part_id, left).await?;
        tx.store::<Booking>().create(NewBooking { part_id: body.part_id, quantity: body.quantity }).await
    });
    Ok(Created(booked.await?))
}

#[derive(Debug, Schema)]
struct NewBookingBody {
    part_id: i64,
    quantity: i32,
}

/// Takes the stock of a part whose record is changed, in the transaction of the change.
async fn rename(ctx: Context, part: Locked<Part>, next: Next) -> Result<Response> {
    ctx.store::<Booking>().create(NewBooking { part_id: part.id, quantity: 1 }).await?;
    Ok(next.run().await?)
}

#[test]
fn generated_operation_is_part_of_the_handlers_transaction() {
    on_each_transactional_backend(async |database| {
        let service = resources(database).await.replace::<Booking>(Operation::Create, handler(book));
        let test = service.replace::<Part>(Operation::Update, handler(rename)).test().await.unwrap();
        let lamp = test.store::<Part>().create(part("lamp", 3)).await.unwrap();
        test.post("/bookings", json!({ "part_id": lamp.id, "quantity": 2 })).await.expect(201);
        test.post("/bookings", json!({ "part_id": lamp.id, "quantity": 2 })).await.problem("validation_failed");
        let path = format!("/parts/{}", lamp.id);
        test.patch(&path, json!({ "name": "torch" })).await.expect(200);
        // The body is refused by the generated operation, and what the handler wrote before is rolled back with it.
        test.patch(&path, json!({ "stock": -1 })).await.problem("validation_failed");
        let part = test.store::<Part>().get(lamp.id).await.unwrap();
        assert_eq!((part.name.as_str(), part.stock), ("torch", 1));
        assert_eq!(test.store::<Booking>().count(Select::all()).await.unwrap(), 2);
    });
}

#[test]
fn handler_without_a_transaction_replaces_operations_on_every_storage() {
    async fn list(ctx: Context) -> Result<Json<Vec<String>>> {
        let parts = ctx.store::<Part>().list(Select::all()).await?;
        Ok(Json(parts.into_iter().map(|part| part.name).collect()))
    }
    async fn get(ctx: Context) -> Result<Record<Part>> {
        let id = ctx.id::<Part>().ok_or_else(|| Problem::internal("a route of a record"))?;
        Ok(Record(ctx.store::<Part>().get(id).await?))
    }
    on_each_backend(async |database| {
        let service = resources(database).await.replace::<Part>(Operation::List, handler(list));
        let service = service.replace::<Part>(Operation::Get, handler(get)).migrate().await.unwrap();
        service.store::<Part>().create(part("lamp", 1)).await.unwrap();
        let api = Api::start(database, service).await;
        assert_eq!(api.get("/parts").await.ok(), json!(["lamp"]));
        assert_eq!(api.head("/parts").await.expect(200).text(), "");
        assert_eq!(api.get("/parts/1").await.ok()["name"], "lamp");
        api.get("/parts/2").await.problem("not_found");
        api.stop().await;
    });
}

#[test]
fn document_has_what_the_handler_takes_and_gives() {
    on_each_backend(async |database| {
        let service = resources(database).await.replace::<Booking>(Operation::Create, handler(book));
        let service = service.resource::<Draft>().replace::<Draft>(Operation::Create, handler(create));
        let service = service.replace::<Draft>(Operation::BatchCreate, handler(many));
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
        let document = service.auth(auth).openapi_json().unwrap();
        let schema = |path: &str| document["paths"][path]["post"]["requestBody"]["content"]["application/json"].clone();
        assert_eq!(schema("/bookings")["schema"]["$ref"], "#/components/schemas/NewBookingBodyBody");
        assert_eq!(schema("/drafts")["schema"]["$ref"], "#/components/schemas/WrittenBody");
        assert_eq!(schema("/drafts/batch"), json!(null));
        let booked = &document["paths"]["/bookings"]["post"];
        assert_eq!(
            booked["responses"]["201"]["content"]["application/json"]["schema"]["$ref"],
            "#/components/schemas/Booking"
        );
        assert_eq!(booked["operationId"], "createBooking");
        // Its response is that of the generated operation.
        assert!(document["paths"]["/drafts"]["post"]["responses"]["201"].is_object());
        let many = &document["paths"]["/drafts/batch"]["post"]["responses"];
        assert!(many["200"].is_object() && many["207"].is_null());
    });
}

#[test]
fn handler_that_does_not_fit_or_is_gone_past_is_refused_at_start() {
    async fn of_part(_: Locked<Part>) -> Result<()> {
        Ok(())
    }
    async fn runs(next: Next) -> Result<Response> {
        Ok(next.run().await?)
    }
    on_each_transactional_backend(async |database| {
        let drafts = async || resources(database).await.resource::<Draft>();
        for (service, says) in [
            (drafts().await.replace::<Draft>(Operation::Create, handler(create)), "is bypassed by BatchCreate"),
            (drafts().await.replace::<Draft>(Operation::Delete, handler(many)), "is bypassed by BatchDelete"),
            (drafts().await.replace::<Part>(Operation::Purge, handler(many)), "does not offer it"),
            (drafts().await.replace::<Part>(Operation::Create, handler(of_part)), "takes a record of Part"),
            (drafts().await.replace::<Booking>(Operation::Update, handler(of_part)), "takes a record of Part"),
            (
                drafts()
                    .await
                    .replace::<Part>(Operation::List, handler(many))
                    .replace::<Part>(Operation::List, handler(many)),
                "is registered twice",
            ),
            (database.service().await.replace::<Part>(Operation::List, handler(many)), "the service does not have it"),
            (drafts().await.route("/parts/runs", post(runs)), "takes `Next`"),
        ] {
            let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
            let error = service.auth(auth).into_router().unwrap_err();
            assert!(matches!(&error, Error::Setup(text) if text.contains(says)), "{says}: {error:?}");
        }
    });
}

#[test]
fn layer_of_a_resource_is_around_its_routes_alone() {
    async fn mark(mut response: Response) -> Response {
        response.headers_mut().insert("x-mark", HeaderValue::from_static("yes"));
        response
    }
    on_each_backend(async |database| {
        let service = resources(database).await.layer_for::<Part>(map_response(mark));
        let service = service.route("/parts/many", get(many));
        let api = Api::start(database, service.migrate().await.unwrap()).await;
        for path in ["/parts", "/parts/1", "/parts/many"] {
            assert_eq!(api.get(path).await.require("x-mark"), "yes", "{path}");
        }
        for path in ["/bookings", "/health", "/nothing"] {
            assert!(api.get(path).await.header("x-mark").is_none(), "{path}");
        }
        api.stop().await;
    });
    on_each_transactional_backend(async |database| {
        let unknown = database.service().await.layer_for::<Part>(map_response(mark)).into_router().unwrap_err();
        assert!(unknown.to_string().contains("Part"), "{unknown}");
    });
}
