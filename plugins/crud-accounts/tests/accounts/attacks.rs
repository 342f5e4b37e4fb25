//! Attacks on accounts: enumeration, poisoned hosts, raced and stolen tokens, scanners of mails.

use std::cell::Cell;
use std::future::IntoFuture;
use std::time::Duration;

use crud_accounts::Accounts;
use crud_runtime::testing::TestAnswer;
use crud_tests::{Database, log_lines, on_sqlite, within_pauses};
use serde_json::json;

use crate::support::{ANN, BOB, PASSWORD, Shop, URL, assert_used, auth, link_of, on_shop, race, service, token_of};

/// Status, body and names of headers: all that an answer tells a client.
fn seen(answer: &TestAnswer) -> (u16, String, Vec<String>) {
    let names = answer.headers().keys().map(ToString::to_string).collect();
    (answer.status(), answer.text(), names)
}

#[test]
fn known_and_unknown_addresses_get_one_answer_and_a_job_each() {
    on_shop(Accounts::new, async |shop, database| {
        shop.sign_up(ANN).await;
        for path in ["/auth/register", "/auth/forgot"] {
            let known = shop.post(path, json!({ "email": ANN })).await;
            let after_known = jobs(database).await;
            let unknown = shop.post(path, json!({ "email": BOB })).await;
            assert_eq!(seen(&known), seen(&unknown));
            // The work of a request is its slots and a job; the job looks the user up.
            assert_eq!((after_known, jobs(database).await), (1, 2));
            shop.mails().await;
        }
    });
}

async fn jobs(database: &Database) -> usize {
    database.texts("SELECT kind FROM crud_jobs WHERE kind = 'accounts_letter'").await.len()
}

#[test]
fn poisoned_host_is_in_no_link() {
    on_shop(Accounts::new, async |shop, _| {
        for path in ["/auth/register", "/auth/forgot"] {
            let request = shop.test.post(path, json!({ "email": ANN })).header("host", "evil.example");
            let request = request.header("x-forwarded-host", "evil.example").header("forwarded", "host=evil.example");
            request.header("origin", "https://evil.example").await.expect(202);
        }
        let mails = shop.mails().await;
        assert!(!mails.is_empty());
        for mail in mails {
            assert!(
                link_of(&mail).starts_with(&format!("{URL}/account/")) && !mail.text.contains("evil"),
                "{}",
                mail.text
            );
        }
    });
}

#[test]
fn token_that_many_requests_race_for_makes_one_user() {
    on_shop(Accounts::new, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        let answers =
            race((0..8).map(|_| shop.test.post("/auth/verify", json!({ "token": token, "password": PASSWORD })))).await;
        let statuses: Vec<u16> = answers.iter().map(TestAnswer::status).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(shop.test.users().list().await.expect("the users").len(), 1);
    });
}

#[test]
fn reset_that_many_requests_race_for_sets_one_password() {
    on_shop(Accounts::new, async |shop, _| {
        shop.sign_up(ANN).await;
        shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        let passwords: Vec<String> = (0..6).map(|number| format!("password number {number}")).collect();
        let reset = |password: &String| shop.test.post("/auth/reset", json!({ "token": token, "password": password }));
        let answers = race(passwords.iter().map(reset)).await;
        let set: Vec<_> = answers.iter().zip(&passwords).filter(|(answer, _)| answer.status() == 204).collect();
        assert_eq!(set.len(), 1);
        shop.try_login(ANN, set[0].1).await.expect(200);
    });
}

#[test]
fn scanner_that_opens_links_uses_nothing_up() {
    on_shop(Accounts::new, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let mails = shop.mails().await;
        let path = link_of(&mails[0]).strip_prefix(URL).expect("a link of the service");
        let (path, token) = path.split_once('#').expect("a fragment");
        // Clients send no fragment; a careless one may send it as a query.
        for _ in 0..3 {
            shop.test.get(path).await;
            shop.test.get(format!("{path}?{token}")).await;
            shop.test.get(format!("/auth/verify?token={token}")).await;
        }
        shop.verify(token).await;
    });
}

#[test]
fn mails_to_an_address_are_three_an_hour() {
    on_shop(Accounts::new, async |shop, _| {
        let ask = async || shop.post("/auth/register", json!({ "email": ANN })).await;
        let answers = race((0..6).map(|_| shop.test.post("/auth/register", json!({ "email": ANN })))).await;
        assert!(answers.iter().all(|answer| answer.status() == 202));
        assert_eq!(shop.mails().await.len(), 3);
        shop.test.clock().advance(Duration::from_mins(59));
        ask().await.expect(202);
        assert_eq!(shop.mails().await.len(), 0);
        shop.post("/auth/register", json!({ "email": BOB })).await.expect(202);
        assert_eq!(shop.mails().await.len(), 1);
        shop.test.clock().advance(Duration::from_mins(2));
        ask().await.expect(202);
        assert_eq!(shop.mails().await.len(), 1);
    });
}

