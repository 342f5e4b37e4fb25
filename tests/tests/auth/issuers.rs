//! Tokens of other issuers by their URLs: whose they are, and for whom.

use crud_runtime::auth::{Auth, AuthBuilder, Issuer, Principal};
use crud_runtime::prelude::*;
use crud_tests::{Api, Database, http, on_each_backend};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::mock_issuer::{EC, ED, MockIssuer, RSA, SHOP};
use crate::support::{ADA, PASSWORD, SECRET, encode_part, login, profile};

/// A note of its owner's.
#[derive(Debug, Clone, Resource)]
#[crud(access(read(authenticated), write(role("staff"))))]
struct Note {
    id: i64,
    #[crud(owner)]
    author: String,
    title: String,
}

fn only(issuer: &MockIssuer) -> AuthBuilder {
    Auth::builder().issuer_url(issuer.url()).audience(SHOP).roles_claim("realm_access.roles")
}

/// Starts a service with this authentication and a resource.
pub(crate) async fn start(database: &Database, auth: AuthBuilder) -> Api {
    let service = database.service().await.resource::<Note>().auth(auth.build().expect("the authentication"));
    Api::start(database, service.migrate().await.expect("the tables")).await
}

async fn create(api: &Api, token: &str) -> crud_tests::Answer {
    api.post("/notes", &json!({ "title": "a" })).header("authorization", &format!("Bearer {token}")).await
}

#[test]
fn issuer_is_found_by_its_url() {
    on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA, EC, ED]).await;
        let mut api = start(database, only(&issuer)).await;
        api.check_against_document().await;
        let staff = json!({ "realm_access": { "roles": ["staff", "other"] }, "roles": ["admin"] });
        for pair in [RSA, EC, ED] {
            let token = pair.sign(&issuer.claims("f:7", &staff));
            let user = profile(&api, &token).await.ok();
            assert_eq!(user, json!({ "user_id": "f:7", "roles": ["staff", "other"] }));
            assert_eq!(create(&api, &token).await.created()["author"], "f:7");
        }
        let guest = RSA.sign(&issuer.claims("8", &json!({ "roles": ["staff"] })));
        create(&api, &guest).await.problem("permission_denied");
        assert_eq!(issuer.asked(), 1, "the keys are fetched once");
        for path in ["/auth/login", "/auth/refresh"] {
            api.post(path, &json!({})).await.problem("route_not_found");
        }
        api.stop().await;
    });
}

#[test]
fn token_that_lies_is_refused() {
    http::on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA, ED]).await;
        let other = MockIssuer::start(&[EC]).await;
        let api = start(database, only(&issuer)).await;
        let claims = |changes: Value| issuer.claims("1", &changes);
        profile(&api, &RSA.sign(&claims(json!({})))).await.ok();
        profile(&api, &RSA.sign(&claims(json!({ "aud": ["account", SHOP] })))).await.ok();
        let modulus = RSA.jwk()["n"].as_str().expect("a modulus").to_owned();
        let hmac = |secret: &[u8]| {
            let header = Header { kid: Some(RSA.id.to_owned()), ..Header::new(Algorithm::HS256) };
            encode(&header, &claims(json!({})), &EncodingKey::from_secret(secret).expect("a key")).expect("a token")
        };
        let unsigned =
            format!("{}.{}.", encode_part(&json!({ "alg": "none", "kid": RSA.id })), encode_part(&claims(json!({}))));
        let mut crit = Header { kid: Some(RSA.id.to_owned()), ..Header::new(Algorithm::RS256) };
        crit.crit = Some(vec!["exp".to_owned()]);
        for (what, token) in [
            ("another audience", RSA.sign(&claims(json!({ "aud": "https://other.example" })))),
            ("another audience in a list", RSA.sign(&claims(json!({ "aud": ["account"] })))),
            ("no audience", RSA.sign(&claims(json!({ "aud": null })))),
            ("another issuer", RSA.sign(&claims(json!({ "iss": other.url() })))),
            ("a part of the issuer", RSA.sign(&claims(json!({ "iss": format!("{}/", issuer.url()) })))),
            ("no issuer", RSA.sign(&claims(json!({ "iss": null })))),
            ("no end", RSA.sign(&claims(json!({ "exp": null })))),
            ("no subject", RSA.sign(&claims(json!({ "sub": null })))),
            ("an empty subject", RSA.sign(&claims(json!({ "sub": "" })))),
            ("a number as its subject", RSA.sign(&claims(json!({ "sub": 1 })))),
            ("not yet", RSA.sign(&claims(json!({ "nbf": 4_000_000_000_u64 })))),
            ("another key's id", ED.sign_as(Some(RSA.id), &claims(json!({})))),
            ("the key of another issuer", EC.sign(&claims(json!({})))),
            ("no key's id", RSA.sign_as(None, &claims(json!({})))),
            ("the public key as a secret", hmac(modulus.as_bytes())),
            ("the public key in PEM as a secret", hmac(include_bytes!("keys/rsa-public.pem"))),
            ("no signature", unsigned),
            ("an ID token by its claim", RSA.sign(&claims(json!({ "typ": "ID" })))),
            ("an ID token by its nonce", RSA.sign(&claims(json!({ "typ": null, "nonce": "n" })))),
            ("an ID token by its hash", RSA.sign(&claims(json!({ "at_hash": "h" })))),
            ("a refresh token", RSA.sign(&claims(json!({ "typ": "Refresh" })))),
            ("a logout token", RSA.sign(&claims(json!({ "events": {} })))),
        ] {
            let answer = profile(&api, &token).await;
            assert_eq!(answer.status(), 401, "{what}");
            answer.problem("invalid_token");
        }
        let expired = RSA.sign(&claims(json!({ "exp": 1_000_000_000 })));
        profile(&api, &expired).await.problem("token_expired");
        api.stop().await;
    });
}

