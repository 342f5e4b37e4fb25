//! The paths of the service's own routes, moved and left out.

use axum::Router;
use axum::routing::get;
use crud_runtime::ServicePaths;
use crud_runtime::access::Access;
use crud_runtime::auth::Auth;
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{self, Context};
use crud_tests::{Api, Client, free_address, http};
use serde_json::{Value, json};

#[derive(Debug, Clone, Resource)]
struct Note {
    id: i64,
    text: String,
}

/// A resource with a path that the service's own routes have by default.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/profile", table = "profiles")]
struct Profile {
    id: i64,
    name: String,
}

async fn yes(_: Context) -> Result<Json<Value>, Problem> {
    Ok(Json(json!("yes")))
}

fn auth() -> Auth {
    Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap()
}

#[test]
fn moved_routes_are_at_their_paths_alone() {
    http::on_each_backend(async |database| {
        let address = free_address().to_string();
        let paths = ServicePaths::new()
            .home("/api")
            .health("/internal/health")
            .ready("/internal/ready")
            .profile("/me")
            .auth("/session");
        let service =
            database.service().await.auth(auth()).access(|access| access.users_role("admin")).resource::<Note>();
        let service = service.server(|server| server.paths(paths).metrics(&address)).migrate().await.unwrap();
        service.users().create_user("ada", "correct horse").roles(["admin"]).await.unwrap();
        let table = service.model().unwrap().access_table();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        api.get("/api").await.ok();
        api.get("/internal/health").await.ok();
        api.get("/internal/ready").await.ok();
        let login = json!({ "username": "ada", "password": "correct horse" });
        let token = api.post("/session/login", &login).await.ok()["access_token"].as_str().unwrap().to_owned();
        let token = format!("Bearer {token}");
        assert_eq!(api.get("/me").header("authorization", &token).await.ok()["user_id"], "1");
        let grace = json!({ "username": "grace", "password": "correct horse" });
        let created = api.post("/session/users", &grace).header("authorization", &token).await.expect(201);
        assert_eq!(created.require("location"), "/session/users/2");
        api.get("/session/users/2").header("authorization", &token).await.ok();
        let document = api.get("/openapi.json").await.ok();
        for path in ["/api", "/internal/health", "/internal/ready", "/me", "/session/login", "/session/users/{id}"] {
            assert!(document["paths"].get(path).is_some(), "{path}");
            assert!(table.routes().iter().any(|route| route.path == path), "{path}");
        }
        let metrics = Client::of_program(format!("http://{address}"), database.secrets());
        let text = metrics.get("/metrics").await.expect(200).text();
        assert!(text.contains(r#"crud_logins_total{result="success"} 1"#), "{text}");
        let moved = Client::new(api.origin().to_owned(), Vec::new());
        for path in ["/", "/health", "/ready", "/profile", "/auth/users", "/auth/login"] {
            moved.get(path).header("authorization", &token).await.problem("route_not_found");
            assert!(document["paths"].get(path).is_none(), "{path}");
            assert!(table.routes().iter().all(|route| route.path != path), "{path}");
        }
        api.stop().await;
    });
}

#[test]
fn left_out_routes_are_the_applications() {
    http::on_each_backend(async |database| {
        let none = ServicePaths::new().home(None).health(None).ready(None).profile(None).auth(None);
        let application = Router::new().route("/", get(async || "home")).route("/health", get(async || "fine"));
        let service = database
            .service()
            .await
            .auth(auth())
            .access(|access| access.users_role("admin"))
            .resource::<Note>()
            .resource::<Profile>();
        let service = service.server(|server| server.paths(none)).merge(application);
        let service = service.route("/ready", routing::get(yes).access(Access::Public));
        let service = service.migrate().await.unwrap();
        let users = service.users();
        users.create_user("ada", "correct horse").await.unwrap();
        let test = service.test().await.unwrap();
        assert_eq!(test.get("/").await.expect(200).text(), "home");
        assert_eq!(test.get("/health").await.expect(200).text(), "fine");
        assert_eq!(test.get("/ready").await.expect(200).json(), json!("yes"));
        test.get("/profile").await.problem("authentication_failed");
        let ada = test.as_user("ada").await.unwrap();
        ada.post("/profile", json!({ "name": "Ada" })).await.expect(201);
        for path in ["/auth/login", "/auth/refresh", "/auth/users"] {
            ada.post(path, json!({})).await.problem("route_not_found");
        }
    });
}

#[test]
fn route_at_one_of_the_services_says_which_and_what_to_do() {
    http::on_each_backend(async |database| {
        for (path, says) in [
            (
                "/profile/avatar",
                "`/profile` or below it, which the service has: choose another path, or leave out the service's",
            ),
            ("/profile", "ServicePaths::new().profile(None)"),
            ("/auth/invitations", "ServicePaths::new().auth(None)"),
            ("/docs/more", "`/docs` or below it, which the service has: choose another path"),
            ("reports", "needs a path such as `/reports/top`"),
        ] {
            let service = database.service().await.auth(auth()).resource::<Note>();
            let service = service.route(path, routing::get(yes).access(Access::Public));
            let error = service.into_router().map(drop).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
            assert!(path != "/docs/more" || !error.contains("service_paths"), "{error}");
        }
    });
}

#[test]
fn home_that_is_left_out_is_free_for_a_route() {
    http::on_each_backend(async |database| {
        let service = database.service().await.auth(auth()).resource::<Note>();
        let service = service.server(|server| server.paths(ServicePaths::new().home(None)));
        let test = service.route("/", routing::get(yes).access(Access::Public)).test().await.unwrap();
        assert_eq!(test.get("/").await.expect(200).json(), json!("yes"));
        let document = test.get("/openapi.json").await.expect(200).json();
        let home = &document["paths"]["/"]["get"];
        assert_eq!((&home["operationId"], &home["summary"]), (&json!("getHome"), &json!("Home")));
        assert_eq!(home["security"], json!([]), "its access is in the document");
    });
}

#[test]
fn paths_that_collide_are_refused_at_start() {
    http::on_each_backend(async |database| {
        let refused = async |paths: ServicePaths| {
            let service = database.service().await.resource::<Note>().resource::<Profile>();
            service.server(|server| server.paths(paths)).into_router().map(drop).unwrap_err().to_string()
        };
        let without = || ServicePaths::new().profile(None);
        for (paths, says) in [
            (ServicePaths::new(), "collides with the route `/profile`"),
            (without().health("/notes"), "collides with the route `/notes`"),
            (without().auth("/notes/auth"), "collides with the route `/notes/auth`"),
            (without().health("/ready"), "collides with"),
            (without().ready("/openapi.json"), "collides with `/openapi.json`"),
            (without().health("healthz"), "must be like `/health`"),
        ] {
            let error = refused(paths).await;
            assert!(error.contains(says), "{error}");
        }
    });
}