#[test]
fn request_is_answered_while_the_limits_of_the_last_hour_are_removed() {
    on_sqlite(async |database| {
        let shop = async |outbox| service(database, auth(), Accounts::new().mailer(outbox)).await;
        let shop = Shop::start(shop).await;
        for pauses in 0.. {
            shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
            shop.test.clock().advance(Duration::from_hours(2));
            let request = shop.test.post("/auth/forgot", json!({ "email": ANN }));
            let mut request = Box::pin(request.into_future());
            if let Some(answer) = within_pauses(pauses, &mut request).await {
                answer.expect(202);
                break;
            }
            // A write in progress locks the database: this step is before it or after it.
            database.try_execute("PRAGMA busy_timeout = 0; DELETE FROM accounts_slot").await;
            request.await.expect(202);
        }
    });
}

#[test]
fn address_that_looks_like_another_is_refused() {
    on_shop(Accounts::new, async |shop, _| {
        shop.sign_up(ANN).await;
        // The first letter is Cyrillic.
        for address in
            ["\u{430}nn@example.com", "ann@ex\u{e4}mple.com", "ann@example.com\r\nBcc: eve@example.com", "ann"]
        {
            shop.post("/auth/register", json!({ "email": address })).await.problem("validation_failed");
        }
        for spelling in ["ANN@EXAMPLE.COM", "Ann@Example.com", " ann@example.com"] {
            shop.post("/auth/register", json!({ "email": spelling })).await.expect(202);
            assert_eq!(
                shop.mails().await.first().map(|mail| mail.subject.as_str()),
                Some("You have an account at Shop")
            );
            shop.test.clock().advance(Duration::from_hours(1));
        }
    });
}

/// The tables whose rows a token could be in.
const TABLES: [&str; 7] = [
    "accounts_token",
    "accounts_invitation",
    "accounts_session",
    "accounts_slot",
    "accounts_challenge",
    "auth_users",
    "crud_jobs",
];

/// Every text of a table.
async fn texts(database: &Database, table: &str) -> Vec<String> {
    let columns: &[&str] = match table {
        "accounts_token" => &["purpose", "address", "subject", "hash"],
        "accounts_invitation" => &["address", "tenant_key", "invited_by", "inviter"],
        "accounts_session" => &["id", "subject", "user_agent"],
        "accounts_slot" => &["id"],
        "accounts_challenge" => &["id", "subject"],
        "auth_users" => &["username", "password_hash"],
        _ => &["kind", "payload", "last_error"],
    };
    let text = |column: &&str| format!("SELECT CONCAT('', {column}) FROM {table} WHERE {column} IS NOT NULL");
    let queries: Vec<String> = columns.iter().map(text).collect();
    database.texts_of_each(&queries).await.concat()
}

#[test]
fn no_token_is_in_clear_in_a_table_or_a_job() {
    on_shop(Accounts::new, async |shop, database| {
        let ann = shop.test.users().create_user(ANN, PASSWORD).roles(["admin"]).await.expect("a user");
        let tokens = shop.login(ANN).await;
        for (path, body) in [
            ("/auth/register", json!({ "email": BOB })),
            ("/auth/forgot", json!({ "email": ANN })),
            ("/auth/email", json!({ "email": "anna@example.com", "password": PASSWORD })),
            ("/auth/invitations", json!({ "email": "eve@example.com" })),
        ] {
            let status = shop.post_as(&tokens.access, path, body).await.status();
            assert!((200..300).contains(&status), "{path}: {status}");
        }
        let before = texts(database, "crud_jobs").await;
        let mails = shop.mails().await;
        let secrets: Vec<String> = mails.iter().map(token_of).collect();
        assert_eq!((secrets.len(), ann.subject.as_str()), (4, "1"));
        let mut stored = before;
        for table in TABLES {
            stored.extend(texts(database, table).await);
        }
        assert!(stored.iter().any(|text| text == "invitation"), "the rows were read: {stored:?}");
        for secret in secrets.iter().chain([&tokens.access, &tokens.refresh]) {
            let found = stored.iter().find(|text| text.contains(secret.as_str()));
            assert_eq!(found, None);
        }
    });
}

#[test]
fn no_token_is_in_the_log() {
    let has_run = Cell::new(false);
    let lines = log_lines(|| {
        on_shop(Accounts::new, async |shop, _| {
            has_run.set(true);
            let tokens = shop.sign_up(ANN).await;
            shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
            let token = shop.token_for(ANN).await;
            let reset = json!({ "token": token, "password": "another horse" });
            shop.post("/auth/reset", reset.clone()).await.expect(204);
            assert_used(&shop.post("/auth/reset", reset).await);
            shop.try_refresh(&tokens).await.problem("refresh_failed");
        });
    });
    assert_eq!(lines.iter().any(|line| line.contains("a user has signed up")), has_run.get(), "{lines:?}");
    for line in &lines {
        // A token has 64 hexadecimal digits, and those of logins begin so.
        let has_token = line.split(|character: char| !character.is_ascii_hexdigit()).any(|word| word.len() >= 64);
        assert!(!has_token && !line.contains("eyJ") && !line.contains(PASSWORD), "{line}");
    }
}

#[test]
fn guess_at_a_user_without_a_password_is_no_error_in_the_log() {
    let lines = log_lines(|| {
        on_shop(Accounts::new, async |shop, _| {
            shop.test.users().create_hashed(ANN, "").await.expect("a user");
            shop.try_login(ANN, PASSWORD).await.problem("invalid_credentials");
            shop.try_login(ANN, "").await.problem("invalid_credentials");
        });
    });
    assert!(!lines.iter().any(|line| line.contains("hash cannot be read")), "{lines:?}");
}
