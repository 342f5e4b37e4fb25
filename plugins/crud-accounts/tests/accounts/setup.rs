//! Mistakes that a service with accounts does not start with.

use crud_accounts::{Accounts, Letter};
use crud_runtime::Service;
use crud_runtime::auth::Auth;
use crud_tests::{Database, on_sqlite};

use crate::support::{Outbox, auth, service};

async fn error(service: Service) -> String {
    service.test().await.expect_err("an error").to_string()
}

async fn without_url(database: &Database) -> Service {
    database.service().await.auth(auth().build().expect("the authentication"))
}

#[test]
fn links_need_the_url_of_the_service() {
    on_sqlite(async |database| {
        let with_mailer = || Accounts::new().mailer(Outbox::default());
        let none = without_url(database).await.plugin(with_mailer()).expect("the accounts");
        assert!(error(none).await.contains("links in mails need the URL of the service"));
        let plain = with_mailer().public_url("http://shop.example");
        let plain = without_url(database).await.plugin(plain).expect("the accounts");
        assert!(error(plain).await.contains("must begin with `https://`"));
    });
}

#[test]
fn mails_of_a_public_service_are_not_printed_in_silence() {
    on_sqlite(async |database| {
        let public = service(database, auth(), Accounts::new()).await;
        assert!(error(public).await.contains("no mail can be sent"));
        let here = Accounts::new().public_url("http://127.0.0.1:8000");
        without_url(database).await.plugin(here).expect("the accounts").test().await.expect("it is development");
    });
}

#[test]
fn text_of_a_mail_without_its_link_is_refused() {
    on_sqlite(async |database| {
        let accounts = Accounts::new().template(Letter::Reset, "Hello\n\nOpen the page");
        let error = without_url(database).await.plugin(accounts).expect_err("an error").to_string();
        assert!(error.contains("the mail `reset` must have `{link}`"), "{error}");
    });
}

#[test]
fn accounts_are_of_users() {
    on_sqlite(async |database| {
        let service = database.service().await.plugin(Accounts::new().mailer(Outbox::default())).expect("the accounts");
        assert!(error(service).await.contains("add `Service::auth`"));
        let elsewhere = Auth::builder().secret("the secret of the tests, which is public").verify_only();
        let service = database.service().await.auth(elsewhere.build().expect("the authentication"));
        let service = service.plugin(Accounts::new().mailer(Outbox::default())).expect("the accounts");
        assert!(error(service).await.contains("add `Service::auth`"));
    });
}
