//! Section 1: a list without pages is streamed, and holds nothing while its client is slow.

use std::time::{Duration, Instant};

use crud_tests::fixtures::{column, records};
use crud_tests::{Api, kitchen, on_each_backend};
use serde_json::json;

#[test]
fn a_long_list_has_every_record_once_in_order() {
    on_each_backend(async |database| {
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        database.fill_entries(100_000).await;
        let api = Api::start(database, service).await;
        let list = api.get("/entries").await.ok();
        assert_eq!(records(&list).len(), 100_000);
        assert!(column(&list, "id").iter().zip(1..).all(|(id, expected)| *id == json!(expected)));
        api.stop().await;
    });
}

#[test]
fn a_long_list_is_filtered_and_sorted_as_a_page_is() {
    on_each_backend(async |database| {
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        database.fill_entries(5_000).await;
        let api = Api::start(database, service).await;
        let list = api.get("/entries?id__gt=100&sort=-text").await.ok();
        let mut expected: Vec<_> = (101..=5_000).map(|id| format!("entry {id}")).collect();
        expected.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(column(&list, "text"), expected);
        api.stop().await;
    });
}

#[test]
fn equal_sort_keys_neither_lose_nor_double_a_record_where_chunks_meet() {
    on_each_backend(async |database| {
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        database.fill_entries(5_000).await;
        database.execute("UPDATE \"entries\" SET \"text\" = 'same' WHERE \"id\" > 10").await;
        let api = Api::start(database, service).await;
        for (sort, ids) in [("text", 5_000), ("-text", 5_000)] {
            let list = api.get(format!("/entries?sort={sort}")).await.ok();
            let mut seen: Vec<_> = column(&list, "id").iter().filter_map(serde_json::Value::as_i64).collect();
            seen.sort_unstable();
            assert_eq!(seen, (1..=ids).collect::<Vec<_>>(), "{sort}");
        }
        api.stop().await;
    });
}

#[test]
fn a_slow_reader_of_a_long_list_holds_no_connection() {
    on_each_backend(async |database| {
        let (service, _pool) = database.service_with_one_connection().await;
        let service = kitchen::kitchen(service).migrate().await.expect("the kitchen's tables");
        database.fill_entries(100_000).await;
        let api = Api::start(database, service).await;
        let mut slow = api.stream("/entries").await;
        let mut read = slow.chunk().await.expect("a chunk").expect("a first chunk").len();
        // The rest of the list does not fit into the buffers between the two: the service has to wait.
        tokio::time::sleep(Duration::from_millis(300)).await;
        for number in 0..5 {
            let begin = Instant::now();
            api.post("/entries", &json!({ "text": format!("new {number}") })).await.created();
            api.get("/entries/7").await.ok();
            assert!(begin.elapsed() < Duration::from_secs(1), "others are not kept waiting");
        }
        while let Some(chunk) = slow.chunk().await.expect("the stream goes on") {
            read += chunk.len();
        }
        assert!(read > 100_000 * 20, "{read} bytes");
        api.stop().await;
    });
}

#[test]
fn a_client_that_goes_away_in_the_middle_of_a_list_leaves_nothing_behind() {
    on_each_backend(async |database| {
        let (service, _pool) = database.service_with_one_connection().await;
        let service = kitchen::kitchen(service).migrate().await.expect("the kitchen's tables");
        database.fill_entries(100_000).await;
        let api = Api::start(database, service).await;
        for _ in 0..10 {
            let mut gone = api.stream("/entries").await;
            gone.chunk().await.expect("a chunk");
        }
        api.get("/entries/7").await.ok();
        api.stop().await;
    });
}
