//! What authentication refuses to start with.

use std::process::Command;
use std::time::Duration;

use crud_runtime::auth::{Algorithm, Auth, AuthBuilder, Key};
use crud_tests::{Api, on_each_backend};

use crate::support::{SECRET, auth};

fn refusal(builder: AuthBuilder) -> String {
    builder.build().expect_err("is refused").to_string()
}

#[test]
fn a_secret_is_as_long_as_its_hash() {
    for (algorithm, least) in [(Algorithm::Hs256, 32), (Algorithm::Hs384, 48), (Algorithm::Hs512, 64)] {
        let secret = |length: usize| Auth::builder().algorithm(algorithm).secret("s".repeat(length));
        assert!(secret(least).build().is_ok());
        let refusal = refusal(secret(least - 1));
        assert!(refusal.contains(&format!("at least {least} bytes")), "{refusal}");
        assert!(!refusal.contains("sss"), "the secret is not told: {refusal}");
    }
}

#[test]
fn the_secret_is_in_the_environment_where_none_is_given() {
    match std::env::var("JWT_SECRET_KEY") {
        // This test itself, run again with the variable.
        Ok(secret) => assert_eq!(Auth::from_env().is_ok(), secret.len() >= 32),
        Err(_) => {
            assert!(refusal(Auth::builder()).contains("JWT_SECRET_KEY"));
            assert!(Auth::builder().secret(SECRET).build().is_ok());
            for secret in ["too short", SECRET] {
                let name = "setup::the_secret_is_in_the_environment_where_none_is_given";
                let mut again = Command::new(std::env::current_exe().expect("this program"));
                let output = again.args(["--exact", name]).env("JWT_SECRET_KEY", secret).output().expect("it runs");
                let printed = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
            }
        }
    }
}

#[test]
fn a_key_is_one_of_its_algorithm() {
    let pems: [&[u8]; 4] = [
        include_bytes!("keys/rsa-private.pem"),
        include_bytes!("keys/ec-private.pem"),
        include_bytes!("keys/ed-private.pem"),
        b"no key",
    ];
    let algorithms = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];
    for (index, algorithm) in algorithms.into_iter().enumerate() {
        for (other, pem) in pems.into_iter().enumerate() {
            assert_eq!(Key::private_pem(algorithm, pem).is_ok(), index == other, "{algorithm} {other}");
        }
        assert!(Key::secret(algorithm, SECRET).is_err());
    }
    assert!(Key::private_pem(Algorithm::Hs256, pems[0]).is_err());
    assert!(Key::private_pem(Algorithm::Es256, include_bytes!("keys/ec384-private.pem")).is_err(), "another curve");
    assert!(Key::private_pem(Algorithm::Rs256, include_bytes!("keys/rsa1024-private.pem")).is_err(), "too short");
    assert!(Key::public_pem(Algorithm::Es256, include_bytes!("keys/ec384-public.pem")).is_err(), "another curve");
    assert!(Key::public_pem(Algorithm::Rs256, include_bytes!("keys/rsa1024-public.pem")).is_err(), "too short");
    let error = Key::secret(Algorithm::Hs256, include_bytes!("keys/rsa-public.pem")).expect_err("a public key");
    assert!(error.to_string().contains("PEM"), "{error}");
}

#[test]
fn keys_have_names_of_their_own() {
    let key = || Key::secret(Algorithm::Hs256, SECRET).expect("a key").with_id("a");
    assert!(refusal(Auth::builder().key(key()).key(key())).contains("`a`"));
}

#[test]
fn lifetimes_and_limits_are_something() {
    refusal(auth().access_token_expire_minutes(0));
    refusal(auth().refresh_token_expire_days(0));
    refusal(auth().login_attempts(0, Duration::from_secs(1)));
    refusal(auth().login_attempts(1, Duration::ZERO));
    refusal(auth().leeway(Duration::from_mins(6)));
}

#[test]
fn nothing_of_a_key_is_printed() {
    let key = Key::secret(Algorithm::Hs256, SECRET).expect("a key");
    let printed = format!("{key:?} {:?} {:?}", auth(), auth().build().expect("the authentication"));
    assert!(!printed.contains(SECRET) && !printed.contains("116, 104, 101"), "{printed}");
}

#[test]
fn what_a_service_without_authentication_has_is_as_it_was() {
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
