//! A real issuer: a realm of Keycloak, made by its admin API, whose keys rotate. It is in the long part `issuer`.

use std::env;
use std::time::Duration;

use crud_runtime::auth::{Auth, Issuer};
use crud_runtime::prelude::*;
use crud_runtime::testing::{Test, TestAnswer};
use crud_tests::{Database, http, on_each_backend, skip};
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};

/// Environment variable: the origin of a Keycloak whose administrator is `admin` with the password `admin`.
const URL: &str = "CRUD_TEST_KEYCLOAK";

/// The client, which is the audience of its tokens.
const SHOP: &str = "shop-app";

/// A note of its owner's.
#[derive(Debug, Clone, Resource)]
#[crud(access(read(authenticated), write(role("staff"))))]
struct Note {
    id: i64,
    #[crud(owner)]
    author: String,
    title: String,
}

/// A realm with the client, the role `staff`, and the users Ada, who has it, and Bob.
struct Realm {
    http: Client,
    origin: String,
    name: String,
    /// The key of Ada's account.
    ada: String,
}

/// The tokens of a login.
struct Tokens {
    access: String,
    id: String,
    refresh: String,
}

/// The origin of Keycloak, where the part runs.
fn origin() -> Option<String> {
    let origin = env::var(URL).ok();
    if origin.is_none() {
        skip("issuer", &format!("{URL} does not name a Keycloak"));
    }
    origin
}

/// The media type of the tokens' requests and their bodies.
fn form(pairs: &[(&str, &str)]) -> String {
    let query = crud_tests::query("", pairs.iter().copied());
    query.trim_start_matches('?').to_owned()
}

async fn json_of(response: Response) -> Value {
    let (status, text) = (response.status(), response.text().await.expect("a text"));
    assert!(status.is_success(), "{status}: {text}");
    serde_json::from_str(&text).unwrap_or_default()
}

impl Realm {
    /// Makes a realm.
    async fn create(origin: String) -> Self {
        let http = Client::builder().no_proxy().build().expect("a client");
        let name = format!("r{}", Uuid::now_v7().simple());
        let settings = json!({ "realm": name, "enabled": true, "sslRequired": "none", "accessTokenLifespan": 3600 });
        let mut realm = Self { http, origin, name, ada: String::new() };
        realm.admin(Method::POST, "/admin/realms", &settings).await;
        let mapper = json!({
            "name": "audience", "protocol": "openid-connect", "protocolMapper": "oidc-audience-mapper",
            "config": { "included.client.audience": SHOP, "access.token.claim": "true", "id.token.claim": "false" },
        });
        let client = json!({
            "clientId": SHOP, "enabled": true, "publicClient": true, "directAccessGrantsEnabled": true,
            "protocolMappers": [mapper],
        });
        realm.of_realm(Method::POST, "/clients", &client).await;
        realm.of_realm(Method::POST, "/roles", &json!({ "name": "staff" })).await;
        for name in ["ada", "bob"] {
            let user = json!({
                "username": name, "enabled": true, "emailVerified": true, "email": format!("{name}@example.com"),
                "firstName": name, "lastName": "Shop",
                "credentials": [{ "type": "password", "value": "correct horse", "temporary": false }],
            });
            realm.of_realm(Method::POST, "/users", &user).await;
        }
        let found = realm.of_realm(Method::GET, "/users?username=ada&exact=true", &Value::Null).await;
        realm.ada = found[0]["id"].as_str().expect("a user").to_owned();
        let role = realm.of_realm(Method::GET, "/roles/staff", &Value::Null).await;
        let path = format!("/users/{}/role-mappings/realm", realm.ada);
        realm.of_realm(Method::POST, &path, &json!([role])).await;
        realm
    }

    fn issuer(&self) -> String {
        format!("{}/realms/{}", self.origin, self.name)
    }

    async fn token_of(&self, realm: &str, pairs: &[(&str, &str)]) -> Value {
        let url = format!("{}/realms/{realm}/protocol/openid-connect/token", self.origin);
        let request = self.http.post(url).header("content-type", "application/x-www-form-urlencoded");
        json_of(request.body(form(pairs)).send().await.expect("an answer")).await
    }

    /// Sends a request to the admin API.
    async fn admin(&self, method: Method, path: &str, body: &Value) -> Value {
        let login =
            [("grant_type", "password"), ("client_id", "admin-cli"), ("username", "admin"), ("password", "admin")];
        let token = self.token_of("master", &login).await;
        let token = token["access_token"].as_str().expect("a token").to_owned();
        let request = self.http.request(method, format!("{}{path}", self.origin));
        let request = request.header("authorization", format!("Bearer {token}"));
        let request = if body.is_null() { request } else { request.json(body) };
        json_of(request.send().await.expect("an answer")).await
    }

    async fn of_realm(&self, method: Method, path: &str, body: &Value) -> Value {
        self.admin(method, &format!("/admin/realms/{}{path}", self.name), body).await
    }

