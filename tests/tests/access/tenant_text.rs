//! Scopes by the text of a principal's tenant.

use crud_runtime::auth::{Auth, Principal};
use crud_runtime::prelude::*;
use crud_tests::on_each_backend;
use serde_json::json;

/// A record of a plugin, which does not know the tenants of the program.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), scope(public, customer(tenant)), operations(except(create)))]
struct Remark {
    id: i64,
    #[crud(hidden)]
    customer: String,
    text: String,
}

#[test]
fn records_are_those_of_the_principals_tenant() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("authentication");
        let test = database.service().await.auth(auth).resource::<Remark>().test().await.expect("the tables");
        let of = |tenant: Option<serde_json::Value>| {
            let principal = Principal::new("7");
            test.app().store::<Remark>().of(&match tenant {
                Some(tenant) => principal.with_tenant(tenant),
                None => principal,
            })
        };
        for (tenant, text) in [(Some(json!(1)), "one"), (Some(json!("north")), "north"), (None, "none")] {
            let new = NewRemark { customer: text_of(text), text: text.to_owned() };
            let created = of(tenant).create(new).await.expect("a record");
            assert_eq!(created.customer, text_of(text));
        }
        for (tenant, text) in [(Some(json!(1)), "one"), (Some(json!("north")), "north"), (None, "none")] {
            let seen = of(tenant).list(Select::all()).await.expect("records");
            assert_eq!(seen.iter().map(|remark| &*remark.text).collect::<Vec<_>>(), [text]);
        }
        assert!(of(Some(json!(2))).list(Select::all()).await.expect("records").is_empty());
        // Another tenant than one's own is refused, also by code that acts for the principal.
        let other = NewRemark { customer: "2".to_owned(), text: "two".to_owned() };
        of(Some(json!(1))).create(other).await.expect_err("a refusal");
    });
}

fn text_of(name: &str) -> String {
    match name {
        "one" => "1",
        "none" => "",
        other => other,
    }
    .to_owned()
}
