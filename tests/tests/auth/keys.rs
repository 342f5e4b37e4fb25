//! Keys: every algorithm, several keys, keys of another issuer, and key confusion.

use crud_runtime::auth::{Algorithm, Auth, AuthBuilder, TokenKey};
use crud_tests::Api;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{EncodingKey, Header, get_current_timestamp};
use serde_json::{Value, json};

use crate::support::{
    SECRET, Tokens, auth, claims, claims_with, install_cryptography, login, on_service, part, profile, refresh,
    secret_key, sign, sign_with,
};

const RSA: &[u8] = include_bytes!("keys/rsa-private.pem");
const RSA_PUBLIC: &[u8] = include_bytes!("keys/rsa-public.pem");
const EC: &[u8] = include_bytes!("keys/ec-private.pem");
const EC_PUBLIC: &[u8] = include_bytes!("keys/ec-public.pem");
const ED: &[u8] = include_bytes!("keys/ed-private.pem");
const ED_PUBLIC: &[u8] = include_bytes!("keys/ed-public.pem");

const PAIRS: [(Algorithm, &[u8], &[u8]); 3] =
    [(Algorithm::Rs256, RSA, RSA_PUBLIC), (Algorithm::Es256, EC, EC_PUBLIC), (Algorithm::EdDsa, ED, ED_PUBLIC)];

fn jwt(algorithm: Algorithm) -> jsonwebtoken::Algorithm {
    algorithm.as_str().parse().expect("an algorithm")
}

fn encoding(algorithm: Algorithm, pem: &[u8]) -> EncodingKey {
    install_cryptography();
    let key = match algorithm {
        Algorithm::Rs256 => EncodingKey::from_rsa_pem(pem),
        Algorithm::Es256 => EncodingKey::from_ec_pem(pem),
        _ => EncodingKey::from_ed_pem(pem),
    };
    key.expect("a private key")
}

fn with_key(key: TokenKey) -> impl Fn() -> AuthBuilder {
    move || Auth::builder().key(key.clone())
}

fn named_secret(name: &str) -> TokenKey {
    let secret = format!("the secret of {name}, which is long enough to be one, for every algorithm");
    TokenKey::secret(Algorithm::Hs256, secret).expect("a key").with_id(name)
}

async fn assert_invalid(api: &Api, token: &str) {
    profile(api, token).await.expect(401).problem("invalid_token");
}

#[test]
fn every_algorithm_signs_and_verifies() {
    let secrets = [Algorithm::Hs256, Algorithm::Hs384, Algorithm::Hs512].map(|algorithm| {
        let secret =
            TokenKey::secret(algorithm, "a secret that is long enough for each of them, sixty-four bytes or more");
        (algorithm, secret.expect("a key"))
    });
    let pairs = PAIRS.map(|(algorithm, pem, _)| (algorithm, TokenKey::private_pem(algorithm, pem).expect("a key")));
    for (algorithm, key) in secrets.into_iter().chain(pairs) {
        on_service(with_key(key), async |api, _| {
            let tokens = login(api).await;
            assert_eq!(part(&tokens.access, 0)["alg"], algorithm.as_str());
            profile(api, &tokens.access).await.ok();
            refresh(api, &tokens.refresh).await.ok();
        });
    }
}

#[test]
fn public_key_is_not_accepted_as_a_secret() {
    for (algorithm, pem, public) in PAIRS {
        on_service(with_key(TokenKey::private_pem(algorithm, pem).expect("a key")), async |api, _| {
            let trimmed = public.trim_ascii_end();
            let der = encoding(algorithm, pem);
            for secret in [public, trimmed, der.as_bytes()] {
                for header in
                    [jsonwebtoken::Algorithm::HS256, jsonwebtoken::Algorithm::HS384, jsonwebtoken::Algorithm::HS512]
                {
                    let token =
                        sign_with(&Header::new(header), &claims(), &EncodingKey::from_secret(secret).expect("a key"));
                    assert_invalid(api, &token).await;
                }
            }
        });
    }
}