#[test]
fn subjects_beside_own_users_have_an_alias() {
    on_each_backend(async |database| {
        let (staff, customers) = (MockIssuer::start(&[RSA]).await, MockIssuer::start(&[EC]).await);
        let issuer = |mock: &MockIssuer, alias: &str| Issuer::new(mock.url()).alias(alias).audience(SHOP);
        let auth = Auth::builder().secret(SECRET).trust(issuer(&staff, "staff")).trust(issuer(&customers, "customers"));
        let service = database.service().await.resource::<Note>().auth(auth.build().expect("the authentication"));
        let service = service.migrate().await.expect("the tables");
        service.users().create_user(ADA, PASSWORD).roles(["staff"]).await.expect("a user");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let roles = json!({ "roles": ["staff"] });
        let own = login(&api).await.access;
        let of_staff = RSA.sign(&staff.claims("1", &roles));
        let of_customers = EC.sign(&customers.claims("1", &roles));
        for (token, subject) in [(&own, "1"), (&of_staff, "staff:1"), (&of_customers, "customers:1")] {
            assert_eq!(profile(&api, token).await.ok()["user_id"], subject);
            assert_eq!(create(&api, token).await.created()["author"], subject);
            let mine = api.get("/notes").header("authorization", &format!("Bearer {token}")).await.ok();
            assert_eq!(mine.as_array().expect("a list").len(), 1, "{subject}: {mine}");
        }
        // One issuer cannot speak for another, nor for the service.
        for forged in [
            RSA.sign(&customers.claims("1", &roles)),
            EC.sign(&staff.claims("1", &roles)),
            EC.sign_as(Some(RSA.id), &staff.claims("1", &roles)),
            RSA.sign(&staff.claims("1", &json!({ "iss": null, "type": "access" }))),
        ] {
            profile(&api, &forged).await.problem("invalid_token");
        }
        let named = RSA.sign(&staff.claims("customers:1", &roles));
        assert_eq!(profile(&api, &named).await.ok()["user_id"], "staff:customers:1");
        let change = json!({ "old_password": PASSWORD, "new_password": "another horse" });
        let change = api.post("/auth/password", &change).header("authorization", &format!("Bearer {of_staff}")).await;
        change.problem("authentication_failed");
        api.stop().await;
    });
}

#[test]
fn role_of_another_issuer_manages_no_users_unless_the_program_says_so() {
    on_each_backend(async |database| {
        let mock = MockIssuer::start(&[RSA]).await;
        let issuer = Issuer::new(mock.url()).alias("staff").audience(SHOP);
        for is_stated in [false, true] {
            let auth = Auth::builder().secret(SECRET).trust(issuer.clone()).build().expect("the authentication");
            let service = database.service().await.auth(auth).access(|access| access.users_role("operator"));
            let service =
                if is_stated { service.access(crud_runtime::AccessOptions::users_role_of_any_source) } else { service };
            let service = service.migrate().await.expect("the tables");
            service.users().create_first(ADA, PASSWORD, ["operator"]).await.expect("a user");
            let api = Api::start(database, service).await;
            let bearer = format!("Bearer {}", RSA.sign(&mock.claims("1", &json!({ "roles": ["operator"] }))));
            let list = api.get("/auth/users").header("authorization", &bearer).await;
            let body = json!({ "username": "eve", "password": PASSWORD, "roles": ["operator"] });
            let created = api.post("/auth/users", &body).header("authorization", &bearer).await;
            if is_stated {
                assert_eq!(list.ok()["total"], 1);
                created.expect(201);
            } else {
                list.problem("permission_denied");
                created.problem("permission_denied");
            }
            let own = format!("Bearer {}", login(&api).await.access);
            api.get("/auth/users").header("authorization", &own).await.ok();
            api.stop().await;
        }
    });
}

