//! Orders by fields of other records: what they would tell of records, fields and resources that the caller does not
//! reach.

use base64::Engine;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Api, on_each_sql_backend};
use serde_json::{Value, json};

use crate::caller::{Caller, SECRET, caller};

/// Records of owners, with a field for buyers alone.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(sort(title, cost), soft_delete, access(all(authenticated)))]
struct Letter {
    id: i64,
    title: String,
    #[crud(visible(role("buyer")))]
    cost: Option<i64>,
    #[crud(owner(except(role("admin"))))]
    user_id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// Records that admins alone may list.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(sort(code), access(list(role("admin")), get(public), create(public)))]
struct Vault {
    id: i64,
    code: String,
}

/// Records of tenants.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(sort(name), access(all(authenticated)))]
struct Room {
    id: i64,
    name: String,
    #[crud(tenant(except(role("admin"))))]
    house_id: i64,
}

/// Records that every user may read, with references to the others.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    sort(letter::title, letter::cost, vault::code, room::name, secret::title),
    pagination(cursor),
    access(all(authenticated))
)]
struct Card {
    id: i64,
    #[crud(references(Letter, any))]
    letter_id: Option<i64>,
    #[crud(references(Vault, any))]
    vault_id: Option<i64>,
    #[crud(references(Room, any))]
    room_id: Option<i64>,
    #[crud(tenant(except(role("admin"))))]
    house_id: i64,
    #[crud(references(Letter, any, relation(secret)), visible(role("buyer")))]
    secret_id: Option<i64>,
}

/// The keys of the cards in this order.
async fn cards_by(caller: &Caller<'_>, sort: &str) -> Vec<Value> {
    column(&caller.get(format!("/cards?sort={sort}")).await.ok(), "id")
}

/// Ada's letter `b`, Bob's `c` and `a`, and one `d` of Ada's that is deleted; a card of each, and one of none.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_cards(test: impl AsyncFn(&Api, &Caller<'_>, &Caller<'_>, &[Value])) {
    on_each_sql_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("house").build().expect("the authentication");
        let service = database.service().await.auth(auth);
        let service = service.resource::<Letter>().resource::<Vault>().resource::<Room>().resource::<Card>();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let (ada, bob) = (caller(&api, "1", &["buyer"], 1), caller(&api, "2", &[], 1));
        let mut cards = Vec::new();
        for (owner, title, cost) in
            [(&ada, "b", json!(7)), (&bob, "c", Value::Null), (&bob, "a", Value::Null), (&ada, "d", json!(1))]
        {
            let body = if cost.is_null() { json!({ "title": title }) } else { json!({ "title": title, "cost": cost }) };
            let letter = owner.create("/letters", body).await;
            cards.push(ada.create("/cards", json!({ "letter_id": letter["id"] })).await["id"].clone());
            if title == "d" {
                ada.delete(format!("/letters/{}", letter["id"])).await.ok();
            }
        }
        cards.push(ada.create("/cards", json!({})).await["id"].clone());
        test(&api, &ada, &bob, &cards).await;
        api.stop().await;
    });
}

#[test]
fn records_that_the_caller_does_not_reach_sort_as_null() {
    on_cards(async |api, ada, bob, cards| {
        let [b, c, a, d, none] = cards else { panic!("five cards") };
        let of = |ids: [&Value; 5]| ids.map(Clone::clone).to_vec();
        assert_eq!(cards_by(ada, "letter.title").await, of([c, a, d, none, b]), "Bob's letters are as no letter");
        assert_eq!(cards_by(bob, "letter.title").await, of([b, d, none, a, c]));
        assert_eq!(cards_by(bob, "-letter.title").await, of([c, a, none, d, b]));
        let admin = caller(api, "4", &["admin"], 1);
        assert_eq!(cards_by(&admin, "letter.title").await, of([d, none, a, b, c]), "a deleted letter is as no letter");
    });
}

#[test]
fn cursors_tell_nothing_of_records_that_the_caller_does_not_reach() {
    on_cards(async |_, ada, bob, _| {
        let mut target = "/cards?sort=letter.title&limit=1".to_owned();
        let mut seen = Vec::new();
        loop {
            let page = bob.get(&target).await.ok();
            seen.extend(column(&page, "id"));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            // A token names the place by values, signed and not secret.
            let token = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(cursor).expect("a token");
            let text = String::from_utf8_lossy(&token[16..]);
            assert!(!text.contains("\"b\"") && !text.contains("\"d\""), "{text}");
            target = format!("/cards?sort=letter.title&limit=1&cursor={cursor}");
        }
        assert_eq!(seen, cards_by(bob, "letter.title").await);
        // Bob's place in the hands of Ada is a place among what she reaches.
        let page = ada.get(&target).await.ok();
        assert!(column(&page, "id").len() <= 1);
    });
}

#[test]
fn fields_and_resources_that_the_caller_does_not_see_do_not_exist() {
    on_cards(async |api, ada, bob, _| {
        ada.get("/cards?sort=letter.cost").await.ok();
        ada.get("/cards?sort=secret.title").await.ok();
        let admin = caller(api, "4", &["admin"], 1);
        admin.get("/cards?sort=vault.code").await.ok();
        for (caller, sort, typo) in [
            (bob, "letter.cost", "letter.coast"),
            (bob, "secret.title", "secrets.title"),
            (ada, "vault.code", "volt.code"),
        ] {
            let refused = caller.get(format!("/cards?sort={sort}")).await.problem("validation_failed");
            let misspelt = caller.get(format!("/cards?sort={typo}")).await.problem("validation_failed");
            assert_eq!(refused.only().code, misspelt.only().code, "{sort}");
            let before_hint = |detail: &str| detail.split("; did you mean").next().unwrap_or_default().to_owned();
            assert_eq!(before_hint(&refused.detail.replace(sort, typo)), before_hint(&misspelt.detail), "{sort}");
            let listed = misspelt.detail.split("sortable fields are").nth(1).expect("the fields");
            assert!(!listed.contains(sort), "{misspelt}");
        }
    });
}

#[test]
fn records_of_other_tenants_sort_as_null() {
    on_cards(async |api, ada, _, cards| {
        let admin = caller(api, "4", &["admin"], 1);
        let (other, own) = (caller(api, "5", &[], 2), caller(api, "6", &[], 1));
        let foreign = other.create("/rooms", json!({ "name": "zzz" })).await;
        let room = own.create("/rooms", json!({ "name": "aaa" })).await;
        // A reference that an admin made across tenants, where the database lets it.
        let crossing = admin.post("/cards", &json!({ "room_id": foreign["id"], "house_id": 1 })).await;
        let with_room = ada.create("/cards", json!({ "room_id": room["id"] })).await;
        let sorted = cards_by(&own, "-room.name").await;
        assert_eq!(sorted[0], with_room["id"], "{}", crossing.status());
        assert!(sorted.len() > cards.len());
    });
}
