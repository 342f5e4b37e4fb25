//! Second factors: codes of an app, and recovery codes.

use std::time::Duration;

use crud_accounts::Accounts;
use crud_runtime::testing::TestAnswer;
use crud_tests::on_each_sql_backend;
use serde_json::{Value, json};
use totp_rs::Builder;

use crate::invitations::{Member, NewMember, NewTeam, Team, with_teams};
use crate::support::{ANN, PASSWORD, Shop, Tokens, error_code, on_shop, race};

/// The code of an app with this secret.
fn code(shop: &Shop, secret: &Value) -> String {
    let secret = secret.as_str().expect("a secret");
    let now = u64::try_from(shop.test.clock().now().timestamp()).expect("a time");
    Builder::new().with_secret(decoded(secret)).build_noncompliant().generate(now).to_string()
}

/// The bytes of a secret in Base32.
fn decoded(text: &str) -> [u8; 20] {
    let digit = |byte: u8| if byte.is_ascii_uppercase() { byte - b'A' } else { byte - b'2' + 26 };
    let bits: Vec<bool> =
        text.bytes().map(digit).flat_map(|five| (0..5).rev().map(move |bit| five >> bit & 1 == 1)).collect();
    let bytes: Vec<u8> =
        bits.chunks(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit))).collect();
    bytes.try_into().expect("a secret of 20 bytes")
}

/// Gives a person a second factor: its secret and the recovery codes.
async fn with_factor(shop: &Shop, tokens: &Tokens) -> (Value, Vec<String>) {
    let setup = shop.post_as(&tokens.access, "/auth/factor", json!({ "password": PASSWORD })).await.expect(201).json();
    let right = json!({ "code": code(shop, &setup["secret"]) });
    let codes = shop.post_as(&tokens.access, "/auth/factor/confirm", right).await.expect(200).json();
    shop.test.clock().advance(Duration::from_secs(30));
    let codes = serde_json::from_value(codes["recovery_codes"].clone()).expect("the codes");
    (setup["secret"].clone(), codes)
}

/// The challenge of a login with the right password.
async fn challenge(shop: &Shop) -> Value {
    challenge_of(shop, ANN).await
}

async fn challenge_of(shop: &Shop, name: &str) -> Value {
    let answer = shop.try_login(name, PASSWORD).await;
    let problem = answer.problem("authentication_failed");
    assert_eq!(problem["errors"][0]["code"], "second_factor_required");
    problem["errors"][0]["params"]["challenge"].clone()
}

async fn answer(shop: &Shop, challenge: &Value, code: &str) -> TestAnswer {
    shop.post("/auth/factor/login", json!({ "challenge": challenge, "code": code })).await
}

#[test]
fn login_with_a_factor_needs_a_code() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let (secret, codes) = with_factor(shop, &tokens).await;
        assert_eq!(codes.len(), 10);
        shop.try_login(ANN, "wrong horse").await.problem("invalid_credentials");
        let challenge = challenge(shop).await;
        let wrong = answer(shop, &challenge, "000000").await;
        assert_eq!((wrong.status(), error_code(&wrong).as_str()), (422, "wrong"));
        let body = answer(shop, &challenge, &code(shop, &secret)).await.expect(200).json();
        assert_eq!(body["recovery_codes"], Value::Null);
        shop.get_as(&Tokens::of(&body).access, "/profile").await.expect(200);
        // The pages of a browser are asked, too.
        let login = shop.test.post("/auth/login", json!({ "username": ANN, "password": PASSWORD })).await;
        login.problem("authentication_failed");
    });
}

#[test]
fn code_counts_once() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let (secret, _) = with_factor(shop, &tokens).await;
        let right = code(shop, &secret);
        answer(shop, &challenge(shop).await, &right).await.expect(200);
        let replayed = answer(shop, &challenge(shop).await, &right).await;
        assert_eq!(error_code(&replayed), "wrong");
        // Nor does an earlier one count after it.
        shop.test.clock().advance(Duration::from_secs(30));
        assert_eq!(error_code(&answer(shop, &challenge(shop).await, &right).await), "wrong");
        answer(shop, &challenge(shop).await, &code(shop, &secret)).await.expect(200);
    });
}

#[test]
fn code_that_two_logins_send_at_once_is_of_one() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let (secret, _) = with_factor(shop, &tokens).await;
        let (one, other, right) = (challenge(shop).await, challenge(shop).await, code(shop, &secret));
        let login = |challenge| shop.test.post("/auth/factor/login", json!({ "challenge": challenge, "code": right }));
        let answers = race([one, other].map(login)).await;
        let mut statuses: Vec<u16> = answers.iter().map(TestAnswer::status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 422]);
    });
}

#[test]
fn challenge_counts_once_and_for_ten_minutes() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let (secret, _) = with_factor(shop, &tokens).await;
        let used = challenge(shop).await;
        answer(shop, &used, &code(shop, &secret)).await.expect(200);
        shop.test.clock().advance(Duration::from_secs(30));
        answer(shop, &used, &code(shop, &secret)).await.problem("invalid_credentials");
        let late = challenge(shop).await;
        shop.test.clock().advance(Duration::from_mins(10));
        answer(shop, &late, &code(shop, &secret)).await.problem("invalid_credentials");
        answer(shop, &json!("0".repeat(64)), &code(shop, &secret)).await.problem("invalid_credentials");
    });
}

