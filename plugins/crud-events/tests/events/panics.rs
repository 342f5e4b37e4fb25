//! Functions of the program that panic.

use std::time::Duration;

use crud_runtime::prelude::*;
use crud_tests::{on_sqlite, within};

use crate::board::{Stream, ann, card, events, now, poll, service_with};

/// A poem, whose computed field panics for an empty one.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(public)))]
struct Poem {
    id: i64,
    text: String,
    #[crud(computed(Poem::title))]
    title: String,
}

impl Poem {
    fn title(&self, _: &RequestContext<'_>) -> String {
        self.text.lines().next().expect("a first line").to_owned()
    }
}

#[test]
fn record_that_cannot_be_rendered_ends_the_streams_of_its_views_alone() {
    on_sqlite(async |database| {
        let service = service_with(database, events().resource::<Poem>()).await.resource::<Poem>();
        let test = service.test().await.expect("the service");
        let ann = ann(&test);
        let mut cards = Stream::open(&ann, "/cards/events").await;
        let mut poems = Stream::open(&ann, "/poems/events").await;
        let store = test.app().store::<Poem>();
        let poem = store.create(NewPoem { text: String::new() }).await.expect("a poem");
        assert!(poems.next_or_end().await.is_none(), "its event cannot be sent");
        card(&ann, 7, "paint").await;
        assert_eq!(cards.next().await["data"]["title"], "paint");
        store.update(poem.id, PoemPatch::default().text("Roses\nare red".to_owned())).await.expect("a change");
        let mut poems = Stream::resume(&ann, "/poems/events", Some(&poems.last)).await;
        assert_eq!(poems.next().await["data"]["title"], "Roses");
    });
}

#[test]
fn record_that_cannot_be_rendered_holds_up_no_other_stream() {
    on_sqlite(async |database| {
        let service = service_with(database, events().resource::<Poem>()).await.resource::<Poem>();
        let test = service.test().await.expect("the service");
        let ann = ann(&test);
        let mut cards = Stream::open(&ann, "/cards/events").await;
        let followed = async {
            for _ in 0..5 {
                let mut poems = Stream::open(&ann, "/poems/events").await;
                let store = test.app().store::<Poem>();
                store.create(NewPoem { text: String::new() }).await.expect("a poem");
                card(&ann, 7, "paint").await;
                assert_eq!(cards.next().await["data"]["title"], "paint");
                assert!(poems.next_or_end().await.is_none(), "its event cannot be sent");
            }
        };
        within(Duration::from_secs(1), "five events", followed).await;
    });
}

#[test]
fn reader_that_resumes_before_a_record_that_cannot_be_rendered_is_told_to_list_again() {
    on_sqlite(async |database| {
        let service = service_with(database, events().resource::<Poem>()).await.resource::<Poem>();
        let test = service.test().await.expect("the service");
        let ann = ann(&test);
        let before = now(&ann, "/poems/events").await;
        let store = test.app().store::<Poem>();
        store.create(NewPoem { text: String::new() }).await.expect("a poem");
        let (told, _) = poll(&ann, "/poems/events", &before).await;
        assert_eq!((told.len(), told[0]["type"].as_str()), (1, Some("reset")));
        let mut stream = Stream::resume(&ann, "/poems/events", Some(&before)).await;
        assert_eq!(stream.next().await["type"], "reset");
        store.create(NewPoem { text: "Roses".to_owned() }).await.expect("a poem");
        assert_eq!(stream.next().await["data"]["title"], "Roses");
    });
}