#[test]
fn program_makes_principals_of_claims() {
    http::on_each_backend(async |database| {
        let mock = MockIssuer::start(&[RSA]).await;
        let issuer = Issuer::new(mock.url()).alias("id").audience(SHOP).claims(|claims| {
            let subject = claims["email"].as_str()?;
            let is_admin = claims["groups"].as_array()?.iter().any(|group| group == "/admins");
            Some(Principal::new(subject).with_roles(is_admin.then_some("staff")))
        });
        let api = start(database, Auth::builder().trust(issuer)).await;
        let token = |claims: Value| RSA.sign(&mock.claims("7", &claims));
        let admin = token(json!({ "email": "ada@shop.example", "groups": ["/admins"], "roles": ["root"] }));
        let user = profile(&api, &admin).await.ok();
        assert_eq!(user, json!({ "user_id": "id:ada@shop.example", "roles": ["staff"] }));
        assert_eq!(create(&api, &admin).await.created()["author"], "id:ada@shop.example");
        let guest = token(json!({ "email": "bob@shop.example", "groups": [] }));
        create(&api, &guest).await.problem("permission_denied");
        for refused in [json!({}), json!({ "email": "a" }), json!({ "email": "", "groups": [] })] {
            profile(&api, &token(refused)).await.problem("invalid_token");
        }
        api.stop().await;
    });
}

#[test]
fn roles_and_permissions_are_in_any_claim() {
    http::on_each_backend(async |database| {
        let mock = MockIssuer::start(&[RSA]).await;
        let start_with = async |roles: &str| {
            let issuer = Issuer::new(mock.url()).audience(SHOP).roles_claim(roles).permissions_claim("scope");
            start(database, Auth::builder().trust(issuer)).await
        };
        for (path, claims) in [
            ("roles", json!({ "roles": ["staff"] })),
            ("roles", json!({ "roles": "staff" })),
            ("resource_access.my.shop.roles", json!({ "resource_access": { "my.shop": { "roles": ["staff"] } } })),
            ("https://shop.example/roles", json!({ "https://shop.example/roles": ["staff"] })),
            ("urn:zitadel:roles", json!({ "urn:zitadel:roles": { "staff": { "1": "shop" } } })),
        ] {
            let api = start_with(path).await;
            create(&api, &RSA.sign(&mock.claims("7", &claims))).await.created();
            create(&api, &RSA.sign(&mock.claims("7", &json!({ "scope": "staff" })))).await.problem("permission_denied");
            api.stop().await;
        }
    });
}

#[test]
fn issuer_that_lacks_something_is_refused_at_start() {
    let issuer = || Issuer::new("https://id.example").audience(SHOP);
    let named = |alias: &str| issuer().alias(alias);
    for (auth, says) in [
        (Auth::builder().issuer_url("https://id.example"), "`Issuer::audience`"),
        (Auth::builder().trust(Issuer::new("https://id.example").audience("")), "`Issuer::audience`"),
        (Auth::builder().issuer_url("http://id.example").audience(SHOP), "must be `https`"),
        (Auth::builder().issuer_url("id.example").audience(SHOP), "is not a URL"),
        (Auth::builder().issuer_url("https://a:b@id.example").audience(SHOP), "no user name"),
        (Auth::builder().secret(SECRET).trust(issuer()), "alias"),
        (Auth::builder().secret(SECRET).issuer_url("https://id.example").audience(SHOP), "alias"),
        (Auth::builder().trust(issuer()).trust(Issuer::new("https://b.example").audience(SHOP).alias("b")), "alias"),
        (Auth::builder().trust(named("a")).trust(named("a")), "the alias `a`"),
        (Auth::builder().trust(named("a")).trust(named("b")), "twice"),
        (Auth::builder().secret(SECRET).trust(named("a:b")), "`a:b`"),
        (Auth::builder().secret(SECRET).trust(named("")), "letters, digits"),
        (Auth::builder().secret(SECRET).issuer("https://id.example").trust(named("a")), "remove one"),
        (Auth::builder().secret(SECRET).roles_claim("a"), "`issuer_url`"),
        (Auth::builder().trust(issuer().root_certificates("no certificate")), "PEM"),
    ] {
        let error = auth.build().expect_err(says).to_string();
        assert!(error.contains(says), "{says}: {error}");
    }
    assert!(Auth::builder().trust(issuer()).build().is_ok(), "one issuer alone needs no alias, and no secret");
}