#[test]
fn recovery_code_counts_once() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let (_, codes) = with_factor(shop, &tokens).await;
        answer(shop, &challenge(shop).await, &codes[0].to_uppercase()).await.expect(200);
        assert_eq!(error_code(&answer(shop, &challenge(shop).await, &codes[0]).await), "wrong");
        answer(shop, &challenge(shop).await, &codes[1]).await.expect(200);
    });
}

/// The answer with the first codes may have been lost, and used ones are gone: also of a user whose role needs the factor.
#[test]
fn user_gets_new_recovery_codes() {
    let accounts = || Accounts::new().roles(["customer"]).second_factor_for(["customer"]);
    on_shop(accounts, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let problem = shop.try_verify(&shop.token_for(ANN).await).await.problem("authentication_failed");
        let first = problem["errors"][0]["params"]["challenge"].clone();
        let setup = shop.post("/auth/factor/enrol", json!({ "challenge": first })).await.expect(201).json();
        let body = answer(shop, &first, &code(shop, &setup["secret"])).await.expect(200).json();
        let (access, former) = (Tokens::of(&body).access, body["recovery_codes"][0].clone());
        shop.test.clock().advance(Duration::from_secs(30));
        let right = code(shop, &setup["secret"]);
        let wrong_password = json!({ "password": "wrong horse", "code": right });
        shop.post_as(&access, "/auth/factor/recovery", wrong_password).await.problem("invalid_credentials");
        let wrong_code = json!({ "password": PASSWORD, "code": "000000" });
        shop.post_as(&access, "/auth/factor/recovery", wrong_code).await.problem("validation_failed");
        let proof = json!({ "password": PASSWORD, "code": right });
        let codes = shop.post_as(&access, "/auth/factor/recovery", proof).await.expect(200).json();
        assert_eq!(codes["recovery_codes"].as_array().map(Vec::len), Some(10));
        let former = answer(shop, &challenge(shop).await, former.as_str().expect("a code")).await;
        assert_eq!(error_code(&former), "wrong");
        let new = codes["recovery_codes"][0].as_str().expect("a code");
        answer(shop, &challenge(shop).await, new).await.expect(200);
    });
}

#[test]
fn factor_that_no_code_has_confirmed_has_no_recovery_codes() {
    on_shop(Accounts::new, async |shop, _| {
        let access = shop.sign_up(ANN).await.access;
        let setup = shop.post_as(&access, "/auth/factor", json!({ "password": PASSWORD })).await.expect(201).json();
        let proof = json!({ "password": PASSWORD, "code": code(shop, &setup["secret"]) });
        shop.post_as(&access, "/auth/factor/recovery", proof).await.problem("conflict");
        shop.login(ANN).await;
    });
}

#[test]
fn guesses_of_codes_are_limited() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let (secret, _) = with_factor(shop, &tokens).await;
        for _ in 0..10 {
            assert_eq!(error_code(&answer(shop, &challenge(shop).await, "000000").await), "wrong");
        }
        answer(shop, &challenge(shop).await, &code(shop, &secret)).await.problem("too_many_requests");
        shop.test.clock().advance(Duration::from_hours(1));
        answer(shop, &challenge(shop).await, &code(shop, &secret)).await.expect(200);
    });
}

#[test]
fn role_that_needs_a_factor_makes_one_at_its_login() {
    let accounts = || Accounts::new().second_factor_for(["admin"]);
    on_shop(accounts, async |shop, _| {
        shop.test.users().create_user(ANN, PASSWORD).roles(["admin"]).await.expect("a user");
        let problem = shop.try_login(ANN, PASSWORD).await.problem("authentication_failed");
        assert_eq!(problem["errors"][0]["params"]["enrolled"], false);
        let challenge = problem["errors"][0]["params"]["challenge"].clone();
        let setup = shop.post("/auth/factor/enrol", json!({ "challenge": challenge })).await.expect(201).json();
        assert!(setup["uri"].as_str().expect("a link").starts_with("otpauth://totp/Shop:ann%40example.com?secret="));
        let body = answer(shop, &challenge, &code(shop, &setup["secret"])).await.expect(200).json();
        assert_eq!(body["recovery_codes"].as_array().map(Vec::len), Some(10));
        // Now that there is one, no challenge replaces it, and it stays.
        shop.test.clock().advance(Duration::from_secs(30));
        let again = self::challenge(shop).await;
        shop.post("/auth/factor/enrol", json!({ "challenge": again })).await.problem("conflict");
        let removal = json!({ "password": PASSWORD, "code": code(shop, &setup["secret"]) });
        let access = Tokens::of(&body).access;
        shop.post_as(&access, "/auth/factor/remove", removal).await.problem("conflict");
    });
}

