//! Logins with an issuer, one that rotates its keys, lies, mixes answers up and hangs among them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use crud_accounts::{Accounts, IssuerAccess, LoginIssuer};
use crud_runtime::auth::UserStore;
use crud_runtime::testing::TestAnswer;
use crud_tests::{on_each_sql_backend, on_sqlite, within};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;

use crate::mock_issuer::{Answers, EC, ED, MockIssuer, Pair};
use crate::support::{ANN, BOB, PASSWORD, Shop, Tokens, URL, auth, race, service};

/// The id of the client.
const CLIENT: &str = "shop-client";

/// An issuer with endpoints for people.
struct People {
    issuer: MockIssuer,
    endpoints: Endpoints,
    url: String,
}

/// The answer of the token endpoint, and the forms that it was sent.
#[derive(Clone, Default)]
struct Endpoints(Arc<Mutex<(Option<Value>, Vec<String>)>>);

impl People {
    async fn start() -> Self {
        let (issuer, endpoints) = (MockIssuer::start(&[EC]).await, Endpoints::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("the port's address"));
        let program = Router::new().route("/token", post(token)).with_state(endpoints.clone());
        tokio::spawn(async move { axum::serve(listener, program).await });
        let people = Self { issuer, endpoints, url };
        people.keys(&[EC]);
        people
    }

    /// Sets the keys from now on.
    fn keys(&self, pairs: &[Pair]) {
        let keys = self.issuer.url().replace("/realms/shop", "/keys");
        let configuration = json!({
            "issuer": self.issuer.url(), "jwks_uri": keys, "authorization_endpoint": format!("{}/authorize", self.url),
            "token_endpoint": format!("{}/token", self.url), "authorization_response_iss_parameter_supported": true,
        });
        self.issuer.set(Answers::Configuration(configuration, pairs.iter().map(Pair::jwk).collect()));
    }

    /// The client of this issuer.
    fn client(&self) -> LoginIssuer {
        LoginIssuer::new("staff", self.issuer.url(), CLIENT).named("Staff").secret("a secret of the client")
    }

    /// Claims of an ID token, with these changes; a null removes a claim.
    fn claims(&self, login: &Begun, changes: &Value) -> Value {
        let mut claims = self.issuer.claims("7", &json!({
            "aud": CLIENT, "typ": null, "nonce": login.nonce, "iat": 1_700_000_000, "email": ANN, "email_verified": true,
        }));
        for (name, value) in changes.as_object().expect("changes") {
            claims[name] = value.clone();
        }
        claims.as_object_mut().expect("claims").retain(|_, value| !value.is_null());
        claims
    }

    /// Sets the ID token of the next answers.
    fn answer(&self, id_token: &str) {
        self.endpoints.0.lock().expect("the issuer").0 = Some(json!({ "id_token": id_token, "token_type": "Bearer" }));
    }

    /// The forms that the token endpoint was sent.
    fn forms(&self) -> Vec<String> {
        self.endpoints.0.lock().expect("the issuer").1.clone()
    }
}

async fn token(State(endpoints): State<Endpoints>, form: String) -> Response {
    let mut state = endpoints.0.lock().expect("the issuer");
    state.1.push(form);
    match &state.0 {
        Some(answer) => answer.to_string().into_response(),
        None => StatusCode::BAD_REQUEST.into_response(),
    }
}

/// A login that has begun in a browser.
struct Begun {
    cookie: String,
    location: String,
    state: String,
    nonce: String,
}

/// A parameter of a URL.
fn parameter(url: &str, name: &str) -> String {
    let query = url.split_once('?').expect("parameters").1;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(found, _)| *found == name).expect("the parameter").1.to_owned()
}

async fn begin(shop: &Shop) -> Begun {
    let request = shop.test.get("/auth/oidc/staff").header("host", "evil.example");
    let answer = request.header("x-forwarded-host", "evil.example").await.expect(303);
    let location = answer.header("location").expect("a place").to_owned();
    let cookie = answer.header("set-cookie").expect("a cookie");
    assert!(cookie.starts_with("__Host-crud-issuer=staff.") && cookie.ends_with("; HttpOnly; Secure; SameSite=Lax"));
    let cookie = cookie.split(';').next().expect("a pair").to_owned();
    Begun { state: parameter(&location, "state"), nonce: parameter(&location, "nonce"), cookie, location }
}

/// The answer of the issuer, which a browser brings.
async fn bring(shop: &Shop, login: &Begun, query: &str) -> TestAnswer {
    let path = format!("/auth/oidc/staff/callback?state={}&{query}", login.state);
    shop.test.get(path).header("cookie", &login.cookie).await.expect(303)
}

/// The code that a login leads back with, and the cookie of its browser.
#[derive(Debug, PartialEq)]
struct Code {
    text: String,
    cookie: String,
}

