//! Own routes: bounds of bodies, inputs of resources, multipart.

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::axum::body::{Body, Bytes};
use crud_runtime::axum::extract::multipart::MultipartError;
use crud_runtime::axum::extract::{Multipart, Request};
use crud_runtime::axum::http::{Method, StatusCode};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Created, Record, Routes, Valid, post};
use crud_tests::{http, on_each_backend};
use serde_json::{Value, json};

use crate::handlers::{End, auth};
use crate::resources::{NewPart, Part, PartPatch, resources};

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
        assert_eq!(
            content,
            &json!({ "multipart/form-data": { "schema": { "type": "object", "additionalProperties": true } } })
        );
    });
}
