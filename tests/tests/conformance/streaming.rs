//! An unpaginated list is streamed, and holds no connection while its client is slow.

use crud_tests::fixtures::{column, records};
use crud_tests::{Api, Stored, kitchen, on_each_backend, on_each_backend_with_url, on_each_sql_backend, on_kitchen};
use serde_json::json;

#[test]
fn long_list_has_every_record_once_in_order() {
    on_each_backend(async |database| {
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        let count = database.backend().long_list();
        database.fill_entries(count).await;
        let api = Api::start(database, service).await;
        let list = api.get("/entries").await.ok();
        assert_eq!(records(&list).len(), count as usize);
        assert!(column(&list, "id").iter().zip(1..).all(|(id, expected)| *id == json!(expected)));
        api.stop().await;
    });
}

#[test]
fn headers_state_the_size_of_an_unpaginated_list() {
    on_each_backend(async |database| {
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        database.fill_entries(1_500).await;
        let api = Api::start(database, service).await;
        for (target, total) in [("/entries", 1_500), ("/entries?id__lte=1000", 1_000), ("/entries?id__lte=3", 3)] {
            for request in [api.get(target), api.head(target)] {
                let answer = request.await.expect(200);
                assert_eq!(answer.require("x-total-count"), total.to_string(), "{target}");
                assert_eq!(answer.require("content-range"), format!("entries 0-{}/{total}", total - 1), "{target}");
            }
        }
        let none = api.get("/entries?id__lt=0").await.expect(200);
        assert_eq!(none.require("content-range"), "entries */0");
        let uncounted = api.get("/entries").header("prefer", "count=none").await.expect(200);
        assert_eq!((uncounted.header("x-total-count"), uncounted.header("content-range")), (None, None));
        api.stop().await;
    });
}

#[test]
fn long_list_is_filtered_and_sorted() {
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
fn ties_across_chunks_neither_lose_nor_repeat_records() {
    on_each_backend_with_url(async |database| {
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        database.fill_entries(5_000).await;
        database.set_directly("entries", ("text", Stored::Text("same")), None).await;
        for id in 1..=10 {
            let text = format!("entry {id}");
            database.set_directly("entries", ("text", Stored::Text(&text)), Some(("id", Stored::Number(id)))).await;
        }
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

/// Three values of each sortable field, in order.
const SORTED: [(&str, [&str; 3]); 6] = [
    ("flag", ["false", "false", "true"]),
    ("number", ["-5", "0", "2147483647"]),
    ("score", ["-1e300", "0.1", "0.30000000000000004"]),
    ("amount", ["\"-10.5000\"", "\"9.0000\"", "\"10.0000\""]),
    (
        "moment",
        ["\"1969-07-20T20:17:40.000000Z\"", "\"2026-01-31T00:00:00.000001Z\"", "\"2026-01-31T00:00:00.100000Z\""],
    ),
    (
        "uuid",
        [
            "\"00000000-0000-4000-8000-000000000000\"",
            "\"0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f\"",
            "\"ffffffff-ffff-4fff-bfff-ffffffffffff\"",
        ],
    ),
];

/// The rank of an entry's value in the sort order: 0 for null.
fn rank(number: usize) -> usize {
    number * 7 % 4
}

#[test]
fn keyset_continues_after_nulls_and_ties_of_every_type() {
    on_kitchen(async |kitchen| {
        let count = 1_203;
        for number in 1..=count {
            let value = |values: [&str; 3]| rank(number).checked_sub(1).map_or("null", |rank| values[rank]).to_owned();
            let fields: Vec<_> =
                SORTED.iter().map(|(field, values)| format!("\"{field}\":{}", value(*values))).collect();
            kitchen.post_bytes("/entries", format!("{{\"text\":\"\",{}}}", fields.join(","))).await.created();
        }
        for (field, values) in SORTED {
            // Two of the three values may be equal: then the key decides.
            let key = |id: &usize| rank(*id).checked_sub(1).map(|rank| values.iter().position(|v| *v == values[rank]));
            let mut ascending: Vec<_> = (1..=count).collect();
            ascending.sort_by_key(|id| (key(id), *id));
            let descending: Vec<_> = ascending.iter().rev().copied().collect();
            assert_eq!(column(&kitchen.get(format!("/entries?sort={field}")).await.ok(), "id"), ascending, "{field}");
            assert_eq!(
                column(&kitchen.get(format!("/entries?sort=-{field}")).await.ok(), "id"),
                descending,
                "-{field}"
            );
        }
    });
}

#[test]
fn keyset_continues_in_mixed_directions() {
    on_kitchen(async |kitchen| {
        let count = 1_203_usize;
        for number in 1..=count {
            let body =
                json!({ "text": (number % 3).to_string(), "number": number.is_multiple_of(2).then_some(number % 5) });
            kitchen.post("/entries", &body).await.created();
        }
        let number = |id: usize| id.is_multiple_of(2).then_some(id % 5);
        let mut expected: Vec<_> = (1..=count).collect();
        expected.sort_by(|a, b| (b % 3).cmp(&(a % 3)).then(number(*a).cmp(&number(*b))).then(b.cmp(a)));
        let list = kitchen.get("/entries?sort=-text,number,-id").await.ok();
        assert_eq!(column(&list, "id"), expected);
    });
}

#[test]
fn slow_reader_holds_no_connection() {
    on_each_sql_backend(async |database| {
        let (service, _pool) = database.service_with_one_connection().await;
        let service = kitchen::kitchen(service).migrate().await.expect("the kitchen's tables");
        database.fill_entries(100_000).await;
        let api = Api::start(database, service).await;
        let mut slow = api.stream("/entries").await;
        let mut read = slow.chunk().await.expect("a chunk").expect("a first chunk").len();
        // The rest of the list exceeds the socket buffers: the service has to wait.
        // Without the connection, others are refused.
        for number in 0..20 {
            api.post("/entries", &json!({ "text": format!("new {number}") })).await.created();
            api.get("/entries/7").await.ok();
        }
        while let Some(chunk) = slow.chunk().await.expect("a chunk of the list") {
            read += chunk.len();
        }
        assert!(read > 100_000 * 20, "{read} bytes");
        api.stop().await;
    });
}

#[test]
fn disconnected_client_leaves_no_connection_in_use() {
    on_each_sql_backend(async |database| {
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
