//! Several servers of one database, and transactions that commit late.

use crud_tests::on_each_sql_server;
use serde_json::json;

use crate::board::{Folded, Stream, ann, card, now, poll, service};

#[test]
fn transaction_that_commits_late_has_a_later_number_and_is_not_missed() {
    on_each_sql_server(async |database| {
        let test = service(database).await.test().await.expect("the service");
        let ann = ann(&test);
        let (first, second) = (card(&ann, 7, "paint").await, card(&ann, 7, "sand").await);
        let mut stream = Stream::open(&ann, "/cards/events").await;
        let after = now(&ann, "/cards/events").await;
        let mut late = database.begin_transaction().await;
        late.execute(&format!("UPDATE cards SET title = 'late' WHERE id = {first}")).await;
        late.execute(&format!(
            "INSERT INTO audit_logs (entity_type, entity_id, action, changes, previous) VALUES \
             ('Card', {first}, 'update', '{{\"title\":\"late\"}}', '{{\"title\":\"paint\"}}')"
        ))
        .await;
        for title in ["one", "two", "three"] {
            ann.patch(format!("/cards/{second}"), json!({ "title": title })).await.expect(200);
            assert_eq!(stream.next().await["data"]["title"], title, "others do not wait for it");
        }
        let (_, between) = poll(&ann, "/cards/events", &after).await;
        late.commit().await;
        let told = stream.next().await;
        assert_eq!((&told["record_id"], &told["data"]["title"]), (&json!(first), &json!("late")));
        let (told, _) = poll(&ann, "/cards/events", &between).await;
        assert_eq!(told.len(), 1, "who has read what was there gets it afterwards: {told:?}");
        assert_eq!(told[0]["record_id"], json!(first));
    });
}

#[test]
fn servers_of_one_database_number_each_change_once() {
    on_each_sql_server(async |database| {
        let one = service(database).await.test().await.expect("a server");
        let two = service(database).await.test().await.expect("a server");
        let (one, two) = (ann(&one), ann(&two));
        let (mut folded, after) = Folded::list(&one, "/cards").await;
        let mut streams = [
            Stream::resume(&one, "/cards/events", Some(&after)).await,
            Stream::resume(&two, "/cards/events", Some(&after)).await,
        ];
        let writers = [one.clone(), two.clone(), one.clone(), two.clone()].map(|server| {
            tokio::spawn(async move {
                for number in 0..25 {
                    let id = card(&server, number, "paint").await;
                    server.patch(format!("/cards/{id}"), json!({ "title": number.to_string() })).await.expect(200);
                }
            })
        });
        for writer in writers {
            writer.await.expect("a writer");
        }
        let last = card(&one, 7, "last").await;
        for stream in &mut streams {
            let mut ids = Vec::new();
            loop {
                let event = stream.next().await;
                ids.push(event["id"].as_str().and_then(|id| id.parse::<i64>().ok()).expect("a number"));
                folded.apply(&event);
                if event["record_id"] == json!(last) {
                    break;
                }
            }
            assert!(ids.is_sorted() && ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
            let mut listed = Folded::default();
            for page in 0..3 {
                let (more, _) = Folded::list(&one, &format!("/cards?skip={}", page * 100)).await;
                listed.0.extend(more.0);
            }
            assert_eq!(listed.0.len(), 101);
            assert_eq!(folded, listed);
            folded = Folded::default();
        }
    });
}

#[test]
fn changes_that_no_server_has_numbered_are_numbered_by_the_next_one() {
    on_each_sql_server(async |database| {
        let before = service(database).await.test().await.expect("a server");
        let after = now(&ann(&before), "/cards/events").await;
        // Its changes are committed and not numbered: nothing follows them, as after a crash.
        for number in 0..5 {
            card(&ann(&before), number, "paint").await;
        }
        drop(before);
        let next = service(database).await.test().await.expect("a server");
        let (told, _) = poll(&ann(&next), "/cards/events", &after).await;
        let boards: Vec<_> = told.iter().map(|event| event["data"]["board"].as_i64()).collect();
        assert_eq!(boards, (0..5).map(Some).collect::<Vec<_>>());
    });
}
