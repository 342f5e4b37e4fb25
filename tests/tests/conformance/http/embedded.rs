//! Single operations, and the routes of a resource, in a program's own router.

use std::io;

use axum::Router;
use crud_runtime::axum::Json;
use crud_runtime::axum::extract::{Path, State};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Created, Record, delete, get, post, put};
use crud_runtime::{ProblemFormat, Result, ServicePaths};
use crud_tests::Client;
use crud_tests::http::on_each_backend;
use serde_json::{Value, json};
use shop::{Category, Product};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A resource that the program has at another prefix.
#[derive(Debug, Clone, Resource)]
#[crud(moved_from("/library"))]
struct Book {
    id: i64,
    title: String,
}

async fn donate(ctx: Context) -> Result<Created<Book>> {
    Ok(Created(ctx.store::<Book>().create(NewBook { title: "Emma".to_owned() }).await?))
}

async fn title(book: Record<Book>) -> Json<String> {
    Json(book.title.clone())
}

async fn parameters(Path(parameters): Path<Vec<(String, String)>>) -> Json<Vec<String>> {
    Json(parameters.into_iter().map(|(name, value)| format!("{name}={value}")).collect())
}

/// Serves a program on a free port; returns its origin.
async fn serve(program: Router) -> (String, JoinHandle<io::Result<()>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("the port's address");
    let server = tokio::spawn(async move { axum::serve(listener, program).await });
    (format!("http://{address}"), server)
}

/// Runs a test against a program that mounts the shop's routes itself.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_program(test: impl AsyncFn(&Client)) {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let state = service.state().expect("the state");
        let program = Router::new()
            .route("/shelf", Category::route(Operation::List))
            .route("/shelf/{id}", Category::route(Operation::Get))
            .route("/new-shelf", Category::route(Operation::Create))
            .merge(Product::router(&state).expect("the routes of products"))
            .with_state(state);
        let (origin, server) = serve(program).await;
        test(&Client::of_program(origin, database.secrets())).await;
        server.abort();
    });
}

/// Runs a test against a program that nests a resource with own routes, and the service's document.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_library(test: impl AsyncFn(&Client, &Value)) {
    on_each_backend(async |database| {
        let service = database.service().await.without_auth().resource_with::<Book>(|o| o.prefix("/shelf"));
        let service = service
            .route("/shelf", delete(async || Json("all gone")))
            .route("/shelf/donated", post(donate))
            .route("/shelf/{id}/title", get(title))
            .route("/shelf/{id}/pages/{page}", put(parameters))
            .server(|server| server.paths(ServicePaths::new().home(None).health(None).ready(None).profile(None)))
            .openapi(crud_runtime::DocumentOptions::without_docs)
            .migrate()
            .await
            .expect("the tables");
        let document = service.openapi_json().expect("the document");
        let books = Book::router(&service.state().expect("the state")).expect("the routes of books");
        let program = Router::new().nest("/api", books).fallback(async || "the program's");
        let (origin, server) = serve(program).await;
        test(&Client::of_program(origin, database.secrets()), &document).await;
        server.abort();
    });
}

#[test]
fn operation_is_mounted_at_the_programs_path() {
    on_program(async |program| {
        let category = program.post("/new-shelf", &json!({ "name": "Lamps" })).await.created();
        assert_eq!(program.get("/shelf").await.ok()["data"], json!([category]));
        assert_eq!(program.get(format!("/shelf/{}", category["id"])).await.ok(), category);
    });
}

#[test]
fn route_of_an_operation_has_only_its_methods() {
    on_program(async |program| {
        let answer = program.post("/shelf", &json!({ "name": "Lamps" })).await.expect(405);
        assert_eq!(answer.header("allow").map(|allow| allow.contains("POST")), Some(false));
        program.delete("/shelf/1").await.expect(405);
    });
}

#[test]
fn answers_have_the_request_id_and_headers_of_the_service() {
    on_program(async |program| {
        for path in ["/shelf", "/products", "/products/7"] {
            let answer = program.get(path).header("x-request-id", "mine").await;
            assert_eq!(answer.require("x-request-id"), "mine", "{path}");
            assert_eq!(answer.require("x-content-type-options"), "nosniff", "{path}");
        }
        program.delete("/products/7").await.expect(404).require("x-request-id");
    });
}

