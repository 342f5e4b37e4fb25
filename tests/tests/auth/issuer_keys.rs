//! The keys of other issuers: rotation, last good copies, and issuers that lie, hang and fail.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use crud_runtime::auth::{Auth, AuthBuilder, Issuer};
use crud_runtime::prelude::Utc;
use crud_runtime::testing::{Test, TestAnswer};
use crud_tests::{Database, http, on_each_backend, wait_until, within};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::mock_issuer::{Answers, EC, ED, MockIssuer, Pair, RSA, SHOP};

/// A service that takes the tokens of an issuer, whose clock stands still.
async fn service(database: &Database, auth: AuthBuilder) -> Test {
    let service = database.service().await.auth(auth.build().expect("the authentication"));
    let test = service.test().await.expect("the service");
    test.clock().set(Utc::now());
    test
}

fn trusting(issuer: &MockIssuer) -> AuthBuilder {
    Auth::builder().issuer_url(issuer.url()).audience(SHOP)
}

async fn profile(test: &Test, token: &str) -> TestAnswer {
    test.get("/profile").header("authorization", format!("Bearer {token}")).await
}

async fn status(test: &Test, token: &str) -> u16 {
    profile(test, token).await.status()
}

fn token(issuer: &MockIssuer, pair: Pair) -> String {
    pair.sign(&issuer.claims("7", &json!({})))
}

#[test]
fn new_key_of_the_issuer_counts_without_a_restart() {
    on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA]).await;
        let test = service(database, trusting(&issuer)).await;
        let (old, new) = (token(&issuer, RSA), token(&issuer, EC));
        assert_eq!(status(&test, &old).await, 200);
        issuer.rotate(&[RSA, EC]);
        assert_eq!(status(&test, &new).await, 401, "its keys were fetched a moment ago");
        assert_eq!(issuer.asked(), 1);
        test.clock().advance(Duration::from_secs(31));
        assert_eq!((status(&test, &new).await, status(&test, &old).await), (200, 200));
        assert_eq!(issuer.asked(), 2);
        issuer.rotate(&[EC]);
        test.clock().advance(Duration::from_mins(59));
        assert_eq!(status(&test, &old).await, 200, "the keys are fetched every hour");
        test.clock().advance(Duration::from_mins(2));
        wait_until("the old key counts no more", async || status(&test, &old).await == 401).await;
        assert_eq!((status(&test, &new).await, issuer.asked()), (200, 3));
    });
}

#[test]
fn tokens_with_unknown_keys_cost_one_fetch() {
    on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA]).await;
        let test = service(database, trusting(&issuer)).await;
        assert_eq!(status(&test, &token(&issuer, RSA)).await, 200);
        let forged = |number: usize| ED.sign_as(Some(&format!("key {number}")), &issuer.claims("7", &json!({})));
        for round in 1..3 {
            test.clock().advance(Duration::from_secs(31));
            let mut requests = JoinSet::new();
            for number in 0..60 {
                let (test, forged) = (test.clone(), forged(number));
                requests.spawn(async move { status(&test, &forged).await });
            }
            assert!(requests.join_all().await.into_iter().all(|status| status == 401));
            for number in 0..60 {
                assert_eq!(status(&test, &forged(number)).await, 401);
            }
            assert_eq!(issuer.asked(), 1 + round, "one fetch for the issuer");
        }
        // The fetch that a forged token caused has what a new token needs.
        issuer.rotate(&[RSA, EC]);
        test.clock().advance(Duration::from_secs(31));
        assert_eq!(status(&test, &forged(0)).await, 401);
        assert_eq!(status(&test, &token(&issuer, EC)).await, 200);
        assert_eq!(issuer.asked(), 4);
    });
}

#[test]
fn issuer_that_hangs_delays_no_token_whose_key_is_known() {
    on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA]).await;
        let test = service(database, trusting(&issuer)).await;
        assert_eq!(status(&test, &token(&issuer, RSA)).await, 200);
        issuer.set(Answers::Hangs);
        test.clock().advance(Duration::from_hours(2));
        let unknown = {
            let (test, unknown) = (test.clone(), token(&issuer, EC));
            tokio::spawn(async move { status(&test, &unknown).await })
        };
        wait_until("the issuer is asked", async || issuer.asked() == 2).await;
        for _ in 0..10 {
            assert_eq!(status(&test, &token(&issuer, RSA)).await, 200);
        }
        assert!(!unknown.is_finished(), "a token with an unknown key waits for the issuer");
        let unknown = within(Duration::from_secs(5), "the fetch ends", unknown).await;
        assert_eq!(unknown.expect("no panic"), 401);
        assert_eq!(issuer.asked(), 2);
    });
}