#[test]
fn link_of_a_mail_is_no_way_around_a_factor() {
    let accounts = || Accounts::new().roles(["customer"]).second_factor_for(["customer"]);
    on_shop(accounts, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        let problem = shop.try_verify(&token).await.problem("authentication_failed");
        let challenge = problem["errors"][0]["params"]["challenge"].clone();
        let setup = shop.post("/auth/factor/enrol", json!({ "challenge": challenge })).await.expect(201).json();
        answer(shop, &challenge, &code(shop, &setup["secret"])).await.expect(200);
        shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
        let reset = json!({ "token": shop.token_for(ANN).await, "password": PASSWORD });
        shop.post("/auth/reset", reset).await.expect(204);
        self::challenge(shop).await;
    });
}

#[test]
fn factor_is_removed_by_its_user() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let (secret, _) = with_factor(shop, &tokens).await;
        let wrong = json!({ "password": "wrong horse", "code": code(shop, &secret) });
        shop.post_as(&tokens.access, "/auth/factor/remove", wrong).await.problem("invalid_credentials");
        let right = json!({ "password": PASSWORD, "code": code(shop, &secret) });
        shop.post_as(&tokens.access, "/auth/factor/remove", right).await.expect(204);
        shop.login(ANN).await;
    });
}

#[test]
fn new_password_ends_the_logins_that_wait_for_a_factor() {
    let accounts = || Accounts::new().roles(["customer"]).second_factor_for(["customer"]);
    on_shop(accounts, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        shop.try_verify(&token).await.problem("authentication_failed");
        let of_thief = challenge(shop).await;
        shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
        let reset = json!({ "token": shop.token_for(ANN).await, "password": "another horse" });
        shop.post("/auth/reset", reset).await.expect(204);
        let enrolment = shop.post("/auth/factor/enrol", json!({ "challenge": of_thief })).await;
        enrolment.problem("invalid_credentials");
        answer(shop, &of_thief, "000000").await.problem("invalid_credentials");
    });
}

/// Runs a test against a service of teams, whose administrators need a second factor.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_teams(test: impl AsyncFn(&Shop)) {
    on_each_sql_backend(async |database| {
        let accounts = |outbox| Accounts::new().second_factor_for(["admin"]).mailer(outbox);
        let shop = Shop::start(async |outbox| with_teams(database, accounts(outbox)).await).await;
        test(&shop).await;
    });
}

#[test]
fn factor_that_a_role_in_another_tenant_needs_stays() {
    on_teams(async |shop| {
        let ann = shop.test.users().create_user(ANN, PASSWORD).await.expect("a user");
        for (team, role) in [(1, "admin"), (2, "editor")] {
            shop.test.store::<Team>().create(NewTeam { name: role.into() }).await.expect("a team");
            shop.test.users().join(&ann, &json!(team), [role]).await.expect("a membership");
        }
        let challenge = challenge(shop).await;
        let setup = shop.post("/auth/factor/enrol", json!({ "challenge": challenge })).await.expect(201).json();
        let body = answer(shop, &challenge, &code(shop, &setup["secret"])).await.expect(200).json();
        let other = shop.post_as(&Tokens::of(&body).access, "/auth/tenant", json!({ "tenant": 2 })).await.expect(200);
        shop.test.clock().advance(Duration::from_secs(30));
        let removal = json!({ "password": PASSWORD, "code": code(shop, &setup["secret"]) });
        shop.post_as(&Tokens::of(&other.json()).access, "/auth/factor/remove", removal).await.problem("conflict");
    });
}

#[test]
fn role_in_the_last_of_very_many_tenants_needs_a_factor() {
    on_teams(async |shop| {
        let ann = shop.test.users().create_user(ANN, PASSWORD).await.expect("a user");
        let user_id = ann.id().expect("a key");
        let members = shop.test.store::<Member>();
        for team in 1..=1001 {
            let role = if team == 1001 { "admin" } else { "editor" };
            let member = NewMember::new(user_id, vec![role.to_owned()]);
            members.tenant(team).create(member).await.expect("a membership");
        }
        challenge(shop).await;
    });
}

#[test]
fn code_of_a_secret_that_is_replaced_meanwhile_confirms_no_other() {
    let accounts = || Accounts::new().second_factor_for(["admin"]);
    on_shop(accounts, async |shop, _| {
        for number in 0..10 {
            let name = format!("{number}@example.com");
            shop.test.users().create_user(&name, PASSWORD).roles(["admin"]).await.expect("a user");
            let (own, other) = (challenge_of(shop, &name).await, challenge_of(shop, &name).await);
            let setup = shop.post("/auth/factor/enrol", json!({ "challenge": own })).await.expect(201).json();
            let login = json!({ "challenge": own, "code": code(shop, &setup["secret"]) });
            let login = shop.test.post("/auth/factor/login", login);
            let answers = race([shop.test.post("/auth/factor/enrol", json!({ "challenge": other })), login]).await;
            shop.test.clock().advance(Duration::from_secs(30));
            if answers[1].status() == 200 {
                let again = challenge_of(shop, &name).await;
                answer(shop, &again, &code(shop, &setup["secret"])).await.expect(200);
            }
        }
    });
}