#[test]
fn keys_of_different_algorithms_are_not_confused() {
    let both = || auth().key(TokenKey::private_pem(Algorithm::Rs256, RSA).expect("a key"));
    on_service(both, async |api, _| {
        profile(api, &sign(&claims())).await.ok();
        profile(api, &login(api).await.access).await.ok();
        let confused = sign_with(&Header::default(), &claims(), &EncodingKey::from_secret(RSA_PUBLIC).expect("a key"));
        assert_invalid(api, &confused).await;
        let other = sign_with(&Header::new(jsonwebtoken::Algorithm::ES256), &claims(), &encoding(Algorithm::Es256, EC));
        assert_invalid(api, &other).await;
    });
}

#[test]
fn newest_key_signs_and_every_key_verifies() {
    let two = || Auth::builder().key(named_secret("2025")).key(named_secret("2026"));
    on_service(with_key(named_secret("2025")), async |old, _| {
        let tokens = login(old).await;
        assert_eq!(part(&tokens.access, 0)["kid"], "2025");
        on_second_service(two, async |api| {
            profile(api, &tokens.access).await.ok();
            let refreshed = Tokens::from_body(&refresh(api, &tokens.refresh).await.ok());
            assert_eq!(part(&refreshed.access, 0)["kid"], "2026");
            profile(api, &refreshed.access).await.ok();
        })
        .await;
        on_second_service(with_key(named_secret("2026")), async |api| assert_invalid(api, &tokens.access).await).await;
    });
}

/// Runs a test against a second service with its own database.
async fn on_second_service(auth: impl Fn() -> AuthBuilder, test: impl AsyncFn(&Api)) {
    let database = crud_tests::Backend::available()[0].fresh();
    let service = database.service().await.auth(auth().build().expect("the authentication"));
    let service = service.migrate().await.expect("the tables");
    service.users().create_user("ada", "correct horse").await.expect("a user");
    let api = Api::start(&database, service).await;
    test(&api).await;
    api.stop().await;
}

#[test]
fn kid_selects_a_configured_key_only() {
    let two = || Auth::builder().key(named_secret("a")).key(named_secret("b"));
    let secret = |name: &str| format!("the secret of {name}, which is long enough to be one, for every algorithm");
    on_service(two, async |api, _| {
        let token = |kid: Option<&str>, secret: &str| {
            let header = Header { kid: kid.map(str::to_owned), ..Header::default() };
            sign_with(&header, &claims(), &secret_key(secret))
        };
        profile(api, &token(Some("a"), &secret("a"))).await.ok();
        assert_invalid(api, &token(Some("b"), &secret("a"))).await;
        assert_invalid(api, &token(None, &secret("a"))).await;
        // Texts that elsewhere would be a file's path, an SQL injection, a URL or a command.
        let injected = [
            "",
            "A",
            "c",
            "../../../../dev/null",
            "/dev/null",
            "a' UNION SELECT 'x",
            "a\u{0}",
            "http://evil.example/k",
            "|id",
        ];
        for kid in injected {
            for secret in ["", "x", kid, &secret("a"), &secret("b")] {
                assert_invalid(api, &token(Some(kid), secret)).await;
            }
        }
    });
}

#[test]
fn verifier_accepts_tokens_of_another_issuer_and_issues_none() {
    for (algorithm, pem, public) in PAIRS {
        let key = TokenKey::public_pem(algorithm, public).expect("a key");
        on_verifier(
            || Auth::builder().key(key.clone()),
            async |api| {
                profile(api, &sign_with(&Header::new(jwt(algorithm)), &claims(), &encoding(algorithm, pem))).await.ok();
                assert_invalid(api, &sign(&claims())).await;
                api.post("/auth/login", &json!({})).await.expect(404);
                api.post("/auth/refresh", &json!({})).await.expect(404);
            },
        );
    }
    on_verifier(
        || Auth::builder().secret(SECRET).verify_only(),
        async |api| {
            profile(api, &sign(&claims())).await.ok();
            api.post("/auth/login", &json!({})).await.expect(404);
        },
    );
}

/// Runs a test against a service that issues no tokens.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_verifier(auth: impl Fn() -> AuthBuilder, test: impl AsyncFn(&Api)) {
    crud_tests::on_each_backend(async |database| {
        let service = database.service().await.auth(auth().build().expect("the authentication"));
        let mut api = Api::start(database, service.migrate().await.expect("no tables")).await;
        api.check_against_document().await;
        test(&api).await;
        api.stop().await;
    });
}

