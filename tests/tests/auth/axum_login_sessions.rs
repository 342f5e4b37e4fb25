//! A program with axum-login, whose users are the principals of a service that it merges with.

use std::convert::Infallible;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{get, post};
use axum_login::{AuthManagerLayerBuilder, AuthSession, AuthUser, AuthnBackend};
use crud_runtime::auth::Principal;
use crud_runtime::prelude::*;
use crud_runtime::utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use crud_tests::{Api, on_each_backend};
use serde_json::json;
use tower_sessions::{MemoryStore, SessionManagerLayer};

/// A user of the program.
#[derive(Debug, Clone)]
struct User {
    id: i64,
    is_staff: bool,
}

impl AuthUser for User {
    type Id = i64;

    fn id(&self) -> i64 {
        self.id
    }

    fn session_auth_hash(&self) -> &[u8] {
        b"a hash of the user's password"
    }
}

/// The users of the program.
#[derive(Debug, Clone)]
struct Users;

impl AuthnBackend for Users {
    type User = User;
    type Credentials = String;
    type Error = Infallible;

    async fn authenticate(&self, name: String) -> Result<Option<User>, Infallible> {
        Ok(match &*name {
            "ada" => Some(User { id: 1, is_staff: true }),
            "bob" => Some(User { id: 2, is_staff: false }),
            _ => None,
        })
    }

    async fn get_user(&self, id: &i64) -> Result<Option<User>, Infallible> {
        Ok((1..=2).contains(id).then_some(User { id: *id, is_staff: *id == 1 }))
    }
}

async fn log_in(mut session: AuthSession<Users>, name: String) -> StatusCode {
    let Ok(Some(user)) = session.authenticate(name).await else { return StatusCode::UNAUTHORIZED };
    session.login(&user).await.expect("the session is stored");
    StatusCode::NO_CONTENT
}

async fn log_out(mut session: AuthSession<Users>) -> StatusCode {
    session.logout().await.expect("the session is removed");
    StatusCode::NO_CONTENT
}

/// Sets the principal of the session's user.
async fn set_principal(session: AuthSession<Users>, mut request: Request, next: Next) -> Response {
    if let Some(user) = session.user {
        let principal = Principal::new(user.id.to_string()).with_roles(user.is_staff.then_some("staff"));
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}

/// A note of its owner's.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(read(authenticated), write(role("staff"))))]
struct Note {
    id: i64,
    #[crud(owner)]
    user_id: i64,
    title: String,
}

#[test]
fn users_of_axum_login_are_principals() {
    on_each_backend(async |database| {
        let sessions = SessionManagerLayer::new(MemoryStore::default()).with_secure(false);
        let logins = AuthManagerLayerBuilder::new(Users, sessions).build();
        let own = axum::Router::new().route("/login", post(log_in)).route("/logout", post(log_out));
        let own = own.route("/greeting", get(async || "hello"));
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("id")));
        let service = database.service().await.resource::<Note>().merge(own);
        let service = service.access(|access| access.principal_from_layers().security_scheme("session", cookie));
        // The last layer is the outermost.
        let service = service.layer(from_fn(set_principal)).layer(logins).migrate().await.expect("the tables");
        let api = Api::start_on_axum(database, service).await;

        let log_in = async |name: &str| {
            let answer = api.post_bytes("/login", name).await.expect(204);
            answer.require("set-cookie").split(';').next().expect("a cookie").to_owned()
        };
        let (ada, bob) = (log_in("ada").await, log_in("bob").await);
        assert_eq!(api.post_bytes("/login", "eve").await.status(), 401);
        let origin = format!("http://{}", api.address());
        let create = async |cookie: &str, origin: &str| {
            api.post("/notes", &json!({ "title": "a" })).header("cookie", cookie).header("origin", origin).await
        };
        let note = create(&ada, &origin).await.created();
        assert_eq!(note["user_id"], 1);
        create(&bob, &origin).await.problem("permission_denied");
        create(&ada, "https://evil.example").await.problem("permission_denied");
        create("id=forged", &origin).await.problem("authentication_failed");
        api.get("/notes").await.problem("authentication_failed");

        let read = async |path: &str, cookie: &str| api.get(path).header("cookie", cookie).await;
        let path = format!("/notes/{}", note["id"]);
        let own = read(&path, &ada).await.expect(200);
        assert_eq!(own.header("cache-control"), Some("private"));
        read(&path, &bob).await.problem("not_found");
        let history = read(&format!("{path}/history"), &ada).await.ok();
        assert_eq!(history["data"][0]["actor"], "1");
        assert_eq!(read("/profile", &bob).await.ok(), json!({ "user_id": "2", "roles": [] }));

        api.request(reqwest::Method::POST, "/logout").header("cookie", &ada).await.expect(204);
        read(&path, &ada).await.problem("authentication_failed");
        api.stop().await;
    });
}
