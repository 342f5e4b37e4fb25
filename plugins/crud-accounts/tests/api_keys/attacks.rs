//! Attacks on keys.

use std::future::IntoFuture;
use std::time::{Duration, Instant};

use crud_runtime::prelude::*;
use crud_tests::{log_lines, on_each_backend, on_each_sql_backend};
use serde_json::{Value, json};

use crate::shop::{Note, Part, key, server, with, with_ann};

/// The minimum and maximum number of rounds: on a busy machine, the shortest times take more rounds to appear.
const MIN_ROUNDS: usize = 30;
const MAX_ROUNDS: usize = 500;

#[test]
fn revoked_key_is_refused_on_every_server_with_its_next_request() {
    on_each_sql_backend(async |database| {
        let one = with_ann(database).await;
        let two = server(database).await;
        let leaked = key(&one, "leaked", &["editor"]).await;
        for server in [&one, &two] {
            with(server.get("/notes"), &leaked).await.expect(200);
        }
        let path = format!("/auth/keys/{}", leaked["id"].as_str().expect("an id"));
        two.as_user("ann").await.expect("a user").delete(path).await.expect(204);
        for server in [&one, &two] {
            with(server.get("/notes"), &leaked).await.problem("invalid_token");
        }
    });
}

#[test]
fn key_that_is_revoked_while_its_requests_run_is_refused_afterwards() {
    on_each_sql_backend(async |database| {
        let test = with_ann(database).await;
        let leaked = key(&test, "leaked", &["editor"]).await;
        let ann = test.as_user("ann").await.expect("a user");
        let running: Vec<_> = (0..20).map(|_| tokio::spawn(with(test.get("/notes"), &leaked).into_future())).collect();
        ann.delete(format!("/auth/keys/{}", leaked["id"].as_str().expect("an id"))).await.expect(204);
        with(test.get("/notes"), &leaked).await.problem("invalid_token");
        for request in running {
            let answer = request.await.expect("an answer");
            assert!([200, 401].contains(&answer.status()), "{}", answer.text());
        }
    });
}

#[test]
fn unknown_wrong_and_malformed_keys_have_one_answer() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        let genuine = key(&test, "ci", &["editor"]).await;
        let other = key(&test, "other", &["editor"]).await;
        let text = |key: &Value| key["key"].as_str().expect("a key").to_owned();
        let (genuine, other) = (text(&genuine), text(&other));
        let swapped = resealed(&format!("{}{}", &genuine[..15], &other[15..59]));
        let unknown = resealed(&format!("ck_{}{}", "0".repeat(12), &genuine[15..59]));
        let wrong = resealed(&format!("{}_{}", &genuine[..15], "a".repeat(43)));
        let cut = genuine[..65].to_owned();
        let malformed = ["ck_".to_owned(), "ck_x".to_owned(), cut, genuine.to_uppercase(), format!("{genuine}=")];
        let mut answers = Vec::new();
        for made_up in [swapped, unknown, wrong].into_iter().chain(malformed) {
            let answer = test.get("/notes").header("authorization", format!("Bearer {made_up}")).await;
            let challenge = answer.header("www-authenticate").map(str::to_owned);
            answers.push((made_up.clone(), (answer.problem("invalid_token"), challenge)));
            let open = test.get("/parts").header("authorization", format!("Bearer {made_up}")).await;
            open.expect(200);
        }
        assert!(answers.iter().all(|(_, answer)| *answer == answers[0].1), "{answers:?}");
    });
}

/// A key's text with the checksum that fits it, as an attacker makes it.
fn resealed(body: &str) -> String {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut crc = !0_u32;
    for byte in body.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    let mut checksum = !crc;
    let mut letters = Vec::new();
    for _ in 0..6 {
        letters.push(LETTERS[(checksum % 62) as usize]);
        checksum /= 62;
    }
    letters.reverse();
    format!("{body}_{}", String::from_utf8(letters).expect("letters"))
}

#[test]
fn key_elsewhere_than_in_authorization_is_no_credential() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        let made = key(&test, "ci", &["editor"]).await;
        let text = made["key"].as_str().expect("a key");
        for (name, value) in
            [("cookie", format!("key={text}")), ("x-api-key", text.to_owned()), ("x-key", text.to_owned())]
        {
            test.get("/notes").header(name, value).await.problem("authentication_failed");
        }
        test.get(format!("/notes?key={text}")).await.problem("authentication_failed");
        test.get("/notes").header("authorization", format!("Basic {text}")).await.problem("authentication_failed");
        test.get("/notes").header("authorization", format!("bEARER   {text}")).await.expect(200);
    });
}