/// The code that a login leads back with; `None` where it has failed.
fn code_of(answer: &TestAnswer) -> Option<Code> {
    let location = answer.header("location").expect("a place");
    let fragment = location.strip_prefix(&format!("{URL}/account/sign-in#")).expect("the page");
    let cookie = answer.header("set-cookie").expect("a cookie").split(';').next().expect("a pair");
    fragment.strip_prefix("code=").map(|text| Code { text: text.to_owned(), cookie: cookie.to_owned() })
}

/// Logs a person in at the issuer, with these claims; the code of the login.
async fn log_in(shop: &Shop, people: &People, changes: &Value) -> Option<Code> {
    let login = begin(shop).await;
    people.answer(&EC.sign(&people.claims(&login, changes)));
    code_of(&bring(shop, &login, &format!("code=c&iss={}", people.issuer.url())).await)
}

async fn redeem(shop: &Shop, code: &Code) -> TestAnswer {
    redeem_with(shop, &code.text, &code.cookie).await
}

async fn redeem_with(shop: &Shop, code: &str, cookie: &str) -> TestAnswer {
    shop.test.post("/auth/oidc/token", json!({ "code": code })).header("cookie", cookie).await
}

/// The profile of a login.
async fn profile(shop: &Shop, code: &Code) -> Value {
    let tokens = Tokens::of(&redeem(shop, code).await.expect(200).json());
    shop.get_as(&tokens.access, "/profile").await.expect(200).json()
}

async fn names(shop: &Shop) -> Vec<String> {
    shop.test.users().list().await.expect("the users").into_iter().map(|(name, _)| name).collect()
}

/// Runs a test against a service whose people log in with an issuer.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_issuer(client: impl Fn(LoginIssuer) -> LoginIssuer, test: impl AsyncFn(&Shop, &People)) {
    on_each_sql_backend(async |database| {
        let people = People::start().await;
        let accounts = Accounts::new().roles(["customer"]).issuer(client(people.client()));
        let shop = Shop::start(async |outbox| service(database, auth(), accounts.mailer(outbox)).await).await;
        test(&shop, &people).await;
    });
}

#[test]
fn person_of_an_issuer_logs_in_as_one_user() {
    on_issuer(
        |client| client,
        async |shop, people| {
            let login = begin(shop).await;
            assert!(login.location.starts_with(&format!("{}/authorize?response_type=code&", people.url)));
            let callback = "https%3A%2F%2Fshop.example%2Fauth%2Foidc%2Fstaff%2Fcallback";
            assert_eq!(parameter(&login.location, "redirect_uri"), callback, "no `Host` of a request is in it");
            people.answer(&EC.sign(&people.claims(&login, &json!({}))));
            let answer = bring(shop, &login, &format!("code=c&iss={}", people.issuer.url())).await;
            let code = code_of(&answer).expect("a code");
            let expected = json!({ "user_id": "1", "roles": ["customer"] });
            assert_eq!(profile(shop, &code).await, expected);
            redeem(shop, &code).await.problem("invalid_credentials");
            // The verifier of PKCE is that of the challenge.
            let form = people.forms().remove(0);
            let verifier = parameter(&format!("?{form}"), "code_verifier");
            let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
            assert_eq!(parameter(&login.location, "code_challenge"), challenge);
            assert!(form.contains("client_secret=a+secret+of+the+client"), "{form}");
            // Another address at the issuer is of the same person.
            let code = log_in(shop, people, &json!({ "email": BOB })).await.expect("a code");
            assert_eq!(profile(shop, &code).await, expected);
            assert_eq!(names(shop).await, [ANN]);
            shop.try_login(ANN, "").await.problem("invalid_credentials");
        },
    );
}

#[test]
fn code_of_a_login_counts_for_a_minute() {
    on_issuer(
        |client| client,
        async |shop, people| {
            let code = log_in(shop, people, &json!({})).await.expect("a code");
            shop.test.clock().advance(Duration::from_mins(1));
            redeem(shop, &code).await.problem("invalid_credentials");
            shop.post("/auth/factor/login", json!({ "challenge": code.text, "code": "000000" }))
                .await
                .problem("invalid_credentials");
        },
    );
}

/// Otherwise a link with a code of their own would log another person in as them.
#[test]
fn code_of_a_login_counts_in_the_browser_that_began_it() {
    on_issuer(
        |client| client,
        async |shop, people| {
            let code = log_in(shop, people, &json!({})).await.expect("a code");
            let other = log_in(shop, people, &json!({ "sub": "8", "email": BOB })).await.expect("a code");
            for cookie in ["a=b", other.cookie.as_str()] {
                redeem_with(shop, &code.text, cookie).await.problem("invalid_credentials");
            }
            redeem(shop, &code).await.expect(200);
        },
    );
}