/// The audience of the service in tokens of another issuer.
const API: &str = "https://shop.example";

/// Authentication by the keys of another issuer.
fn foreign() -> AuthBuilder {
    Auth::builder().key(TokenKey::public_pem(Algorithm::Rs256, RSA_PUBLIC).expect("a key")).audience(API)
}

/// A token of the other issuer with this `typ` in its header and these claims beside `sub`, `iat`, `exp` and `aud`.
fn foreign_token(kind: Option<&str>, claims: &Value) -> String {
    let now = get_current_timestamp();
    let mut all = json!({ "sub": "f:7", "iat": now, "exp": now + 600, "aud": API });
    for (name, value) in claims.as_object().expect("claims") {
        all[name] = value.clone();
    }
    all.as_object_mut().expect("claims").retain(|_, value| !value.is_null());
    let header = Header { typ: kind.map(str::to_owned), ..Header::new(jwt(Algorithm::Rs256)) };
    sign_with(&header, &all, &encoding(Algorithm::Rs256, RSA))
}

#[test]
fn access_token_of_another_issuer_needs_no_claim_of_ours() {
    on_verifier(foreign, async |api| {
        let accepted = [
            // As Keycloak, Auth0, Entra ID, and an issuer after RFC 9068 write them.
            (Some("JWT"), json!({ "typ": "Bearer", "azp": "web", "aud": ["account", API], "sid": "s", "acr": "1" })),
            (Some("JWT"), json!({ "aud": [API, "https://tenant.example/userinfo"], "azp": "web", "scope": "openid" })),
            (Some("JWT"), json!({ "ver": "2.0", "tid": "t", "oid": "o", "appid": "web", "scp": "read" })),
            (Some("at+jwt"), json!({ "client_id": "web", "jti": "1", "auth_time": 1, "nonce": "n" })),
            (Some("application/at+JWT"), json!({})),
            (None, json!({ "token_use": "access", "nonce": "n" })),
            (None, json!({})),
            // A claim of this name is the issuer's own.
            (Some("JWT"), json!({ "type": "user" })),
            (Some("JWT"), json!({ "type": "access" })),
            (Some("JWT"), json!({ "type": 7 })),
        ];
        for (kind, claims) in accepted {
            assert_eq!(profile(api, &foreign_token(kind, &claims)).await.ok()["user_id"], "f:7", "{kind:?} {claims}");
        }
    });
}

#[test]
fn other_tokens_of_another_issuer_are_refused() {
    on_verifier(foreign, async |api| {
        let refused = [
            // ID tokens: of Keycloak, by what OpenID Connect alone gives them, and for a client.
            (Some("JWT"), json!({ "typ": "ID", "azp": "web" })),
            (Some("JWT"), json!({ "token_use": "id" })),
            (Some("JWT"), json!({ "nonce": "n" })),
            (Some("JWT"), json!({ "at_hash": "h" })),
            (Some("JWT"), json!({ "c_hash": "h" })),
            (None, json!({ "s_hash": "h" })),
            (Some("JWT"), json!({ "aud": "web", "azp": "web" })),
            (Some("JWT"), json!({ "aud": null })),
            // Whatever a claim of ours says that an issuer maps for its users.
            (Some("JWT"), json!({ "typ": "ID", "type": "access" })),
            (Some("JWT"), json!({ "token_use": "id", "type": "access" })),
            (Some("JWT"), json!({ "at_hash": "h", "type": "access" })),
            (Some("JWT"), json!({ "nonce": "n", "type": "access" })),
            (Some("logout+jwt"), json!({ "type": "access" })),
            // Refresh and logout tokens, security events, proofs.
            (Some("JWT"), json!({ "typ": "Refresh" })),
            (Some("JWT"), json!({ "typ": "Offline" })),
            (Some("JWT"), json!({ "type": "refresh" })),
            (Some("JWT"), json!({ "events": { "http://schemas.openid.net/event/backchannel-logout": {} } })),
            (Some("logout+jwt"), json!({})),
            (Some("secevent+jwt"), json!({})),
            (Some("dpop+jwt"), json!({})),
            (Some("application/x"), json!({})),
            (Some(""), json!({})),
        ];
        for (kind, claims) in refused {
            let answer = profile(api, &foreign_token(kind, &claims)).await;
            assert_eq!(answer.status(), 401, "{kind:?} {claims}");
            answer.problem("invalid_token");
        }
    });
}

