//! Limits on failed logins.

use std::time::Duration;

use crud_runtime::auth::{Auth, AuthBuilder};
use crud_tests::{not_before, pause};
use futures_util::future::{FutureExt as _, join_all};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::support::{ADA, PASSWORD, SECRET, on_service, try_login};

fn three_attempts_per(window: Duration) -> impl Fn() -> AuthBuilder {
    move || Auth::builder().secret(SECRET).login_attempts(3, window)
}

#[test]
fn failed_logins_over_the_limit_are_rejected_until_the_window_ends() {
    on_service(three_attempts_per(Duration::from_mins(1)), async |api, _| {
        for _ in 0..3 {
            try_login(api, ADA, "wrong password").await.problem("invalid_credentials");
        }
        // The right password is rejected too, or guessing could continue.
        let answer = try_login(api, ADA, PASSWORD).await.expect(429);
        let wait: u64 = answer.require("retry-after").parse().expect("seconds");
        assert!((1..=60).contains(&wait), "{wait}");
        answer.problem("too_many_requests");
        try_login(api, "bob", PASSWORD).await.problem("invalid_credentials");
    });
}

#[test]
fn unknown_usernames_are_limited_too() {
    on_service(three_attempts_per(Duration::from_mins(1)), async |api, _| {
        for _ in 0..3 {
            try_login(api, "unknown", PASSWORD).await.problem("invalid_credentials");
        }
        try_login(api, "unknown", PASSWORD).await.expect(429);
    });
}

#[test]
fn login_succeeds_after_retry_after() {
    on_service(three_attempts_per(Duration::from_secs(1)), async |api, _| {
        // On a busy machine, three failures may take longer than the window.
        let refused = loop {
            let answers = join_all((0..4).map(|_| try_login(api, ADA, "wrong password"))).await;
            if let Some(refused) = answers.into_iter().find(|answer| answer.status() == 429) {
                break refused;
            }
        };
        let wait: u64 = refused.require("retry-after").parse().expect("seconds");
        assert_eq!(wait, 1);
        pause("the answer asks for it", Duration::from_secs(wait)).await;
        try_login(api, ADA, PASSWORD).await.ok();
    });
}

#[test]
fn successful_login_resets_the_failure_count() {
    on_service(three_attempts_per(Duration::from_mins(1)), async |api, _| {
        for _ in 0..4 {
            try_login(api, ADA, "wrong password").await.problem("invalid_credentials");
            try_login(api, ADA, "wrong password").await.problem("invalid_credentials");
            try_login(api, ADA, PASSWORD).await.ok();
        }
    });
}

#[test]
fn concurrent_logins_are_counted_before_they_are_answered() {
    on_service(three_attempts_per(Duration::from_mins(1)), async |api, _| {
        let statuses = join_all((0..20).map(|_| try_login(api, ADA, "wrong password"))).await;
        let tried = statuses.iter().filter(|answer| answer.status() == 401).count();
        assert_eq!(tried, 3);
    });
}

#[test]
fn failed_logins_of_many_names_from_one_address_are_limited() {
    on_service(three_attempts_per(Duration::from_mins(1)), async |api, _| {
        for name in 0..30 {
            try_login(api, &format!("name-{name}"), PASSWORD).await.problem("invalid_credentials");
        }
        try_login(api, ADA, PASSWORD).await.expect(429);
        // An address that the client states is not trusted.
        let body = serde_json::json!({ "username": ADA, "password": PASSWORD });
        api.post("/auth/login", &body).header("x-forwarded-for", "192.0.2.1").await.expect(429);
    });
}

#[test]
fn trusted_proxy_states_the_client_address() {
    let auth = || three_attempts_per(Duration::from_mins(1))().behind_tls_proxy();
    on_service(auth, async |api, _| {
        let attempt = async |forwarded: &str, password: &str| {
            let body = serde_json::json!({ "username": ADA, "password": password });
            api.post("/auth/login", &body).header("x-forwarded-for", forwarded).await.status()
        };
        for spoofed in ["198.51.100.1", "198.51.100.2", "198.51.100.3"] {
            assert_eq!(attempt(&format!("{spoofed}, 192.0.2.1"), "wrong password").await, 401);
        }
        assert_eq!(attempt("192.0.2.1", PASSWORD).await, 429);
        assert_eq!(attempt("192.0.2.2", PASSWORD).await, 200);
    });
}

#[test]
fn concurrent_right_passwords_all_log_in() {
    on_service(three_attempts_per(Duration::from_mins(1)), async |api, _| {
        for answer in join_all((0..20).map(|_| try_login(api, ADA, PASSWORD))).await {
            answer.ok();
        }
    });
}

#[test]
fn right_passwords_log_in_among_wrong_ones_within_the_limit() {
    on_service(three_attempts_per(Duration::from_mins(1)), async |api, _| {
        let passwords = ["wrong password", PASSWORD, PASSWORD, "wrong password", PASSWORD, PASSWORD];
        let answers = join_all(passwords.map(|password| try_login(api, ADA, password))).await;
        let statuses: Vec<u16> = answers.iter().map(crud_tests::Answer::status).collect();
        assert_eq!(statuses, [401, 200, 200, 401, 200, 200]);
    });
}

#[test]
fn failures_from_many_addresses_slow_a_user_down_and_do_not_lock_out() {
    let auth = || three_attempts_per(Duration::from_mins(1))().behind_tls_proxy();
    on_service(auth, async |api, _| {
        let attempt = async |address: &str, password: &str| {
            let body = serde_json::json!({ "username": ADA, "password": password });
            api.post("/auth/login", &body).header("x-forwarded-for", address).await.status()
        };
        assert_eq!(attempt("192.0.2.100", PASSWORD).await, 200);
        for address in 1..=10 {
            for _ in 0..3 {
                assert_eq!(attempt(&format!("192.0.2.{address}"), "wrong password").await, 401);
            }
        }
        assert_eq!(attempt("192.0.2.10", PASSWORD).await, 429, "guesses from one address stay limited");
        // Attempts from other addresses wait in a line, and each takes a second there. One from an address where the user
        // logged in before is answered first.
        let places = [("192.0.2.101", 1), ("192.0.2.102", 1), ("192.0.2.100", 0)];
        let answered = async |(address, seconds)| {
            let answer = attempt(address, PASSWORD);
            (seconds, not_before(Duration::from_secs(seconds), "an attempt in the line", answer).await)
        };
        let mut attempts: FuturesUnordered<_> = places.map(answered).into_iter().collect();
        assert_eq!(attempts.next().await, Some((0, 200)));
        assert_eq!(attempts.next().await, Some((1, 200)));
        assert_eq!(attempts.next().now_or_never(), None, "two in the line are answered at once");
    });
}
