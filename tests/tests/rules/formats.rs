use crud_runtime::ProblemFormat;
use crud_runtime::access::Access;
use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Valid, get, post, put};
use crud_runtime::{Error, Result};
use crud_tests::{Api, on_each_backend, on_each_sql_backend};
use serde_json::{Value, json};

use crate::resources::{Part, part, resources};

#[derive(Debug, Schema)]
struct Renamed {
    #[crud(length(max = 5))]
    name: String,
}

/// A table of the program alone.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
struct Secret {
    id: i64,
    text: String,
}

async fn echo(ctx: Context, body: Valid<Renamed>) -> Result<Json<Value>> {
    Ok(Json(json!([ctx.path("shelf")?, ctx.path("part")?, body.name])))
}

async fn misnamed(ctx: Context) -> Result<Json<Value>> {
    Ok(Json(json!([ctx.path("shelve")?])))
}

fn shelves(service: Service) -> Service {
    let path = "/shelves/{shelf}/parts/{part}";
    service
        .route(path, put(echo).envelope("part"))
        .route("/shelves/{shelf}", get(misnamed))
        .route("/shelves/all", get(async || Json("all")))
}

#[test]
fn paths_have_parameters_and_bodies_and_answers_envelopes() {
    on_each_backend(async |database| {
        let api = Api::start(database, shelves(resources(database).await).migrate().await.unwrap()).await;
        let put = async |path: &str, body: Value| api.put(path, &body).await;
        let answer = put("/shelves/a%2Fb%20c/parts/%C3%A9", json!({ "part": { "name": "lamp" } })).await;
        assert_eq!(answer.ok(), json!({ "part": ["a/b c", "é", "lamp"] }));
        for (body, places) in [
            (json!({ "part": { "name": "lantern", "x": 1 } }), &["pointer /part/name", "pointer /part/x"][..]),
            (json!({ "part": {} }), &["pointer /part/name"]),
            (json!({ "part": [] }), &["pointer /part"]),
            (json!({ "name": "lamp" }), &["pointer /name", "pointer /part"]),
            (json!([]), &["pointer "]),
        ] {
            let problem = put("/shelves/1/parts/2", body).await.problem("validation_failed");
            let found: Vec<&str> = problem.errors.iter().map(|error| error.at.as_str()).collect();
            assert_eq!(found, places);
        }
        assert_eq!(api.get("/shelves/all").await.ok(), "all");
        api.get("/shelves/1").await.problem("internal");
        api.get("/shelves/%FF").await.problem("validation_failed");
        let document: Value = api.get("/openapi.json").await.ok();
        let path = &document["paths"]["/shelves/{shelf}/parts/{part}"];
        assert_eq!((&path["parameters"][0]["name"], &path["parameters"][1]["name"]), (&json!("shelf"), &json!("part")));
        let body = &path["put"]["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(body["properties"]["part"]["$ref"], "#/components/schemas/RenamedBody");
        let answer = &path["put"]["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(answer["required"], json!(["part"]));
        api.stop().await;
    });
}

#[test]
fn paths_that_name_a_parameter_twice_otherwise_are_refused_at_start() {
    on_each_sql_backend(async |database| {
        for (one, other) in
            [("/shelves/{a}", "/shelves/{b}"), ("/shelves/{a}/x", "/shelves/{b}/x"), ("/x/{}", "/y"), ("/x/{a", "/y")]
        {
            let service = database.service().await;
            let service = service.route(one, get(misnamed)).route(other, put(misnamed));
            assert!(matches!(service.into_router(), Err(Error::Setup(_))), "{one} {other}");
        }
    });
}

#[test]
fn errors_of_every_route_are_in_the_programs_format() {
    async fn panics() -> Result<()> {
        panic!("a handler's mistake")
    }
    on_each_sql_backend(async |database| {
        let format = ProblemFormat::new(|problem| json!({ "error": problem.code().as_str() }))
            .media_type("application/vnd.error+json")
            .schema(json!({ "title": "OwnError" }));
        let service = resources(database).await.server(|server| server.problem_format(format).cors(Cors::any()));
        let test = service.route("/panics", post(panics)).test().await.unwrap();
        for (answer, status, code) in [
            (test.get("/parts/1").await, 404, "not_found"),
            (test.post("/parts", json!({})).await, 422, "validation_failed"),
            (test.put("/parts", json!({})).await, 405, "method_not_allowed"),
            (test.get("/nothing").await, 404, "route_not_found"),
            (test.post("/panics", json!({})).header("origin", "https://a.example").await, 500, "internal"),
        ] {
            assert_eq!(answer.header("content-type"), Some("application/vnd.error+json"));
            assert_eq!(answer.expect(status).json(), json!({ "error": code }));
        }
        assert!(test.put("/parts", json!({})).await.header("allow").is_some());
        let head = test.request(crud_runtime::axum::http::Method::HEAD, "/parts/1").await.expect(404);
        assert_eq!(head.text(), "");
        let panicked = test.post("/panics", json!({})).header("origin", "https://a.example").await;
        assert_eq!(panicked.header("access-control-allow-origin"), Some("*"));
        let document = test.get("/openapi.json").await.json();
        let content = &document["components"]["responses"]["NotFound"]["content"];
        assert_eq!(content["application/vnd.error+json"]["schema"]["title"], "OwnError", "{content}");
    });
}

#[test]
fn tokens_have_the_scheme_of_the_program() {
    async fn token(ctx: Context) -> Result<Json<String>> {
        Ok(Json(ctx.auth()?.access_token(&Principal::new("ada").with_roles(["staff"]))?))
    }
    on_each_sql_backend(async |database| {
        let auth = || Auth::builder().secret("a secret of at least thirty-two bytes");
        assert!(auth().scheme("To ken").build().is_err() && auth().scheme("").build().is_err());
        let service = resources(database).await.auth(auth().scheme("Token").logout().build().unwrap());
        let token = get(token).access(Access::Public);
        let test = service.route("/token", token).test().await.unwrap();
        let token = test.get("/token").await.expect(200).json();
        let token = token.as_str().unwrap();
        let with = async |scheme: &str| test.get("/parts").header("authorization", format!("{scheme} {token}")).await;
        with("Token").await.expect(200);
        with("token").await.expect(200);
        let refused = with("Bearer").await.expect(401);
        assert_eq!(refused.header("www-authenticate"), Some("Token realm=\"api\""));
        assert_eq!(test.as_role("staff").get("/profile").await.expect(200).json()["roles"], json!(["staff"]));
        let scheme = &test.get("/openapi.json").await.json()["components"]["securitySchemes"]["bearerAuth"];
        assert_eq!((&scheme["type"], &scheme["name"]), (&json!("apiKey"), &json!("Authorization")));
    });
}

#[test]
fn users_log_in_by_a_route_of_the_program() {
    #[derive(Schema)]
    struct Credentials {
        username: String,
        password: String,
    }
    async fn sign_in(ctx: Context, body: Valid<Credentials>) -> Result<Json<Value>> {
        let tokens = ctx.auth()?.login(&body.username, body.password.clone(), ctx.client_address()).await?;
        Ok(Json(json!({ "session": tokens.access_token })))
    }
    on_each_sql_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes");
        let auth = auth.login_attempts(2, std::time::Duration::from_mins(1)).build().unwrap();
        let sign_in = post(sign_in).access(Access::Public);
        let test = resources(database).await.auth(auth).route("/sign-in", sign_in).test().await.unwrap();
        test.users().create_user("ada", "correct horse").await.unwrap();
        let post =
            async |password: &str| test.post("/sign-in", json!({ "username": "ada", "password": password })).await;
        let session = post("correct horse").await.expect(200).json();
        let bearer = format!("Bearer {}", session["session"].as_str().unwrap());
        test.get("/parts").header("authorization", bearer).await.expect(200);
        post("wrong horse").await.problem("invalid_credentials");
        post("wrong horse").await.problem("invalid_credentials");
        assert!(post("correct horse").await.expect(429).header("retry-after").is_some());
    });
}

#[test]
fn table_of_the_program_alone_has_no_routes_and_is_not_documented() {
    on_each_backend(async |database| {
        let service = resources(database).await.resource::<Secret>().migrate().await.unwrap();
        let secrets = service.store::<Secret>();
        let secret = secrets.create(NewSecret { text: "hush".into() }).await.unwrap();
        assert_eq!(secrets.get(secret.id).await.unwrap().text, "hush");
        service.store::<Part>().create(part("lamp", 1)).await.unwrap();
        let api = Api::start(database, service).await;
        for path in ["/secrets", "/secrets/1"] {
            api.get(path).await.problem("route_not_found");
        }
        assert!(api.get("/").await.ok()["endpoints"]["secrets"].is_null());
        let document = api.get("/openapi.json").await.ok().to_string();
        assert!(!document.contains("Secret") && !document.contains("hush"), "{document}");
        api.stop().await;
    });
}
