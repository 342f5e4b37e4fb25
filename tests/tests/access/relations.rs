//! Records beside others: what a filter, a total or `expand` would tell of records, fields and resources that the caller
//! does not see.

use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Answer, Api, query};
use serde_json::{Value, json};

use crate::support::{Caller, anonymous, caller, on_resources};

/// Records of owners, with a field for buyers alone.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(title, cost), soft_delete, access(all(authenticated)))]
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
#[crud(filter(code), access(list(role("admin")), get(public), create(public)))]
struct Vault {
    id: i64,
    code: String,
}

/// Records that every user may read, with references to the others.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(name, letter::title, letter::cost, vault::code), sort(name), pagination, access(all(authenticated)))]
struct Card {
    id: i64,
    name: String,
    #[crud(references(Letter, any, expand))]
    letter_id: Option<i64>,
    #[crud(references(Vault, any, expand))]
    vault_id: Option<i64>,
}

/// A card for a letter of each of two users, for a vault, and for nothing.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_cards(test: impl AsyncFn(&Api, &Caller<'_>, &Caller<'_>)) {
    on_resources(
        |service| service.resource::<Letter>().resource::<Vault>().resource::<Card>(),
        async |api| {
            let (ada, bob) = (caller(api, "1", &["buyer"], &[]), caller(api, "2", &[], &[]));
            let of_ada = ada.post("/letters", &json!({ "title": "of ada", "cost": 7 })).await.created();
            let of_bob = bob.post("/letters", &json!({ "title": "of bob" })).await.created();
            let vault = anonymous(api).post("/vaults", &json!({ "code": "0000" })).await.created();
            for body in [
                json!({ "name": "ada", "letter_id": of_ada["id"] }),
                json!({ "name": "bob", "letter_id": of_bob["id"] }),
                json!({ "name": "vault", "vault_id": vault["id"] }),
                json!({ "name": "nothing" }),
            ] {
                ada.post("/cards", &body).await.created();
            }
            test(api, &ada, &bob).await;
        },
    );
}

/// The names of the cards that satisfy a condition.
async fn names(caller: &Caller<'_>, condition: Value) -> Vec<Value> {
    let target = query("/cards", [("where", condition.to_string().as_str()), ("sort", "name")]);
    let list = caller.get(target).await.ok();
    assert_eq!(list["total"], list["data"].as_array().map_or(0, Vec::len));
    column(&list, "name")
}

/// The answer to a list with these parameters.
async fn list(caller: &Caller<'_>, parameters: &str) -> Answer {
    caller.get(format!("/cards?sort=name&{parameters}")).await
}

#[test]
fn a_condition_is_on_records_that_the_caller_reaches() {
    on_cards(async |api, ada, bob| {
        let either = json!({ "letter": { "title__startswith": "of" } });
        assert_eq!(names(ada, either.clone()).await, ["ada"]);
        assert_eq!(names(bob, either.clone()).await, ["bob"]);
        assert_eq!(names(&caller(api, "3", &[], &[]), either.clone()).await, [""; 0]);
        assert_eq!(names(&caller(api, "4", &["admin"], &[]), either).await, ["ada", "bob"]);
        // Another owner's letter satisfies neither a condition nor its negation, however it is written.
        for (guess, condition) in [
            ("right", json!({ "not": { "letter.title": "of ada" } })),
            ("right", json!({ "letter": { "not": { "title": "of ada" } } })),
            ("right", json!({ "not": { "or": [{ "letter.title": "of ada" }, { "name": "x" }] } })),
            ("wrong", json!({ "not": { "letter.title": "of eve" } })),
            ("wrong", json!({ "letter.title__ne": "of eve" })),
            ("any", json!({ "letter": { "title__nin": ["of eve"] } })),
        ] {
            assert_eq!(names(bob, condition).await, ["bob"], "a {guess} guess");
        }
    });
}