#[test]
fn person_is_in_the_tenant_of_its_last_login() {
    let with_team = |client: LoginIssuer| {
        client.claims(|claims| Some(IssuerAccess::new().roles(["editor"]).tenant(claims.get("team")?.clone())))
    };
    on_each_sql_backend(async |database| {
        let people = People::start().await;
        let accounts = Accounts::new().issuer(with_team(people.client()));
        let auth = || auth().tenant_claim("team");
        let shop = Shop::start(async |outbox| service(database, auth(), accounts.mailer(outbox)).await).await;
        // The account was there before, in no tenant.
        shop.sign_up(ANN).await;
        for team in [7, 8] {
            log_in(&shop, &people, &json!({ "team": team })).await.expect("a code");
            let user = shop.test.users().find_by_username(ANN).await.expect("a lookup").expect("the user");
            assert_eq!((&user.claims["team"], user.roles), (&json!(team), vec!["editor".to_owned()]));
        }
    });
}

#[test]
fn roles_of_a_former_tenant_do_not_follow_a_person_into_another() {
    let with_team =
        |client: LoginIssuer| client.claims(|claims| Some(IssuerAccess::new().tenant(claims.get("team")?.clone())));
    on_each_sql_backend(async |database| {
        let people = People::start().await;
        let accounts = Accounts::new().roles(["customer"]).issuer(with_team(people.client()));
        let auth = || auth().tenant_claim("team");
        let shop = Shop::start(async |outbox| service(database, auth(), accounts.mailer(outbox)).await).await;
        let roles_in = async |team: i64| {
            let code = log_in(&shop, &people, &json!({ "team": team })).await.expect("a code");
            profile(&shop, &code).await["roles"].clone()
        };
        assert_eq!(roles_in(7).await, json!(["customer"]));
        shop.test.users().set_roles(ANN, ["admin"]).await.expect("the user");
        assert_eq!(roles_in(7).await, json!(["admin"]));
        assert_eq!(roles_in(8).await, json!(["customer"]));
    });
}

#[test]
fn tokens_that_lie_are_refused() {
    on_issuer(
        |client| client,
        async |shop, people| {
            for lie in [
                json!({ "aud": "another-client" }),
                json!({ "aud": [CLIENT, "another-client"] }),
                json!({ "aud": [CLIENT, "another-client"], "azp": "another-client" }),
                json!({ "azp": "another-client" }),
                json!({ "aud": null }),
                json!({ "iss": "https://evil.example" }),
                json!({ "iss": null }),
                json!({ "nonce": "another" }),
                json!({ "nonce": null }),
                json!({ "exp": 1_700_000_001 }),
                json!({ "exp": null }),
                json!({ "iat": 4_000_000_000_u64 }),
                json!({ "sub": "" }),
                json!({ "sub": null }),
            ] {
                assert_eq!(log_in(shop, people, &lie).await, None, "{lie}");
            }
            let login = begin(shop).await;
            let claims = people.claims(&login, &json!({}));
            let public = EC.jwk()["x"].as_str().expect("a key").to_owned();
            let by_public_key = EncodingKey::from_secret(public.as_bytes()).expect("a key");
            let confused = Header { kid: Some(EC.id.to_owned()), ..Header::new(Algorithm::HS256) };
            let confused = encode(&confused, &claims, &by_public_key).expect("a token");
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let unsigned = format!("{}.{}.", part(&json!({ "alg": "none", "kid": EC.id })), part(&claims));
            for token in [confused, unsigned, ED.sign(&claims), ED.sign_as(Some(EC.id), &claims), String::new()] {
                people.answer(&token);
                let answer = bring(shop, &login, &format!("code=c&iss={}", people.issuer.url())).await;
                assert_eq!(code_of(&answer), None, "{token}");
            }
            assert_eq!(names(shop).await, [""; 0]);
        },
    );
}

#[test]
fn answer_is_of_the_issuer_and_the_browser_of_its_login() {
    on_issuer(
        |client| client,
        async |shop, people| {
            let (login, other) = (begin(shop).await, begin(shop).await);
            people.answer(&EC.sign(&people.claims(&login, &json!({}))));
            let iss = people.issuer.url();
            // Another issuer's answer, whose code would go to this one: and one that names none, though it does.
            for query in ["code=c&iss=https://evil.example".to_owned(), "code=c".to_owned()] {
                assert_eq!(code_of(&bring(shop, &login, &query).await), None, "{query}");
            }
            // A state of another login, and a browser that began none.
            let path = format!("/auth/oidc/staff/callback?state={}&code=c&iss={iss}", login.state);
            for cookie in [other.cookie.as_str(), "a=b"] {
                assert_eq!(code_of(&shop.test.get(&path).header("cookie", cookie).await.expect(303)), None);
            }
            assert_eq!(people.forms(), [""; 0], "no code was sent");
            let refused = bring(shop, &login, &format!("error=access_denied&iss={iss}")).await;
            assert_eq!((code_of(&refused), people.forms().len()), (None, 0));
            assert!(code_of(&bring(shop, &login, &format!("code=c&iss={iss}")).await).is_some());
        },
    );
}

