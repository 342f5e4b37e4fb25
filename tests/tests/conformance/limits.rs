//! Requests beyond a database's own limits are refused or answered, and never 500.

use std::time::Duration;

use crud_tests::fixtures::{category, column, dense_with};
use crud_tests::{
    Answer, Api, Backend, Client, Request, long, on_each_sql_backend, on_kitchen, on_shop, pause, query, wait_until,
};
use serde_json::json;

/// Checks the status of a list whose query is merely large.
async fn assert_answered(client: &Client, target: String) {
    let answer = client.get(target).await;
    assert!(matches!(answer.status(), 200 | 414 | 422), "{}", answer.status());
}

#[test]
fn query_is_limited_to_a_hundred_filters() {
    on_shop(async |shop| {
        for filter in ["stock=1&", "stock__ne=1&", "name__like=%25a&"] {
            shop.get(format!("/products?{}", filter.repeat(100))).await.expect(200);
            for count in [101, 200] {
                shop.get(format!("/products?{}", filter.repeat(count))).await.problem("query_too_complex");
            }
        }
    });
}

#[test]
fn query_may_have_thousands_of_values() {
    on_kitchen(async |kitchen| {
        let values = format!("{}1", "1,".repeat(99));
        let fields = ["id", "small", "medium", "large", "unsigned", "single", "double", "text", "decimal"];
        let lists = fields.iter().flat_map(|field| [format!("{field}__in={values}"), format!("{field}__nin={values}")]);
        kitchen.get(format!("/dense?{}", lists.collect::<Vec<_>>().join("&"))).await.expect(200);
    });
}

#[test]
fn pattern_may_be_as_long_as_a_query() {
    on_kitchen(async |kitchen| {
        let text = "x".repeat(8_000);
        kitchen.post("/dense", &dense_with("text", json!(text))).await.created();
        for operator in ["like", "ilike"] {
            let list = kitchen.get(format!("/dense?text__{operator}={text}")).await;
            assert!(matches!(list.status(), 200 | 422), "{}", list.status());
            assert_answered(kitchen, format!("/dense?text__{operator}={}", "%25".repeat(2_600))).await;
            assert_answered(kitchen, format!("/dense?text__{operator}={}", "[".repeat(8_000))).await;
        }
    });
}

#[test]
fn sort_may_name_every_field() {
    on_kitchen(async |kitchen| {
        let fields = [
            "flag", "small", "medium", "large", "unsigned", "single", "double", "text", "instant", "day", "time",
            "local", "uuid", "decimal", "priority", "sku", "id",
        ];
        kitchen.post("/dense", &crud_tests::fixtures::dense()).await.created();
        let list = kitchen.get(format!("/dense?sort={}", fields.join(",-"))).await.ok();
        assert_eq!(list["total"], 1);
    });
}

#[test]
fn decimal_filter_out_of_range_is_not_an_error_500() {
    on_kitchen(async |kitchen| {
        for decimal in ["-10.5", "9", "10"] {
            kitchen.post("/sparse", &json!({ "decimal": decimal })).await.created();
        }
        let huge = "9".repeat(40);
        for value in [huge.as_str(), "79228162514264337593543950335", "1e30", "922337203685477.5808", "-1e28"] {
            for operator in ["", "__gt", "__lt", "__in", "__nin"] {
                let answer = kitchen.get(query("/sparse", [(format!("decimal{operator}").as_str(), value)])).await;
                assert!(matches!(answer.status(), 200 | 422), "{answer}");
            }
        }
    });
}

#[test]
fn decimal_filter_is_compared_without_rounding() {
    on_kitchen(async |kitchen| {
        for decimal in ["1.0000", "1.0001"] {
            kitchen.post("/sparse", &json!({ "decimal": decimal })).await.created();
        }
        for (filter, expected) in [("decimal__gt", vec![2]), ("decimal__lt", vec![1]), ("decimal", vec![])] {
            let answer = kitchen.get(format!("/sparse?{filter}=1.00005&sort=id")).await;
            if answer.status() == 200 {
                assert_eq!(column(answer.json(), "id"), expected, "{filter}: the value was rounded");
            } else {
                assert_eq!(answer.problem("validation_failed").parameters(), [filter]);
            }
        }
    });
}

#[test]
fn write_to_a_locked_database_is_503_and_reads_continue() {
    // The lock timeout is five seconds.
    if !long("limits") {
        return;
    }
    on_each_sql_backend(async |database| {
        let api =
            Api::start(database, shop::open_shop(database.service().await).migrate().await.expect("the tables")).await;
        category(&api, "Lamps").await;
        let writer = database.block_writers().await;
        let client = Client::clone(&api);
        let write = tokio::spawn(async move { client.post("/categories", &json!({ "name": "Chairs" })).await });
        assert_eq!(api.get("/categories").await.ok()["total"], 1);
        assert!(!write.is_finished(), "a reader waited for a writer");
        write.await.expect("no panic").problem("unavailable");
        drop(writer);
        category(&api, "Tables").await;
        api.stop().await;
    });
}

#[test]
fn timed_out_change_holds_no_lock() {
    on_each_sql_backend(async |database| {
        let service = shop::open_shop(database.service().await)
            .limits(|limits| limits.request_timeout(Duration::from_millis(200)));
        let api = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let lamps = category(&api, "Lamps").await;
        let path = format!("/categories/{lamps}");
        let writer = database.block_writers().await;
        api.post("/categories", &json!({ "name": "Chairs" })).await.problem("timeout");
        api.put(&path, &json!({ "name": "Lights" })).await.problem("timeout");
        api.delete(&path).await.problem("timeout");
        drop(writer);
        // The cancelled changes may still be applied; then later ones must succeed.
        wait_until("a change succeeds", async || {
            api.post("/categories", &json!({ "name": "Sofas" })).await.status() < 500
        })
        .await;
        for number in 0..20 {
            category(&api, &format!("Category {number}")).await;
        }
        api.stop().await;
    });
}

/// The answer to a request that is sent again while the line for the database is too long.
async fn answered<'c>(request: impl Fn() -> Request<'c>) -> Answer {
    loop {
        let answer = request().await;
        if answer.status() != 503 {
            return answer;
        }
        assert_eq!(answer.header("retry-after"), Some("1"));
        pause("the answer asks for it", Duration::from_secs(1)).await;
    }
}

#[test]
fn concurrent_clients_are_all_answered() {
    on_shop(async |shop| {
        // The tests' document server runs one command at a time, and reads every document for each.
        let count = if shop.backend() == Backend::MongoDb { 50 } else { 200 };
        let mut clients = tokio::task::JoinSet::new();
        for number in 0..count {
            let client = Client::clone(shop);
            clients.spawn(async move {
                let body = json!({ "name": number.to_string() });
                let created = answered(|| client.post("/categories", &body)).await.created();
                let path = format!("/categories/{}", created["id"]);
                let change = json!({ "description": "x" });
                answered(|| client.put(&path, &change)).await.ok();
                answered(|| client.get(&path)).await.ok();
                answered(|| client.get("/categories?limit=5")).await.ok();
                answered(|| client.delete(&path)).await.ok();
            });
        }
        assert_eq!(clients.join_all().await.len(), count);
        assert_eq!(shop.get("/categories").await.ok()["total"], 0);
    });
}
