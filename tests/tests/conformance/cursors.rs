//! Cursors follow a list: each record is on one page, whatever is created or deleted between pages.

use crud_tests::fixtures::{column, create_all, id};
use crud_tests::{Client, on_kitchen, query};
use serde_json::{Value, json};

/// Steps with blocks of nulls and of ties that are wider than a page.
async fn steps(kitchen: &Client) -> Vec<i64> {
    let rank = |number: i32| if number % 3 == 0 { Value::Null } else { json!(number % 2) };
    let title = |number: i32| if number % 7 > 2 { "b" } else { "a" };
    let weight = |number: i32| if number % 4 == 0 { Value::Null } else { json!(f64::from(number % 5) + 0.1) };
    let bodies =
        (0..20).map(|number| json!({ "title": title(number), "rank": rank(number), "weight": weight(number) }));
    create_all(kitchen, "/steps", bodies).await.iter().map(id).collect()
}

fn ids(page: &Value) -> Vec<i64> {
    column(page, "id").iter().map(|id| id.as_i64().expect("a key")).collect()
}

/// The page of a cursor.
async fn at(kitchen: &Client, parameters: &str, cursor: &Value) -> Value {
    let cursor = cursor.as_str().expect("a cursor");
    kitchen.get(format!("/steps?{parameters}&cursor={cursor}")).await.ok()
}

/// The keys of every page from the first one on.
async fn walk(kitchen: &Client, parameters: &str) -> Vec<Vec<i64>> {
    let mut page = kitchen.get(format!("/steps?{parameters}")).await.ok();
    assert_eq!(page["prev_cursor"], Value::Null, "nothing is before the first page");
    let mut pages = vec![ids(&page)];
    while !page["next_cursor"].is_null() {
        page = at(kitchen, parameters, &page["next_cursor"]).await;
        pages.push(ids(&page));
        assert!(pages.len() < 30, "a walk has an end");
    }
    pages
}

const ORDERS: [&str; 7] =
    ["", "sort=rank", "sort=-rank", "sort=weight,-rank", "sort=-weight,title", "sort=title", "sort=-title,rank"];

#[test]
fn pages_have_each_record_once_in_the_order_of_the_list() {
    on_kitchen(async |kitchen| {
        steps(kitchen).await;
        for order in ORDERS {
            let all = ids(&kitchen.get(format!("/steps?limit=100&{order}")).await.ok());
            for limit in [1, 3, 7, 20] {
                let pages = walk(kitchen, &format!("limit={limit}&{order}")).await;
                assert_eq!(pages.concat(), all, "{order}, pages of {limit}");
                assert!(pages[..pages.len() - 1].iter().all(|page| page.len() == limit));
            }
        }
    });
}

#[test]
fn pages_lead_back_to_the_first_one() {
    on_kitchen(async |kitchen| {
        steps(kitchen).await;
        for order in ORDERS {
            let parameters = format!("limit=3&{order}");
            let pages = walk(kitchen, &parameters).await;
            let mut page = kitchen.get(format!("/steps?{parameters}")).await.ok();
            while !page["next_cursor"].is_null() {
                page = at(kitchen, &parameters, &page["next_cursor"]).await;
            }
            for expected in pages.iter().rev().skip(1) {
                page = at(kitchen, &parameters, &page["prev_cursor"]).await;
                assert_eq!(ids(&page), *expected, "{order}");
            }
            assert_eq!(page["prev_cursor"], Value::Null, "{order}");
            let next = at(kitchen, &parameters, &page["next_cursor"]).await;
            assert_eq!(ids(&next), pages[1], "{order}");
        }
    });
}

#[test]
fn records_that_come_and_go_are_neither_skipped_nor_repeated() {
    on_kitchen(async |kitchen| {
        let all = steps(kitchen).await;
        let first = kitchen.get("/steps?sort=title&limit=5").await.ok();
        let last_of_page = ids(&first)[4];
        // The record that the cursor is made of goes, one comes before it, and one at the end.
        kitchen.delete(format!("/steps/{last_of_page}")).await.ok();
        create_all(kitchen, "/steps", [json!({ "title": "0" }), json!({ "title": "z" })]).await;
        let mut found = ids(&first);
        let mut page = first.clone();
        while !page["next_cursor"].is_null() {
            page = at(kitchen, "sort=title&limit=5", &page["next_cursor"]).await;
            found.extend(ids(&page));
        }
        assert_eq!(found.len(), all.len() + 1, "those that were there, and the one at the end");
        assert!(all.iter().all(|id| found.contains(id)));
        let before = at(kitchen, "sort=title&limit=5", &page["prev_cursor"]).await;
        assert_eq!(ids(&before), found[found.len() - ids(&page).len() - 5..found.len() - ids(&page).len()]);
    });
}