#[test]
fn address_joins_users_where_both_sides_have_verified_it() {
    on_issuer(
        |client| client,
        async |shop, people| {
            shop.sign_up(ANN).await;
            for unverified in
                [json!({ "email_verified": false }), json!({ "email_verified": null }), json!({ "email": null })]
            {
                assert_eq!(log_in(shop, people, &unverified).await, None, "{unverified}");
            }
            let code = log_in(shop, people, &json!({ "email": "Ann@Example.com" })).await.expect("a code");
            assert_eq!(profile(shop, &code).await["user_id"], "1");
            // The name of this user was typed by an administrator, and proved by nobody.
            shop.test.users().create_user(BOB, PASSWORD).await.expect("a user");
            assert_eq!(log_in(shop, people, &json!({ "sub": "8", "email": BOB })).await, None);
            assert_eq!(names(shop).await, [ANN, BOB]);
            // Once its person has proved it, it is joined.
            shop.post("/auth/forgot", json!({ "email": BOB })).await.expect(202);
            let reset = json!({ "token": shop.token_for(BOB).await, "password": PASSWORD });
            shop.post("/auth/reset", reset).await.expect(204);
            let code = log_in(shop, people, &json!({ "sub": "8", "email": BOB })).await.expect("a code");
            assert_eq!(profile(shop, &code).await["user_id"], "2");
        },
    );
}

#[test]
fn program_makes_roles_of_the_claims_and_refuses_people() {
    let with_groups = |client: LoginIssuer| {
        client.claims(|claims| {
            let groups = claims.get("groups")?.as_array()?;
            Some(IssuerAccess::new().roles(groups.iter().filter_map(Value::as_str)))
        })
    };
    on_issuer(with_groups, async |shop, people| {
        assert_eq!(log_in(shop, people, &json!({})).await, None);
        for groups in [json!(["editor"]), json!(["editor", "admin"]), json!([])] {
            let code = log_in(shop, people, &json!({ "groups": groups })).await.expect("a code");
            assert_eq!(profile(shop, &code).await["roles"], groups);
        }
        let user = shop.test.users().find_by_username(ANN).await.expect("a lookup").expect("the user");
        assert_eq!(user.roles, [""; 0]);
        shop.test.users().disable(ANN).await.expect("the user");
        assert_eq!(log_in(shop, people, &json!({ "groups": [] })).await, None);
    });
}

#[test]
fn issuer_that_rotates_its_keys_is_followed() {
    on_issuer(
        |client| client,
        async |shop, people| {
            log_in(shop, people, &json!({})).await.expect("a code");
            people.keys(&[ED]);
            shop.test.clock().advance(Duration::from_secs(31));
            let login = begin(shop).await;
            people.answer(&ED.sign(&people.claims(&login, &json!({}))));
            let answer = bring(shop, &login, &format!("code=c&iss={}", people.issuer.url())).await;
            assert!(code_of(&answer).is_some());
        },
    );
}

#[test]
fn issuer_that_does_not_answer_is_unavailable() {
    on_issuer(
        |client| client,
        async |shop, people| {
            people.issuer.set(Answers::Fails);
            shop.test.get("/auth/oidc/staff").await.problem("unavailable");
            let other = json!({ "issuer": "https://evil.example", "jwks_uri": "https://evil.example/keys" });
            people.issuer.set(Answers::Configuration(other, Vec::new()));
            shop.test.get("/auth/oidc/staff").await.problem("unavailable");
            people.keys(&[EC]);
            log_in(shop, people, &json!({})).await.expect("a code");
        },
    );
}

#[test]
fn issuer_that_hangs_holds_logins_for_five_seconds() {
    on_sqlite(async |database| {
        let people = People::start().await;
        people.issuer.set(Answers::Hangs);
        let accounts = Accounts::new().issuer(people.client());
        let shop = Shop::start(async |outbox| service(database, auth(), accounts.mailer(outbox)).await).await;
        // A later one waits for the fetch of an earlier one, and no longer than that.
        let logins = race((0..8).map(|_| shop.test.get("/auth/oidc/staff")));
        for answer in within(Duration::from_secs(5), "the answers", logins).await {
            answer.problem("unavailable");
        }
        people.keys(&[EC]);
        begin(&shop).await;
    });
}