#[test]
fn service_without_keys_says_that_the_issuer_is_away() {
    on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA]).await;
        issuer.set(Answers::Hangs);
        let test = service(database, trusting(&issuer)).await;
        let valid = token(&issuer, RSA);
        let answer = within(Duration::from_secs(5), "the fetch ends", profile(&test, &valid)).await;
        let answer = answer.expect(503);
        assert!(answer.header("retry-after").is_some());
        issuer.rotate(&[RSA]);
        assert_eq!((status(&test, &valid).await, issuer.asked()), (503, 1), "it was asked a moment ago");
        test.clock().advance(Duration::from_secs(6));
        assert_eq!((status(&test, &valid).await, issuer.asked()), (200, 2));
    });
}

#[test]
fn last_good_keys_serve_for_a_day_and_over_a_restart() {
    on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA]).await;
        let valid = token(&issuer, RSA);
        assert_eq!(status(&service(database, trusting(&issuer)).await, &valid).await, 200);
        issuer.set(Answers::Fails);
        let test = service(database, trusting(&issuer)).await;
        assert_eq!(status(&test, &valid).await, 200, "from the table");
        assert_eq!(status(&test, &token(&issuer, EC)).await, 401);
        test.clock().advance(Duration::from_hours(23));
        assert_eq!(status(&test, &valid).await, 200);
        test.clock().advance(Duration::from_hours(2));
        profile(&test, &valid).await.problem("unavailable");
        issuer.rotate(&[EC]);
        test.clock().advance(Duration::from_secs(6));
        assert_eq!((status(&test, &token(&issuer, EC)).await, status(&test, &valid).await), (200, 401));
        // The table has the newest.
        issuer.set(Answers::Fails);
        let test = service(database, trusting(&issuer)).await;
        assert_eq!((status(&test, &token(&issuer, EC)).await, status(&test, &valid).await), (200, 401));
    });
}

#[test]
fn documents_that_are_not_an_issuers_are_refused() {
    http::on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA]).await;
        let origin = issuer.url().strip_suffix("/realms/shop").expect("the URL").to_owned();
        let valid = token(&issuer, RSA);
        let keys = vec![RSA.jwk()];
        let configuration =
            |url: &str, jwks: &str| Answers::Configuration(json!({ "issuer": url, "jwks_uri": jwks }), keys.clone());
        let mut huge = json!({ "keys": keys }).to_string().into_bytes();
        huge.resize(1024 * 1024 + 1, b' ');
        let test = service(database, trusting(&issuer)).await;
        assert_eq!(status(&test, &valid).await, 200);
        for (what, answers) in [
            ("of another issuer", configuration("https://evil.example", &format!("{origin}/keys"))),
            ("of an issuer with a slash", configuration(&format!("{}/", issuer.url()), &format!("{origin}/keys"))),
            ("keys over plain http", configuration(issuer.url(), "http://169.254.169.254/keys")),
            ("keys in a file", configuration(issuer.url(), "file:///etc/passwd")),
            ("keys without a URL", configuration(issuer.url(), "/keys")),
            ("no keys' URL", Answers::Configuration(json!({ "issuer": issuer.url() }), keys.clone())),
            ("a redirect", Answers::Redirects(keys.clone())),
            ("a failure", Answers::Fails),
            ("a page", Answers::Document(b"<html>".to_vec())),
            ("too much", Answers::Document(huge)),
            ("no key", Answers::Keys(Vec::new())),
            ("a secret alone", Answers::Keys(vec![json!({ "kty": "oct", "k": "c2VjcmV0", "kid": "secret" })])),
        ] {
            let database = &database.backend().fresh();
            issuer.set(answers.clone());
            let fresh = service(database, trusting(&issuer)).await;
            assert_eq!(status(&fresh, &valid).await, 503, "{what}");
            // Keys that were valid before stay valid.
            test.clock().advance(Duration::from_secs(31));
            assert_eq!(status(&test, &token(&issuer, EC)).await, 401, "{what}");
            assert_eq!(status(&test, &valid).await, 200, "{what}");
        }
        let secret =
            json!({ "kty": "oct", "k": "YSBzZWNyZXQgb2YgYXQgbGVhc3QgdGhpcnR5LXR3byBieXRlcw", "kid": "secret" });
        issuer.set(Answers::Keys(vec![secret, json!({ "kty": "NEW" }), json!(1), RSA.jwk()]));
        let fresh = service(&database.backend().fresh(), trusting(&issuer)).await;
        assert_eq!(status(&fresh, &valid).await, 200, "keys of other kinds are beside it");
        let header = Header { kid: Some("secret".to_owned()), ..Header::new(Algorithm::HS256) };
        let key = EncodingKey::from_secret(b"a secret of at least thirty-two bytes").expect("a key");
        let forged = encode(&header, &issuer.claims("7", &json!({})), &key).expect("a token");
        assert_eq!(status(&fresh, &forged).await, 401, "a secret that everyone reads signs nothing");
    });
}

