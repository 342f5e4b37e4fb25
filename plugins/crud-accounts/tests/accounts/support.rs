//! A service with accounts, whose mails are kept.

use std::future::IntoFuture;
use std::sync::{Arc, Mutex, PoisonError};

use crud_accounts::{Accounts, Mail, Mailer};
use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::{Algorithm, Auth, AuthBuilder, TokenKey};
use crud_runtime::prelude::*;
use crud_runtime::testing::{Test, TestAnswer, TestRequest};
use crud_runtime::{BoxError, Service};
use crud_tests::{Database, on_each_sql_backend};
use serde_json::{Value, json};

/// The address of the first person.
pub(crate) const ANN: &str = "ann@example.com";

/// The address of the second person.
pub(crate) const BOB: &str = "bob@example.com";

/// The password of every person.
pub(crate) const PASSWORD: &str = "correct horse";

/// The URL of the service, which links begin with.
pub(crate) const URL: &str = "https://shop.example";

/// The mails that were sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outbox(Arc<Mutex<Vec<Mail>>>);

impl Mailer for Outbox {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), BoxError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(mail.clone());
        Box::pin(std::future::ready(Ok(())))
    }
}

impl Outbox {
    /// The mails, which leave the outbox.
    pub(crate) fn take(&self) -> Vec<Mail> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A service with accounts.
pub(crate) struct Shop {
    pub(crate) test: Test,
    pub(crate) outbox: Outbox,
}

pub(crate) fn auth() -> AuthBuilder {
    Auth::builder().secret("the secret of the tests, which is public").logout().rotate_refresh_tokens()
}

/// Installs the service's cryptography in the process, by which tests sign too.
pub(crate) fn install_cryptography() {
    drop(TokenKey::secret(Algorithm::Hs256, "a secret of at least thirty-two bytes").expect("a secret"));
}

/// A service with accounts that is not started.
pub(crate) async fn service(database: &Database, auth: AuthBuilder, accounts: Accounts) -> Service {
    let service = database.service().await.title("Shop").auth(auth.build().expect("the authentication"));
    service.server(|server| server.public_url(URL)).plugin(accounts).expect("the accounts")
}

impl Shop {
    /// Starts a service, whose clock stands still.
    pub(crate) async fn start(service: impl AsyncFnOnce(Outbox) -> Service) -> Self {
        let outbox = Outbox::default();
        let test = service(outbox.clone()).await.test().await.expect("the service");
        test.clock().set(Utc::now());
        Self { test, outbox }
    }

    /// Sends a body.
    pub(crate) async fn post(&self, path: &str, body: Value) -> TestAnswer {
        self.test.post(path, body).await
    }

    /// Sends a body with an access token.
    pub(crate) async fn post_as(&self, token: &str, path: &str, body: Value) -> TestAnswer {
        self.test.post(path, body).header("authorization", format!("Bearer {token}")).await
    }

    /// Requests with an access token.
    pub(crate) async fn get_as(&self, token: &str, path: &str) -> TestAnswer {
        self.test.get(path).header("authorization", format!("Bearer {token}")).await
    }

    /// Deletes with an access token.
    pub(crate) async fn delete_as(&self, token: &str, path: &str) -> TestAnswer {
        self.test.delete(path).header("authorization", format!("Bearer {token}")).await
    }

    /// Runs the jobs, and returns the mails that they sent.
    pub(crate) async fn mails(&self) -> Vec<Mail> {
        self.test.run_jobs().await.expect("the jobs");
        self.outbox.take()
    }

    /// The token of the one mail, which goes to this address.
    pub(crate) async fn token_for(&self, address: &str) -> String {
        let mails = self.mails().await;
        let [mail] = mails.as_slice() else { panic!("expected one mail, found {mails:?}") };
        assert_eq!(mail.to, address);
        token_of(mail)
    }

    /// Signs a person up.
    pub(crate) async fn sign_up(&self, address: &str) -> Tokens {
        self.post("/auth/register", json!({ "email": address })).await.expect(202);
        let token = self.token_for(address).await;
        self.verify(&token).await
    }

    /// Uses the token of a link, with the password.
    pub(crate) async fn verify(&self, token: &str) -> Tokens {
        Tokens::of(&self.try_verify(token).await.expect(201).json())
    }

    /// Sends the token of a link, with the password.
    pub(crate) async fn try_verify(&self, token: &str) -> TestAnswer {
        self.post("/auth/verify", json!({ "token": token, "password": PASSWORD })).await
    }

    /// Sends a login.
    pub(crate) async fn try_login(&self, address: &str, password: &str) -> TestAnswer {
        self.post("/auth/login", json!({ "username": address, "password": password })).await
    }

    /// Logs a person in.
    pub(crate) async fn login(&self, address: &str) -> Tokens {
        Tokens::of(&self.try_login(address, PASSWORD).await.expect(200).json())
    }

    /// Sends a refresh.
    pub(crate) async fn try_refresh(&self, tokens: &Tokens) -> TestAnswer {
        self.post("/auth/refresh", json!({ "refresh_token": tokens.refresh })).await
    }
}

/// The tokens of a login.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
}

impl Tokens {
    pub(crate) fn of(body: &Value) -> Self {
        let text = |name: &str| body[name].as_str().expect("a token").to_owned();
        Self { access: text("access_token"), refresh: text("refresh_token") }
    }
}

/// The token in the link of a mail.
pub(crate) fn token_of(mail: &Mail) -> String {
    let link = link_of(mail);
    link.split_once('#').expect("a link with a token").1.to_owned()
}

/// The link of a mail.
pub(crate) fn link_of(mail: &Mail) -> &str {
    mail.text.lines().find(|line| line.starts_with("http")).expect("a link")
}

/// The code of the first field error of a refusal.
pub(crate) fn error_code(answer: &TestAnswer) -> String {
    answer.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned()
}

/// Asserts that a token is refused: it is unknown, used or over.
#[track_caller]
pub(crate) fn assert_used(answer: &TestAnswer) {
    assert_eq!((answer.status(), error_code(answer).as_str()), (422, "used"), "{}", answer.text());
}

/// Sends requests at once, each in a task, as a server has them.
pub(crate) async fn race(requests: impl IntoIterator<Item = TestRequest>) -> Vec<TestAnswer> {
    let tasks: Vec<_> = requests.into_iter().map(|request| tokio::spawn(request.into_future())).collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.expect("an answer"));
    }
    answers
}

/// Runs a test against a service with these accounts.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_shop(accounts: impl Fn() -> Accounts, test: impl AsyncFn(&Shop, &Database)) {
    on_each_sql_backend(async |database| {
        let shop = Shop::start(async |outbox| service(database, auth(), accounts().mailer(outbox)).await).await;
        test(&shop, database).await;
    });
}
