//! Services with authentication, and their callers.

use crud_runtime::Service;
use crud_runtime::auth::Auth;
use crud_tests::{Answer, Api, Request, on_each_backend};
use jsonwebtoken::{EncodingKey, Header, encode, get_current_timestamp};
use reqwest::Method;
use serde_json::{Value, json};

use crate::resources::{Diary, Note, Open, Rule, Silent, Ware};

pub(crate) const SECRET: &str = "the secret of these tests, which is public";

/// Adds authentication to a service.
pub(crate) fn secured(service: Service) -> Service {
    service.auth(Auth::builder().secret(SECRET).build().expect("the authentication"))
}

/// Runs a test against a service with all resources of `resources`.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_service(test: impl AsyncFn(&Api)) {
    on_resources(
        |service| {
            service
                .resource::<Rule>()
                .resource::<Silent>()
                .resource::<Open>()
                .resource::<Note>()
                .resource::<Diary>()
                .resource::<Ware>()
        },
        test,
    );
}

/// Runs a test against a service with these resources and authentication.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_resources(resources: impl Fn(Service) -> Service, test: impl AsyncFn(&Api)) {
    on_each_backend(async |database| {
        let service = secured(resources(database.service().await)).migrate().await.expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api).await;
        api.stop().await;
    });
}

/// A client with a caller's token, or without one.
pub(crate) struct Caller<'a> {
    api: &'a Api,
    token: Option<String>,
}

/// A caller without a token.
pub(crate) fn anonymous(api: &Api) -> Caller<'_> {
    Caller { api, token: None }
}

/// A caller of this id with these roles and permissions.
pub(crate) fn caller<'a>(api: &'a Api, subject: &str, roles: &[&str], permissions: &[&str]) -> Caller<'a> {
    let now = get_current_timestamp();
    let claims = json!({
        "sub": subject, "roles": roles, "permissions": permissions, "iat": now, "exp": now + 600, "type": "access",
    });
    let token = encode(&Header::default(), &claims, &EncodingKey::from_secret(SECRET.as_bytes()).expect("a key"))
        .expect("a token");
    Caller { api, token: Some(token) }
}

impl<'a> Caller<'a> {
    fn sign(&self, request: Request<'a>) -> Request<'a> {
        match &self.token {
            Some(token) => request.header("authorization", &format!("Bearer {token}")),
            None => request,
        }
    }

    pub(crate) async fn get(&self, target: impl Into<String>) -> Answer {
        self.sign(self.api.get(target)).await
    }

    pub(crate) async fn post(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.sign(self.api.post(target, body)).await
    }

    pub(crate) async fn send(&self, target: &str, media_type: &str, body: &str) -> Answer {
        self.sign(self.api.request(Method::POST, target)).body(media_type, body).await
    }

    pub(crate) async fn request(&self, method: Method, target: &str, body: &Value) -> Answer {
        self.sign(self.api.request(method, target)).json(body).await
    }

    pub(crate) async fn put(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.sign(self.api.put(target, body)).await
    }

    pub(crate) async fn patch(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.sign(self.api.patch(target, body)).await
    }

    pub(crate) async fn delete(&self, target: impl Into<String>) -> Answer {
        self.sign(self.api.delete(target)).await
    }
}