#[test]
fn expand_shows_records_that_the_caller_reaches() {
    on_cards(async |api, ada, bob| {
        let shown = async |caller: &Caller<'_>| {
            let cards = list(caller, "expand=letter&name__in=ada,bob").await.ok();
            column(&cards, "letter").iter().map(|letter| letter["title"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(shown(ada).await, [json!("of ada"), Value::Null]);
        assert_eq!(shown(bob).await, [Value::Null, json!("of bob")]);
        assert_eq!(shown(&caller(api, "4", &["admin"], &[])).await, [json!("of ada"), json!("of bob")]);
        let id = column(&ada.get("/letters").await.ok(), "id").remove(0);
        ada.delete(format!("/letters/{id}")).await.ok();
        assert_eq!(shown(ada).await, [Value::Null, Value::Null], "a deleted record is null, for its owner too");
    });
}

#[test]
fn a_field_that_the_caller_does_not_see_does_not_exist() {
    on_cards(async |_, ada, bob| {
        assert_eq!(names(ada, json!({ "letter.cost": 7 })).await, ["ada"]);
        let seen = list(ada, "expand=letter&name=ada").await.ok();
        assert_eq!(seen["data"][0]["letter"]["cost"], 7);
        let unseen = list(bob, "expand=letter&name=bob").await.ok();
        assert!(unseen["data"][0]["letter"].get("cost").is_none(), "{unseen}");
        for parameters in ["letter.cost=7", "letter.cost__gt=0", "letter.cost__isnull=true"] {
            let refused = list(bob, parameters).await.problem("validation_failed");
            let typo = list(bob, &parameters.replace("cost", "coast")).await.problem("validation_failed");
            assert_eq!(refused.only().code, typo.only().code);
            assert!(!refused.detail.contains("are `letter.cost`") && !typo.detail.contains("`letter.cost`"), "{typo}");
        }
        for condition in [json!({ "letter.cost": 7 }), json!({ "letter": { "cost": 7 } })] {
            let target = query("/cards", [("where", condition.to_string())]);
            let refused = bob.get(target).await.problem("validation_failed");
            assert_eq!(refused.only().code, "unknown_field");
        }
    });
}

#[test]
fn conditions_on_a_resource_that_the_caller_may_not_list_are_misspelt_ones() {
    on_cards(async |api, ada, _| {
        let admin = caller(api, "4", &["admin"], &[]);
        assert_eq!(names(&admin, json!({ "vault.code": "0000" })).await, ["vault"]);
        assert_eq!(list(&admin, "expand=vault&name=vault").await.ok()["data"][0]["vault"]["code"], "0000");
        for (parameters, typo) in [
            ("vault.code=0000", "volt.code=0000"),
            (
                "where=%7B%22vault%22:%7B%22code%22:%220000%22%7D%7D",
                "where=%7B%22volt%22:%7B%22code%22:%220000%22%7D%7D",
            ),
        ] {
            let refused = list(ada, parameters).await.problem("validation_failed");
            let misspelt = list(ada, typo).await.problem("validation_failed");
            assert_eq!(refused.only().code, misspelt.only().code, "{parameters}");
            assert!(!misspelt.detail.contains("`vault"), "{misspelt}");
        }
    });
}

#[test]
fn expanded_record_of_a_resource_that_the_caller_may_not_list_is_null() {
    on_cards(async |api, ada, _| {
        let admin = caller(api, "4", &["admin"], &[]);
        let card = admin.get("/cards?name=vault&expand=vault").await.ok()["data"][0].clone();
        assert_eq!(card["vault"]["code"], "0000");
        let (one, vault) = (format!("/cards/{}?expand=vault", card["id"]), card["vault_id"].clone());
        let listed = list(&admin, "expand=vault&name=vault").await.ok()["data"][0].clone();
        assert_eq!((&listed["vault"]["code"], &listed["vault_id"]), (&json!("0000"), &vault));
        for card in [
            list(ada, "expand=vault&name=vault").await.ok()["data"][0].clone(),
            ada.get(one).await.ok(),
            ada.post("/cards?expand=vault", &json!({ "name": "x", "vault_id": vault })).await.created(),
        ] {
            assert_eq!((&card["vault"], &card["vault_id"]), (&Value::Null, &vault), "{card}");
        }
        list(ada, "expand=volt").await.problem("validation_failed");
    });
}
