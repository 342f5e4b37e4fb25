//! Texts without a greatest `length` are bounded by the service, and so is what patterns cost on them.

use crud_tests::{Api, kitchen, on_each_backend, on_kitchen, query};
use serde_json::json;

#[test]
fn text_without_a_rule_has_at_most_65536_characters() {
    on_kitchen(async |kitchen| {
        let longest = "ü".repeat(65_536);
        let post = kitchen.post("/posts", &json!({ "title": longest })).await.created();
        assert!(post["title"] == longest);
        let problem =
            kitchen.post("/posts", &json!({ "title": format!("{longest}x") })).await.problem("validation_failed");
        assert_eq!(
            (problem.only().code.as_str(), problem.at("/title")),
            ("max_length", "must have at most 65536 characters")
        );
    });
}

#[test]
fn text_limit_is_a_setting_and_a_field_can_lift_it() {
    on_each_backend(async |database| {
        let service = kitchen::kitchen(database.service().await).limits(|limits| limits.text(10));
        let kitchen = Api::start(database, service.migrate().await.expect("the kitchen's tables")).await;
        kitchen.post("/posts", &json!({ "title": "0123456789" })).await.created();
        kitchen.post("/posts", &json!({ "title": "0123456789a" })).await.problem("validation_failed");
        kitchen.patch("/posts/1", &json!({ "title": "0123456789a" })).await.problem("validation_failed");
        kitchen.post("/scrolls", &json!({ "text": "x".repeat(100_000) })).await.created();
        let document = kitchen.get("/openapi.json").await.ok();
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["PostCreate"]["properties"]["title"]["maxLength"], 10);
        assert_eq!(schemas["PostPatch"]["properties"]["title"]["maxLength"], 10);
        assert_eq!(schemas["Post"]["properties"]["title"].get("maxLength"), None, "what is stored may be longer");
        assert_eq!(schemas["ScrollCreate"]["properties"]["text"].get("maxLength"), None);
        kitchen.stop().await;
    });
}

#[test]
fn patterns_that_compare_too_much_are_refused() {
    on_kitchen(async |kitchen| {
        kitchen.post("/scrolls", &json!({ "text": "aaa" })).await.created();
        let part = |length: usize| "a".repeat(length);
        for (parameter, value) in [
            ("text__contains", part(64)),
            ("text__ilike", format!("%{}%{}%", part(64), part(64))),
            ("text__startswith", part(1_000)),
            ("text__like", format!("{}%", part(999))),
        ] {
            kitchen.get(query("/scrolls", [(parameter, value)])).await.ok();
        }
        let like = format!("%{}", part(65));
        let ilike = format!("%{}", part(40));
        for parameters in [
            vec![("text__contains", part(65))],
            vec![("text__like", like.clone())],
            vec![("text__ilike", ilike.clone()), ("text__icontains", part(40))],
            vec![("where", json!({ "or": [{ "text__ilike": ilike }, { "text__contains": part(40) }] }).to_string())],
        ] {
            let problem = kitchen.get(query("/scrolls", parameters)).await.problem("query_too_complex");
            assert!(problem.detail.contains("may compare 67108864"), "{problem}");
        }
    });
}

#[test]
fn cost_of_patterns_is_a_setting() {
    on_each_backend(async |database| {
        let service =
            kitchen::kitchen(database.service().await).limits(|limits| limits.query(|query| query.pattern_cost(200)));
        let kitchen = Api::start(database, service.migrate().await.expect("the kitchen's tables")).await;
        kitchen.get("/scrolls?text__contains=a").await.problem("query_too_complex");
        kitchen.get("/scrolls?text__startswith=a").await.ok();
        kitchen.stop().await;
    });
}