#[test]
fn resource_router_has_the_generated_routes() {
    on_program(async |program| {
        program.post("/new-shelf", &json!({ "name": "Lamps" })).await.created();
        let body = json!({ "name": "Lamp", "price": 1, "stock": 1, "category_id": 1 });
        let created = program.post("/products", &body).await.expect(201);
        assert_eq!(created.require("location"), "/products/1");
        assert_eq!(program.get("/products/1").await.ok(), *created.json());
        assert_eq!(program.put("/products/1", &json!({ "stock": 2 })).await.ok()["stock"], 2);
        assert_eq!(program.get("/products?stock=2").await.ok()["total"], 1);
        program.delete("/products/1").await.ok();
        program.get("/products/1").await.problem("not_found");
    });
}

#[test]
fn resource_router_has_the_own_routes_below_the_prefix() {
    on_library(async |program, _| {
        let created = program.post("/api/shelf/donated", &json!({})).header("x-request-id", "mine").await.expect(201);
        assert_eq!(created.require("location"), "/api/shelf/1");
        assert_eq!(created.require("x-request-id"), "mine");
        let posted = program.post("/api/shelf", &json!({ "title": "Persuasion" })).await.expect(201);
        assert_eq!(posted.require("location"), "/api/shelf/2");
        assert_eq!(program.get("/api/shelf/1/title").await.ok(), "Emma");
        program.get("/api/shelf/3/title").await.problem("not_found");
        assert_eq!(program.put("/api/shelf/1/pages/7", &json!({})).await.ok(), json!(["id=1", "page=7"]));
        assert_eq!(program.delete("/api/shelf").await.ok(), "all gone");
        let moved = program.get("/api/library/2").await.expect(308);
        assert_eq!(moved.require("location"), "/api/shelf/2");
        assert_eq!(program.get("/api/shelf/1/cover").await.expect(200).text(), "the program's");
    });
}

#[test]
fn resource_router_has_every_path_and_method_of_the_document() {
    on_library(async |program, document| {
        let paths = document["paths"].as_object().expect("paths");
        assert!(paths.contains_key("/shelf/{id}/pages/{page}"), "{paths:?}");
        for (path, operations) in paths {
            let target = format!("/api{}", path.replace("{id}", "1").replace("{page}", "7"));
            let answer = program.options(target).await.expect(204);
            for method in ["get", "post", "put", "patch", "delete"] {
                if operations.get(method).is_some() {
                    assert!(answer.allow().contains(&&*method.to_uppercase()), "{method} {path}");
                }
            }
        }
    });
}

#[test]
fn router_of_a_resource_that_the_service_lacks_is_an_error() {
    on_each_backend(async |database| {
        let state = database.service().await.without_auth().state().expect("the state");
        let error = Book::router::<()>(&state).expect_err("an error").to_string();
        assert!(error.contains("Book is not a resource of the service"), "{error}");
    });
}

/// Problems of the service mounted, of its routes in the program's router, and of the program's own handlers.
#[test]
fn problems_of_a_whole_program_are_in_one_format() {
    async fn name(State(categories): State<Store<Category>>, Path(id): Path<i64>) -> Result<Json<String>> {
        Ok(Json(categories.get(id).await?.name))
    }
    on_each_backend(async |database| {
        let format = ProblemFormat::new(|problem| json!([problem.code().as_str(), problem.detail()]));
        let service = shop::open_shop(database.service().await).server(|server| server.problem_format(format.clone()));
        let service = service.migrate().await.expect("the shop's tables");
        let state = service.state().expect("the state");
        let own = Router::new().route("/names/{id}", axum::routing::get(name)).with_state(service.store::<Category>());
        let program = Router::new()
            .route("/shelf/{id}", Category::route(Operation::Get))
            .merge(Product::router(&state).expect("the routes of products"))
            .with_state(state)
            .nest("/api", service.into_router().expect("the router"))
            .merge(format.around(own));
        let (origin, server) = serve(program).await;
        let client = Client::of_program(origin, database.secrets());
        for (path, code, text) in [
            ("/names/99", "not_found", "Category with id 99 not found"),
            ("/shelf/99", "not_found", "Category with id 99 not found"),
            ("/products/99", "not_found", "Product with id 99 not found"),
            ("/api/products/99", "not_found", "Product with id 99 not found"),
            ("/api/nowhere", "route_not_found", "there is no route GET /api/nowhere"),
        ] {
            let answer = client.stream(path).await;
            let media_type = answer.headers().get("content-type").map(|value| value.as_bytes().to_vec());
            assert_eq!(
                (answer.status().as_u16(), media_type.as_deref()),
                (404, Some(&b"application/json"[..])),
                "{path}"
            );
            let body: Value = answer.text().await.expect("a text").parse().expect("JSON");
            assert_eq!(body, json!([code, text]), "{path}");
        }
        server.abort();
    });
}