#[test]
fn tokens_of_an_issuer_can_be_revoked() {
    on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA]).await;
        let auth = Auth::builder().trust(Issuer::new(issuer.url()).alias("id").audience(SHOP)).logout();
        let test = service(database, auth).await;
        let of = |changes: Value| RSA.sign(&issuer.claims("7", &changes));
        let (one, two) = (of(json!({ "jti": "1", "sid": "s" })), of(json!({ "jti": "2", "sid": "s" })));
        let other = of(json!({ "jti": "3", "sid": "t" }));
        assert_eq!((status(&test, &one).await, status(&test, &two).await), (200, 200));
        assert_eq!(status(&test, &of(json!({}))).await, 401, "a token without an id cannot be revoked");
        let logout = test.post("/auth/logout", json!({})).header("authorization", format!("Bearer {one}")).await;
        logout.expect(204);
        assert_eq!((status(&test, &one).await, status(&test, &two).await), (401, 401));
        assert_eq!(status(&test, &other).await, 200);
    });
}

/// A listener with TLS.
struct TlsListener(TcpListener, TlsAcceptor);

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let (stream, peer) = self.0.accept().await.expect("a connection");
            // A client that does not trust the certificate ends the handshake.
            if let Ok(stream) = self.1.accept(stream).await {
                return (stream, peer);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

const CERTIFICATE: &str = include_str!("keys/tls-certificate.pem");
const PRIVATE_KEY: &str = include_str!("keys/tls-private.pem");

#[test]
fn issuer_with_tls_has_a_trusted_certificate() {
    http::on_each_backend(async |database| {
        let provider = Arc::new(ring::default_provider());
        let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).expect("a certificate");
        let key = PrivateKeyDer::from_pem_slice(PRIVATE_KEY.as_bytes()).expect("its key");
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.expect("versions").with_no_client_auth().with_single_cert(vec![certificate], key);
        let acceptor = TlsAcceptor::from(Arc::new(config.expect("a certificate")));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("the port").port();
        let url = format!("https://localhost:{port}/realms/shop");
        let issuer = MockIssuer::on(TlsListener(listener, acceptor), url.clone(), &[RSA]);
        let valid = token(&issuer, RSA);
        let trusted = || Issuer::new(&url).audience(SHOP).root_certificates(CERTIFICATE);
        let test = service(&database.backend().fresh(), Auth::builder().trust(trusted())).await;
        assert_eq!(status(&test, &valid).await, 200);
        let test = service(&database.backend().fresh(), trusting(&issuer)).await;
        assert_eq!(status(&test, &valid).await, 503, "its certificate is of no authority that the web trusts");
        let plain = format!("http://localhost:{port}/keys");
        issuer.set(Answers::Configuration(json!({ "issuer": url, "jwks_uri": plain }), vec![RSA.jwk()]));
        let test = service(&database.backend().fresh(), Auth::builder().trust(trusted())).await;
        assert_eq!(status(&test, &valid).await, 503, "its keys would be without TLS");
    });
}
