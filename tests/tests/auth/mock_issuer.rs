//! An issuer of tokens that rotates its keys, lies and hangs.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::Listener;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::support::install_cryptography;

/// The audience of the service.
pub(crate) const SHOP: &str = "https://shop.example";

/// The end of every token here, in the year 2100: the clock of a service is set.
const EXPIRES: u64 = 4_102_444_800;

/// A key pair of an issuer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) id: &'static str,
    algorithm: Algorithm,
    pem: &'static [u8],
}

pub(crate) const RSA: Pair =
    Pair { id: "2025", algorithm: Algorithm::RS256, pem: include_bytes!("keys/rsa-private.pem") };
pub(crate) const EC: Pair =
    Pair { id: "2026", algorithm: Algorithm::ES256, pem: include_bytes!("keys/ec-private.pem") };
pub(crate) const ED: Pair =
    Pair { id: "2027", algorithm: Algorithm::EdDSA, pem: include_bytes!("keys/ed-private.pem") };

impl Pair {
    fn encoding(&self) -> EncodingKey {
        install_cryptography();
        let key = match self.algorithm {
            Algorithm::RS256 => EncodingKey::from_rsa_pem(self.pem),
            Algorithm::ES256 => EncodingKey::from_ec_pem(self.pem),
            _ => EncodingKey::from_ed_pem(self.pem),
        };
        key.expect("a private key")
    }

    /// The public key.
    pub(crate) fn jwk(&self) -> Value {
        let jwk = Jwk::from_encoding_key(&self.encoding(), self.algorithm).expect("a public key");
        let mut jwk = serde_json::to_value(jwk).expect("JSON");
        jwk["kid"] = json!(self.id);
        jwk["use"] = json!("sig");
        jwk
    }

    /// A token with these claims, signed with the key.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_as(Some(self.id), claims)
    }

    /// A token with these claims, signed with the key, which says that it is another.
    pub(crate) fn sign_as(&self, id: Option<&str>, claims: &Value) -> String {
        let header = Header { kid: id.map(str::to_owned), ..Header::new(self.algorithm) };
        encode(&header, claims, &self.encoding()).expect("a token")
    }
}

/// The answers of an issuer.
#[derive(Debug, Clone)]
pub(crate) enum Answers {
    /// Its configuration and these keys.
    Keys(Vec<Value>),
    /// A configuration that is given, and these keys.
    Configuration(Value, Vec<Value>),
    /// A document in place of its keys.
    Document(Vec<u8>),
    /// Redirects to the documents.
    Redirects(Vec<Value>),
    Fails,
    Hangs,
}

#[derive(Debug)]
struct Shared {
    answers: Answers,
    /// Number of requests for the configuration.
    asked: usize,
}

/// An issuer on loopback.
#[derive(Debug)]
pub(crate) struct MockIssuer {
    url: String,
    shared: Arc<Mutex<Shared>>,
    server: JoinHandle<std::io::Result<()>>,
}

impl MockIssuer {
    /// An issuer with the keys of these pairs.
    pub(crate) async fn start(pairs: &[Pair]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        Self::on(listener, format!("http://{address}/realms/shop"), pairs)
    }

    /// An issuer on a listener, whose URL this is.
    pub(crate) fn on<L: Listener<Addr = SocketAddr>>(listener: L, url: String, pairs: &[Pair]) -> Self {
        let answers = Answers::Keys(pairs.iter().map(Pair::jwk).collect());
        let shared = Arc::new(Mutex::new(Shared { answers, asked: 0 }));
        let state = (url.clone(), shared.clone());
        let configuration = "/realms/shop/.well-known/openid-configuration";
        let program = Router::new().route(configuration, get(configuration_of)).route("/keys", get(keys_of));
        let program = program.route("/moved", get(keys_of)).with_state(state);
        let server = tokio::spawn(async move { axum::serve(listener, program).await });
        Self { url, shared, server }
    }

    /// Its URL, the `iss` of its tokens.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sets its answers from now on.
    pub(crate) fn set(&self, answers: Answers) {
        self.shared.lock().expect("the issuer").answers = answers;
    }

    /// Sets its keys from now on.
    pub(crate) fn rotate(&self, pairs: &[Pair]) {
        self.set(Answers::Keys(pairs.iter().map(Pair::jwk).collect()));
    }

    /// Number of fetches until now.
    pub(crate) fn asked(&self) -> usize {
        self.shared.lock().expect("the issuer").asked
    }

    /// Claims of an access token for a subject, with these changes; a null removes a claim.
    pub(crate) fn claims(&self, subject: &str, changes: &Value) -> Value {
        let mut claims = json!({ "iss": self.url, "aud": SHOP, "sub": subject, "exp": EXPIRES, "typ": "Bearer" });
        for (name, value) in changes.as_object().expect("changes") {
            claims[name] = value.clone();
        }
        claims.as_object_mut().expect("claims").retain(|_, value| !value.is_null());
        claims
    }
}

impl Drop for MockIssuer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

type Issuing = (String, Arc<Mutex<Shared>>);

fn origin(url: &str) -> &str {
    url.strip_suffix("/realms/shop").expect("the URL of the issuer")
}

fn answers(shared: &Mutex<Shared>, asks: bool) -> Answers {
    let mut shared = shared.lock().expect("the issuer");
    shared.asked += usize::from(asks);
    shared.answers.clone()
}

async fn configuration_of(State((url, shared)): State<Issuing>) -> Response {
    let usual = |keys: &str| json!({ "issuer": url, "jwks_uri": format!("{}{keys}", origin(&url)) }).to_string();
    match answers(&shared, true) {
        Answers::Configuration(configuration, _) => configuration.to_string().into_response(),
        Answers::Fails => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Answers::Hangs => std::future::pending().await,
        Answers::Keys(_) | Answers::Document(_) | Answers::Redirects(_) => usual("/keys").into_response(),
    }
}

async fn keys_of(State((url, shared)): State<Issuing>, uri: axum::http::Uri) -> Response {
    match answers(&shared, false) {
        Answers::Redirects(_) if uri.path() == "/keys" => {
            (StatusCode::FOUND, [(header::LOCATION, format!("{}/moved", origin(&url)))]).into_response()
        }
        Answers::Keys(keys) | Answers::Configuration(_, keys) | Answers::Redirects(keys) => {
            json!({ "keys": keys }).to_string().into_response()
        }
        Answers::Document(document) => document.into_response(),
        Answers::Fails => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Answers::Hangs => std::future::pending().await,
    }
}