#[test]
fn key_of_another_user_is_not_found() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        test.users().create_user("eve", "correct horse").roles(["admin"]).await.expect("a user");
        let made = key(&test, "ci", &["editor"]).await;
        let eve = test.as_user("eve").await.expect("a user");
        assert_eq!(eve.get("/auth/keys").await.expect(200).json(), json!({ "data": [] }));
        eve.delete(format!("/auth/keys/{}", made["id"].as_str().expect("an id"))).await.problem("not_found");
        with(test.get("/notes"), &made).await.expect(200);
    });
}

#[test]
fn unknown_key_takes_the_time_of_a_wrong_secret() {
    on_each_sql_backend(async |database| {
        let test = with_ann(database).await;
        let genuine = key(&test, "ci", &["editor"]).await;
        let text = genuine["key"].as_str().expect("a key");
        let unknown = resealed(&format!("ck_{}{}", "0".repeat(12), &text[15..59]));
        let wrong = resealed(&format!("{}_{}", &text[..15], "a".repeat(43)));
        // Noise only adds time, so that the minima of equal work converge.
        let mut least = [Duration::MAX; 2];
        for round in 1..=MAX_ROUNDS {
            for place in [round % 2, (round + 1) % 2] {
                let begin = Instant::now();
                let request =
                    test.get("/notes").header("authorization", format!("Bearer {}", [&unknown, &wrong][place]));
                request.await.problem("invalid_token");
                least[place] = least[place].min(begin.elapsed());
            }
            if round >= MIN_ROUNDS && are_similar(least) {
                break;
            }
        }
        assert!(are_similar(least), "unknown and wrong take {least:?}");
    });
}

fn are_similar([one, other]: [Duration; 2]) -> bool {
    one.max(other) < one.min(other).mul_f64(1.3)
}

#[test]
fn key_is_in_clear_in_no_table() {
    on_each_sql_backend(async |database| {
        let test = with_ann(database).await;
        let made = key(&test, "ci", &["editor"]).await;
        with(test.post("/parts", json!({ "name": "bolt" })), &made).await.expect(201);
        let text = made["key"].as_str().expect("a key");
        let secret = &text[16..59];
        let columns = ["id", "hash", "user", "name", "tenant"]
            .map(|name| format!("SELECT k.{name} FROM keys_key k WHERE k.{name} IS NOT NULL"));
        let mut stored: Vec<String> = database.texts_of_each(&columns).await.concat();
        assert_eq!(stored.len(), 4, "{stored:?}");
        stored.push(test.as_user("ann").await.expect("a user").get("/audit-logs").await.expect(200).text());
        let found: Vec<_> = stored.iter().filter(|stored| stored.contains(secret)).collect();
        assert!(found.is_empty(), "{found:?}");
    });
}

#[test]
fn key_is_in_clear_in_no_line_of_the_log() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut secrets = Vec::new();
    let lines = log_lines(|| {
        runtime.block_on(async {
            let memory = Service::connect("sqlite::memory:").await.expect("a database");
            let service = memory.auth(crate::shop::auth().build().expect("a secret"));
            let service = service.plugin(crud_accounts::ApiKeys::new()).expect("one plugin");
            let test = service.resource::<Part>().resource::<Note>().test().await.expect("the tables");
            test.users().create_user("ann", "correct horse").roles(["editor"]).await.expect("a user");
            let made = key(&test, "ci", &["editor"]).await;
            with(test.get("/notes"), &made).await.expect(200);
            let text = made["key"].as_str().expect("a key").to_owned();
            let altered = resealed(&format!("{}_{}", &text[..15], "a".repeat(43)));
            test.get("/notes").header("authorization", format!("Bearer {altered}")).await.problem("invalid_token");
            test.as_user("ann").await.expect("a user").delete(format!("/auth/keys/{}", &text[3..15])).await.expect(204);
            with(test.get("/notes"), &made).await.problem("invalid_token");
            secrets.extend([text[16..59].to_owned(), "a".repeat(43)]);
        });
    });
    assert!(lines.iter().any(|line| line.contains("principal=\"key:ci of 1\"")), "{lines:?}");
    assert!(lines.iter().all(|line| !secrets.iter().any(|secret| line.contains(secret))), "{lines:?}");
}