    async fn log_in(&self, name: &str) -> Tokens {
        let login = [
            ("grant_type", "password"),
            ("client_id", SHOP),
            ("username", name),
            ("password", "correct horse"),
            ("scope", "openid"),
        ];
        let tokens = self.token_of(&self.name, &login).await;
        let text = |name: &str| tokens[name].as_str().expect("a token").to_owned();
        Tokens { access: text("access_token"), id: text("id_token"), refresh: text("refresh_token") }
    }

    /// Adds a key that signs from now on.
    async fn add_key(&self, provider: &str, priority: u32) {
        let realm = self.of_realm(Method::GET, "", &Value::Null).await;
        let component = json!({
            "name": format!("{provider}-{priority}"), "providerId": provider, "parentId": realm["id"],
            "providerType": "org.keycloak.keys.KeyProvider",
            "config": { "priority": [priority.to_string()], "enabled": ["true"], "active": ["true"] },
        });
        self.of_realm(Method::POST, "/components", &component).await;
    }

    /// Removes the keys of RS256 with a lower priority.
    async fn remove_keys_below(&self, priority: u32) {
        let path = "/components?type=org.keycloak.keys.KeyProvider";
        for component in self.of_realm(Method::GET, path, &Value::Null).await.as_array().expect("a list") {
            let own = component["config"]["priority"][0].as_str().and_then(|text| text.parse::<u32>().ok());
            if component["providerId"] == "rsa-generated" && own.unwrap_or_default() < priority {
                let id = component["id"].as_str().expect("an id");
                self.of_realm(Method::DELETE, &format!("/components/{id}"), &Value::Null).await;
            }
        }
    }

    async fn remove(&self) {
        self.of_realm(Method::DELETE, "", &Value::Null).await;
    }
}

/// A service that takes the realm's tokens, whose clock stands still.
async fn service(database: &Database, realm: &Realm) -> Test {
    let issuer = Issuer::new(realm.issuer()).audience(SHOP).roles_claim("realm_access.roles");
    let auth = Auth::builder().trust(issuer).build().expect("the authentication");
    let test = database.service().await.resource::<Note>().auth(auth).test().await.expect("the service");
    test.clock().set(Utc::now());
    test
}

async fn profile(test: &Test, token: &str) -> TestAnswer {
    test.get("/profile").header("authorization", format!("Bearer {token}")).await
}

async fn create(test: &Test, token: &str) -> TestAnswer {
    test.post("/notes", json!({ "title": "a" })).header("authorization", format!("Bearer {token}")).await
}

#[test]
fn access_tokens_of_keycloak_are_principals_and_its_other_tokens_are_none() {
    let Some(origin) = origin() else { return };
    http::on_each_backend(async |database| {
        let realm = Realm::create(origin.clone()).await;
        let test = service(database, &realm).await;
        let (ada, bob) = (realm.log_in("ada").await, realm.log_in("bob").await);
        let user = profile(&test, &ada.access).await.expect(200).json();
        assert_eq!(user["user_id"], realm.ada);
        assert!(user["roles"].as_array().expect("roles").contains(&json!("staff")), "{user}");
        assert_eq!(create(&test, &ada.access).await.expect(201).json()["author"], realm.ada);
        create(&test, &bob.access).await.problem("permission_denied");
        for (what, token) in [("an ID token", &ada.id), ("a refresh token", &ada.refresh)] {
            let answer = profile(&test, token).await;
            assert_eq!(answer.status(), 401, "{what}");
            answer.problem("invalid_token");
        }
        realm.remove().await;
    });
}

#[test]
fn rotation_of_keycloaks_keys_is_followed() {
    let Some(origin) = origin() else { return };
    on_each_backend(async |database| {
        let realm = Realm::create(origin.clone()).await;
        let test = service(database, &realm).await;
        let status = async |token: &str| profile(&test, token).await.status();
        let old = realm.log_in("ada").await.access;
        assert_eq!(status(&old).await, 200);
        realm.add_key("rsa-generated", 200).await;
        let new = realm.log_in("ada").await.access;
        assert_eq!(status(&new).await, 401, "the keys were fetched a moment ago");
        test.clock().advance(Duration::from_secs(31));
        assert_eq!((status(&new).await, status(&old).await), (200, 200), "both keys are published");
        realm.remove_keys_below(200).await;
        realm.add_key("rsa-generated", 300).await;
        let newest = realm.log_in("ada").await.access;
        test.clock().advance(Duration::from_secs(31));
        assert_eq!(status(&newest).await, 200);
        assert_eq!((status(&new).await, status(&old).await), (200, 401), "the first key is gone");
        realm.remove().await;
        // Its realm is away: the last good keys serve on, and after a restart too.
        test.clock().advance(Duration::from_mins(50));
        assert_eq!(status(&newest).await, 200);
        let restarted = service(database, &realm).await;
        assert_eq!(profile(&restarted, &newest).await.status(), 200, "from the table of copies");
    });
}
