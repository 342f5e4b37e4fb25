//! Configurations of authentication that are rejected at start.

use std::process::Command;
use std::time::Duration;

use crud_runtime::auth::{Algorithm, Auth, AuthBuilder, Issuer, Principal, TokenKey};
use crud_runtime::prelude::*;
use crud_tests::{Api, http, on_each_backend};

use crate::support::{SECRET, auth};

fn build_error(builder: AuthBuilder) -> String {
    builder.build().expect_err("the configuration is rejected").to_string()
}

#[test]
fn secret_is_at_least_as_long_as_its_hash() {
    for (algorithm, least) in [(Algorithm::Hs256, 32), (Algorithm::Hs384, 48), (Algorithm::Hs512, 64)] {
        let secret = |length: usize| Auth::builder().algorithm(algorithm).secret("s".repeat(length));
        assert!(secret(least).build().is_ok());
        let error = build_error(secret(least - 1));
        assert!(error.contains(&format!("at least {least} bytes")), "{error}");
        assert!(!error.contains("sss"), "the secret is revealed: {error}");
    }
}

#[test]
fn secret_is_read_from_the_environment_by_default() {
    match std::env::var("JWT_SECRET_KEY") {
        // This test, run again with the variable set.
        Ok(secret) => assert_eq!(Auth::from_env().is_ok(), secret.len() >= 32),
        Err(_) => {
            assert!(build_error(Auth::builder()).contains("JWT_SECRET_KEY"));
            assert!(Auth::builder().secret(SECRET).build().is_ok());
            for secret in ["too short", SECRET] {
                let name = "setup::secret_is_read_from_the_environment_by_default";
                let mut again = Command::new(std::env::current_exe().expect("this program"));
                let output =
                    again.args(["--exact", name]).env("JWT_SECRET_KEY", secret).output().expect("the test runs");
                let printed = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
            }
        }
    }
}

#[test]
fn key_must_match_its_algorithm() {
    let pems: [&[u8]; 4] = [
        include_bytes!("keys/rsa-private.pem"),
        include_bytes!("keys/ec-private.pem"),
        include_bytes!("keys/ed-private.pem"),
        b"no key",
    ];
    let algorithms = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];
    for (index, algorithm) in algorithms.into_iter().enumerate() {
        for (other, pem) in pems.into_iter().enumerate() {
            assert_eq!(TokenKey::private_pem(algorithm, pem).is_ok(), index == other, "{algorithm} {other}");
        }
        assert!(TokenKey::secret(algorithm, SECRET).is_err());
    }
    assert!(TokenKey::private_pem(Algorithm::Hs256, pems[0]).is_err());
    assert!(
        TokenKey::private_pem(Algorithm::Es256, include_bytes!("keys/ec384-private.pem")).is_err(),
        "another curve"
    );
    assert!(TokenKey::private_pem(Algorithm::Rs256, include_bytes!("keys/rsa1024-private.pem")).is_err(), "too short");
    assert!(TokenKey::public_pem(Algorithm::Es256, include_bytes!("keys/ec384-public.pem")).is_err(), "another curve");
    assert!(TokenKey::public_pem(Algorithm::Rs256, include_bytes!("keys/rsa1024-public.pem")).is_err(), "too short");
    let error = TokenKey::secret(Algorithm::Hs256, include_bytes!("keys/rsa-public.pem")).expect_err("a public key");
    assert!(error.to_string().contains("PEM"), "{error}");
}

#[test]
fn key_ids_are_unique() {
    let key = || TokenKey::secret(Algorithm::Hs256, SECRET).expect("a key").with_id("a");
    assert!(build_error(Auth::builder().key(key()).key(key())).contains("`a`"));
}

#[test]
fn zero_lifetimes_and_limits_are_rejected() {
    build_error(auth().access_token_lifetime(Duration::ZERO));
    build_error(auth().refresh_token_lifetime(Duration::ZERO));
    build_error(auth().login_attempts(0, Duration::from_secs(1)));
    build_error(auth().login_attempts(1, Duration::ZERO));
    build_error(auth().leeway(Duration::from_mins(6)));
}

#[test]
fn debug_output_contains_no_key() {
    let key = TokenKey::secret(Algorithm::Hs256, SECRET).expect("a key");
    let printed = format!("{key:?} {:?} {:?}", auth(), auth().build().expect("the authentication"));
    assert!(!printed.contains(SECRET) && !printed.contains("116, 104, 101"), "{printed}");
}

#[test]
fn service_without_authentication_has_no_trace_of_it() {
    on_each_backend(async |database| {
        let api = Api::start(database, database.service().await).await;
        for path in ["/profile", "/auth/login", "/auth/refresh", "/auth/logout"] {
            api.get(path).await.expect(404).problem("route_not_found");
        }
        let document = api.get("/openapi.json").await.ok().to_string();
        for word in ["bearerAuth", "TokenRequest", "invalid_token", "permission_denied", "WWW-Authenticate"] {
            assert!(!document.contains(word), "{word}");
        }
        api.stop().await;
    });
}

/// A record of a shop.
#[derive(Debug, Clone, Resource)]
struct Parcel {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
}

/// Memberships of users in shops.
#[derive(Debug, Clone, Resource)]
struct Clerk {
    id: i64,
    #[crud(tenant(members(user_id)))]
    shop_id: i64,
    #[crud(unique, references(users))]
    user_id: i64,
}

#[test]
fn records_with_tenants_need_a_source_of_tenants() {
    http::on_each_backend(async |database| {
        let service = async |auth: AuthBuilder| {
            let auth = auth.build().expect("the authentication");
            database.service().await.auth(auth).resource::<Parcel>()
        };
        let error = service(auth()).await.into_router().map(drop).unwrap_err().to_string();
        assert!(error.contains("records of Parcel have tenants, and no request names one"), "{error}");
        assert!(
            error.contains("AuthBuilder::tenant_claim") && error.contains("tenant(members(user_id, role))"),
            "{error}"
        );
        let issuer = Issuer::new("https://id.example").alias("id").audience("parcels");
        let of_claims = |_: &serde_json::Value| Some(Principal::new("7").with_tenant(1));
        assert!(service(auth().trust(issuer.clone())).await.into_router().is_err(), "its tokens have the same claims");
        for with_source in [
            service(auth().tenant_claim("shop")).await,
            service(auth().trust(issuer.claims(of_claims))).await,
            service(auth().tenant_claim("shop")).await.resource::<Clerk>(),
            service(auth()).await.access(crud_runtime::AccessOptions::principal_from_layers),
        ] {
            assert!(with_source.into_router().is_ok());
        }
    });
}