#[test]
fn empty_pages_lead_to_the_end_of_the_list() {
    on_kitchen(async |kitchen| {
        let all = steps(kitchen).await;
        let first = kitchen.get("/steps?sort=-title&limit=18").await.ok();
        let rest = at(kitchen, "sort=-title&limit=18", &first["next_cursor"]).await;
        for id in ids(&rest) {
            kitchen.delete(format!("/steps/{id}")).await.ok();
        }
        let empty = at(kitchen, "sort=-title&limit=18", &first["next_cursor"]).await;
        assert_eq!((ids(&empty), &empty["next_cursor"]), (vec![], &Value::Null));
        let last = at(kitchen, "sort=-title&limit=18", &empty["prev_cursor"]).await;
        assert_eq!(ids(&last), ids(&first));
        assert_eq!(ids(&last).len() + ids(&rest).len(), all.len());
    });
}

#[test]
fn totals_are_counted_when_asked_for() {
    on_kitchen(async |kitchen| {
        steps(kitchen).await;
        let first = kitchen.get("/steps?rank=1").await;
        assert_eq!(
            first.header("x-total-count"),
            first.json()["total"].as_i64().map(|total| total.to_string()).as_deref()
        );
        let target = format!("/steps?rank=1&cursor={}", first.json()["next_cursor"].as_str().expect("a cursor"));
        let second = kitchen.get(&target).await.ok();
        assert_eq!((&second["total"], &second["page"]), (&Value::Null, &Value::Null));
        let counted = kitchen.get(&target).header("prefer", "count=exact").await;
        assert_eq!(counted.require("preference-applied"), "count=exact");
        assert_eq!(counted.json()["total"], first.json()["total"]);
        assert_eq!(column(counted.json(), "id"), column(&second, "id"));
    });
}

#[test]
fn links_have_the_parameters_of_the_request() {
    on_kitchen(async |kitchen| {
        steps(kitchen).await;
        let condition = r#"{"rank__isnull":false}"#;
        let first = kitchen
            .get(query("/steps", [("sort", "-rank"), ("skip", "0"), ("limit", "2"), ("where", condition)]))
            .await;
        let link = first.require("link").to_owned();
        let target = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\"")).expect(&link);
        assert!(target.starts_with("/steps?sort=%2Drank&limit=2&where="), "{target}");
        let second = kitchen.get(target).await;
        assert_eq!(second.json()["limit"], 2);
        let links: Vec<_> = second
            .headers("link")
            .into_iter()
            .map(|link| link.rsplit("; ").next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(links, ["rel=\"next\"", "rel=\"prev\""]);
        assert!(ids(first.json()).iter().all(|id| !ids(second.json()).contains(id)));
    });
}

#[test]
fn a_cursor_is_of_one_list() {
    on_kitchen(async |kitchen| {
        steps(kitchen).await;
        let page = kitchen.get("/steps?sort=rank&title=a&limit=2").await.ok();
        let cursor = page["next_cursor"].as_str().expect("a cursor");
        kitchen.get(format!("/steps?title=a&limit=5&sort=rank&cursor={cursor}")).await.ok();
        for parameters in [
            "sort=-rank&title=a",
            "title=a",
            "sort=rank",
            "sort=rank&title=b",
            "sort=rank&title=a&rank=1",
            "sort=rank&title=a&only_deleted=true",
        ] {
            let refused = kitchen.get(format!("/steps?{parameters}&cursor={cursor}")).await.problem("cursor_invalid");
            assert_eq!(refused.parameters(), ["cursor"], "{parameters}");
        }
        for wrong in ["", "x", "AAAA", &cursor[1..], &format!("{cursor}A"), &cursor.chars().rev().collect::<String>()] {
            kitchen.get(format!("/steps?sort=rank&title=a&cursor={wrong}")).await.problem("cursor_invalid");
        }
        kitchen.get(format!("/steps?sort=rank&title=a&skip=1&cursor={cursor}")).await.problem("validation_failed");
        kitchen.get(format!("/tags?cursor={cursor}")).await.problem("validation_failed");
    });
}

#[test]
fn searches_continue_by_cursors() {
    on_kitchen(async |kitchen| {
        steps(kitchen).await;
        let search = async |cursor: Value| {
            let mut body = json!({ "where": { "not": { "title": "b" } }, "sort": ["-weight"], "limit": 2 });
            if !cursor.is_null() {
                body["cursor"] = cursor;
            }
            kitchen.post("/steps/search", &body).await
        };
        let first = search(Value::Null).await.ok();
        let second = search(first["next_cursor"].clone()).await;
        assert_eq!(second.header("link"), None, "a link has no body");
        let second = second.ok();
        assert!(ids(&first).iter().all(|id| !ids(&second).contains(id)));
        assert_eq!(ids(&search(second["prev_cursor"].clone()).await.ok()), ids(&first));
        search(json!("x")).await.problem("cursor_invalid");
        search(json!(1)).await.problem("validation_failed");
    });
}