#[test]
fn token_of_another_issuer_without_a_configured_audience_needs_the_claim() {
    let key = || TokenKey::public_pem(Algorithm::Rs256, RSA_PUBLIC).expect("a key");
    on_verifier(
        || Auth::builder().key(key()),
        async |api| {
            assert_invalid(api, &foreign_token(Some("at+jwt"), &json!({ "aud": null }))).await;
            profile(api, &foreign_token(None, &json!({ "aud": null, "type": "access" }))).await.ok();
        },
    );
}

#[test]
fn configured_type_of_access_tokens_is_required() {
    on_verifier(
        || foreign().access_token_type("at+jwt"),
        async |api| {
            profile(api, &foreign_token(Some("at+jwt"), &json!({}))).await.ok();
            profile(api, &foreign_token(Some("application/at+jwt"), &json!({ "nonce": "n" }))).await.ok();
            for kind in [Some("JWT"), None, Some("at+jwt2"), Some("jwt+at")] {
                assert_invalid(api, &foreign_token(kind, &json!({}))).await;
            }
            assert_invalid(api, &foreign_token(Some("at+jwt"), &json!({ "type": "refresh" }))).await;
        },
    );
}

#[test]
fn own_token_has_its_type_beside_keys_of_another_issuer() {
    let both = || foreign().secret(SECRET);
    on_service(both, async |api, _| {
        profile(api, &login(api).await.access).await.ok();
        profile(api, &foreign_token(Some("JWT"), &json!({}))).await.ok();
        profile(api, &sign(&claims_with(&json!({ "aud": API })))).await.ok();
        assert_invalid(api, &sign(&claims_with(&json!({ "aud": API, "type": null })))).await;
        refresh(api, &foreign_token(Some("JWT"), &json!({}))).await.expect(401).problem("refresh_failed");
        refresh(api, &foreign_token(Some("JWT"), &json!({ "type": "refresh" }))).await.expect(401);
    });
}

fn jwks() -> Value {
    let keys = PAIRS.map(|(algorithm, pem, _)| {
        let jwk = Jwk::from_encoding_key(&encoding(algorithm, pem), jwt(algorithm)).expect("a public key");
        let mut jwk = serde_json::to_value(jwk).expect("JSON");
        jwk["kid"] = json!(algorithm.as_str());
        jwk["use"] = json!("sig");
        jwk
    });
    json!({ "keys": keys })
}

#[test]
fn jwks_document_provides_an_issuers_keys() {
    let mut document = jwks();
    let mut encryption = document["keys"][0].clone();
    encryption["use"] = json!("enc");
    encryption["kid"] = json!("encryption");
    document["keys"].as_array_mut().expect("keys").push(encryption);
    on_verifier(
        || Auth::builder().jwks(document.to_string()),
        async |api| {
            for (algorithm, pem, _) in PAIRS {
                let token = |kid: &str| {
                    let header = Header { kid: Some(kid.to_owned()), ..Header::new(jwt(algorithm)) };
                    sign_with(&header, &claims(), &encoding(algorithm, pem))
                };
                profile(api, &token(algorithm.as_str())).await.ok();
                assert_invalid(api, &token("encryption")).await;
                assert_invalid(api, &token("HS256")).await;
            }
        },
    );
}

#[test]
fn jwks_document_requires_public_verification_keys() {
    let with_secret = json!({ "keys": [{ "kty": "oct", "k": "c2VjcmV0", "kid": "a" }] });
    let mut encryption = jwks();
    for key in encryption["keys"].as_array_mut().expect("keys") {
        key["use"] = json!("enc");
    }
    for document in [json!({}), json!([]), json!({ "keys": [] }), with_secret, encryption] {
        let error = Auth::builder().jwks(document.to_string()).build().expect_err("no keys").to_string();
        assert!(error.contains("JWKS"), "{error}");
    }
}
