//! Readers that are far behind the log, and logs that are behind their readers.

use crud_tests::{Backend, on_each_sql_backend, on_each_sql_server, on_sqlite};
use serde_json::json;

use crate::board::{Card, NewCard, Stream, ann, card, events, now, poll, service, service_with};

#[test]
fn change_before_more_than_ten_thousand_others_of_its_record_is_a_reset() {
    on_sqlite(async |database| {
        let test = service(database).await.test().await.expect("the service");
        let ann = ann(&test);
        let id = card(&ann, 7, "paint").await;
        let after = now(&ann, "/cards/events").await;
        ann.delete(format!("/cards/{id}")).await.expect(200);
        let changes = format!(
            "INSERT INTO audit_logs (entity_type, entity_id, action, changes, previous) \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 10001) \
             SELECT 'Card', {id}, 'update', '{{\"points\":2}}', '{{\"points\":1}}' FROM n"
        );
        database.execute(&changes).await;
        let (told, _) = poll(&ann, "/cards/events", &after).await;
        let kinds: Vec<_> = told.iter().map(|event| event["type"].as_str().unwrap_or_default()).collect();
        assert_eq!(kinds, ["reset"], "they are not all read");
    });
}

#[test]
fn stream_is_reset_when_a_copy_of_the_database_is_restored_meanwhile() {
    on_sqlite(async |database| {
        let test = service(database).await.test().await.expect("the service");
        let ann = ann(&test);
        let mut stream = Stream::open(&ann, "/cards/events").await;
        let kept = card(&ann, 7, "kept").await;
        assert_eq!(stream.next().await["data"]["title"], "kept");
        let mark = stream.last.clone();
        for title in ["one", "two", "three"] {
            card(&ann, 7, title).await;
            assert_eq!(stream.next().await["data"]["title"], title);
        }
        database.execute(&format!("DELETE FROM cards WHERE id > {kept}")).await;
        database.execute(&format!("DELETE FROM audit_logs WHERE id > {mark}")).await;
        database.execute(&format!("UPDATE sqlite_sequence SET seq = {mark} WHERE name = 'audit_logs'")).await;
        let told = stream.next().await;
        assert_eq!((&told["type"], &told["id"]), (&json!("reset"), &json!(mark)));
        assert!(stream.next_or_end().await.is_none(), "it resumes by another request");
        card(&ann, 7, "new").await;
        let mut stream = Stream::resume(&ann, "/cards/events", Some(&stream.last)).await;
        assert_eq!(stream.next().await["data"]["title"], "new");
    });
}

#[test]
fn numbers_that_are_raised_after_a_restore_tell_clients_that_events_are_lost() {
    on_each_sql_backend(async |database| {
        let before = service(database).await.test().await.expect("the service");
        let ann_before = ann(&before);
        card(&ann_before, 7, "kept").await;
        let kept = now(&ann_before, "/cards/events").await;
        card(&ann_before, 7, "lost").await;
        let lost = now(&ann_before, "/cards/events").await;
        drop((before, ann_before));
        let is_sqlite = database.backend() == Backend::Sqlite;
        let (restored, raised) = if is_sqlite {
            let sequence = |seq: &str| format!("UPDATE sqlite_sequence SET seq = {seq} WHERE name = 'audit_logs'");
            (vec![sequence(&kept)], sequence("seq + 1000000"))
        } else {
            let head = |last: &str| format!("UPDATE events_head SET last = {last}");
            (vec![head(&kept), format!("DELETE FROM events_batch WHERE last > {kept}")], head("last + 1000000"))
        };
        database.execute("DELETE FROM audit_logs WHERE id > 1").await;
        for statement in restored.iter().chain([&raised]) {
            database.execute(statement).await;
        }
        let test = service(database).await.test().await.expect("the service");
        let ann = ann(&test);
        for title in ["one", "two", "three"] {
            card(&ann, 7, title).await;
        }
        ann.get(format!("/cards/events?after={lost}")).await.problem("history_gone");
        let stream = Stream::resume(&ann, "/cards/events", Some(&lost)).await.next().await;
        assert_eq!(stream["type"], "reset");
    });
}

#[test]
fn late_change_is_numbered_beside_a_thousand_numbered_ones() {
    on_each_sql_server(async |database| {
        let events = events();
        let test = service_with(database, events.clone()).await.test().await.expect("the service");
        let store = test.app().store::<Card>();
        let new =
            |number: i64| NewCard { board: number, title: "paint".to_owned(), points: None, price: None, secret: None };
        for chunk in 0..11 {
            store.create_batch((0..100).map(|number| new(chunk * 100 + number))).await.expect("cards");
        }
        events.catch_up().await.expect("they are numbered");
        let after = database.texts("SELECT CAST(last AS CHAR(20)) FROM events_head").await.remove(0).trim().to_owned();
        // It commits late, between entries that were numbered before, in intervals that are watched as one.
        store.create(new(2_000)).await.expect("a card");
        let high = database.texts("SELECT CAST(MAX(id) AS CHAR(20)) FROM audit_logs").await.remove(0).trim().to_owned();
        database.execute(&format!("UPDATE events_head SET high = {high}, open = '[[1,{high}]]'")).await;
        let (told, _) = poll(&ann(&test), "/cards/events", &after).await;
        let boards: Vec<_> = told.iter().map(|event| event["data"]["board"].as_i64()).collect();
        assert_eq!(boards, [Some(2_000)]);
    });
}

#[test]
fn change_of_ten_thousand_records_in_one_transaction_is_told_whole() {
    on_sqlite(async |database| {
        let service =
            service(database).await.limits(|limits| limits.transaction_timeout(std::time::Duration::from_mins(1)));
        let test = service.test().await.expect("the service");
        let ann = ann(&test);
        let mut stream = Stream::open(&ann, "/cards/events").await;
        let new =
            |number: i64| NewCard { board: number, title: "paint".to_owned(), points: None, price: None, secret: None };
        let made = test.app().transaction(async |tx| {
            for chunk in 0..50 {
                tx.store::<Card>().create_batch((0..200).map(|number| new(chunk * 200 + number))).await?;
            }
            Ok::<_, crud_runtime::Error>(())
        });
        made.await.expect("the cards");
        let mut boards = std::collections::BTreeSet::new();
        while boards.len() < 10_000 {
            match stream.next_or_end().await {
                Some(event) => drop(boards.insert(event["data"]["board"].as_i64().expect("a card"))),
                // One that reads too slowly is cut, and resumes.
                None => stream = Stream::resume(&ann, "/cards/events", Some(&stream.last)).await,
            }
        }
    });
}
