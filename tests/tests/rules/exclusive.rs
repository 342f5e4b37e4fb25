//! `exclusive(room_id, starts_at..ends_at)`: spans of which no two overlap.

use std::sync::atomic::{AtomicU32, Ordering};

use crud_runtime::prelude::*;
use crud_tests::fixtures::{batch, id};
use crud_tests::{Answer, Api, Backend, Database, on_each_transactional_backend};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
enum Status {
    Requested,
    Approved,
    Cancelled,
}

/// A room.
#[derive(Debug, Clone, Resource)]
struct Room {
    id: i64,
    name: String,
}

/// A booking of a room.
#[derive(Debug, Clone, Resource)]
#[crud(
    soft_delete,
    audit,
    batch,
    import,
    upsert(code),
    filter(room_id),
    exclusive(room_id, starts_at..ends_at, status = any(Requested, Approved))
)]
struct Booking {
    id: i64,
    #[crud(unique, length(max = 40))]
    code: String,
    #[crud(references(Room))]
    room_id: i64,
    starts_at: DateTime<Utc>,
    ends_at: Option<DateTime<Utc>>,
    #[crud(
        default(Status::Requested),
        transitions(
            approve(Requested, Approved),
            cancel(any(Requested, Approved), Cancelled),
            revive(Cancelled, Requested)
        )
    )]
    status: Status,
    deleted_at: Option<DateTime<Utc>>,
}

mod before {
    //! The booking before it had `exclusive`.

    use super::*;

    /// A booking of a room.
    #[derive(Debug, Clone, Resource)]
    #[crud(soft_delete)]
    pub(super) struct Booking {
        id: i64,
        #[crud(unique, length(max = 40))]
        code: String,
        #[crud(references(Room))]
        room_id: i64,
        starts_at: DateTime<Utc>,
        ends_at: Option<DateTime<Utc>>,
        #[crud(default(Status::Requested))]
        status: Status,
        deleted_at: Option<DateTime<Utc>>,
    }
}

/// A stay, with its last night.
#[derive(Debug, Clone, Resource)]
#[crud(batch(mode(partial)), exclusive(bed, first..=last))]
struct Stay {
    id: i64,
    #[crud(length(max = 20))]
    bed: Option<String>,
    first: NaiveDate,
    last: NaiveDate,
}

/// Number of the bookings, of which each has its code.
static BOOKINGS: AtomicU32 = AtomicU32::new(0);

async fn start(database: &Database) -> Api {
    let service = database.service().await.resource::<Room>().resource::<Booking>().resource::<Stay>();
    let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
    api.check_against_document().await;
    for name in ["Red", "Blue"] {
        api.post("/rooms", &json!({ "name": name })).await.expect(201);
    }
    api
}

/// A booking of a room from one hour of a day to another.
fn booking(room: i64, from: u32, to: u32) -> Value {
    let at = |hour: u32| format!("2026-12-01T{hour:02}:00:00Z");
    let code = BOOKINGS.fetch_add(1, Ordering::Relaxed).to_string();
    json!({ "code": code, "room_id": room, "starts_at": at(from), "ends_at": at(to) })
}

async fn book(api: &Api, room: i64, from: u32, to: u32) -> Answer {
    api.post("/bookings", &booking(room, from, to)).await
}

/// The refusal that names the start and the record that is there.
#[track_caller]
fn overlaps(answer: Answer, other: &Value) {
    let problem = answer.problem("conflict");
    let error = problem.only();
    assert_eq!((error.at.as_str(), error.code.as_str()), ("pointer /starts_at", "overlaps"), "{problem}");
    assert_eq!(error.params, json!({ "id": id(other).to_string() }), "{problem}");
    assert_eq!(error.detail, format!("overlaps Booking {}", id(other)));
}

#[test]
fn overlapping_record_is_a_conflict_that_names_the_other_one() {
    on_each_transactional_backend(async |database| {
        let api = start(database).await;
        let first = book(&api, 1, 10, 12).await.created();
        for (from, to) in [(9, 11), (11, 13), (10, 12), (9, 13), (10, 11)] {
            overlaps(book(&api, 1, from, to).await, &first);
        }
        book(&api, 1, 9, 10).await.created();
        book(&api, 1, 12, 13).await.created();
        book(&api, 2, 10, 12).await.created();
        let without_end = |at: &str| json!({ "code": at, "room_id": 2, "starts_at": at, "ends_at": null });
        let open = api.post("/bookings", &without_end("2026-12-01T20:00:00Z")).await.created();
        overlaps(api.post("/bookings", &without_end("2030-01-01T00:00:00Z")).await, &open);
        assert_eq!(api.get("/bookings?room_id=1").await.ok().as_array().map(Vec::len), Some(3));
    });
}

#[test]
fn span_ends_after_it_starts() {
    on_each_transactional_backend(async |database| {
        let api = start(database).await;
        for (from, to) in [(12, 10), (12, 12)] {
            let problem = book(&api, 1, from, to).await.problem("validation_failed");
            assert_eq!((problem.only().at.as_str(), problem.only().code.as_str()), ("pointer /ends_at", "order"));
            assert_eq!(problem.only().params, json!({ "after": "starts_at" }));
        }
        let stay = |first: &str, last: &str| json!({ "bed": "A", "first": first, "last": last });
        api.post("/stays", &stay("2026-12-02", "2026-12-01")).await.problem("validation_failed");
        api.post("/stays", &stay("2026-12-02", "2026-12-02")).await.created();
        api.post("/stays", &stay("2026-12-01", "2026-12-02")).await.problem("conflict");
        api.post("/stays", &stay("2026-12-03", "2026-12-04")).await.created();
        let without = json!({ "first": "2026-12-02", "last": "2026-12-02" });
        api.post("/stays", &without).await.created();
        api.post("/stays", &without).await.created();
    });
}

#[test]
fn every_way_to_a_change_is_checked() {
    on_each_transactional_backend(async |database| {
        let api = start(database).await;
        let first = book(&api, 1, 10, 12).await.created();
        let path = format!("/bookings/{}", id(&book(&api, 1, 14, 16).await.created()));
        let at = |hour: u32| json!({ "starts_at": format!("2026-12-01T{hour:02}:00:00Z") });
        overlaps(api.patch(&path, &at(11)).await, &first);
        api.patch(&path, &at(12)).await.ok();
        // A state that does not count gives the time free.
        api.post(format!("{path}/cancel"), &json!({})).await.ok();
        let second = book(&api, 1, 13, 14).await.created();
        overlaps(api.post(format!("{path}/revive"), &json!({})).await, &second);
        // So does a delete; the restore asks again.
        let deleted = format!("/bookings/{}", id(&second));
        api.delete(&deleted).await.ok();
        let third = book(&api, 1, 13, 14).await.created();
        overlaps(api.post(format!("{deleted}/restore"), &json!({})).await, &third);
        api.post("/bookings/restore", &json!({ "ids": [id(&second)] })).await.problem("conflict");
        // A batch is made whole or not at all.
        let items = batch([booking(2, 8, 10), booking(2, 9, 11)]);
        let problem = api.post("/bookings/batch", &items).await.problem("conflict");
        assert_eq!(problem.items(), [(1, "/starts_at")]);
        assert_eq!(api.get("/bookings?room_id=2").await.ok(), json!([]));
        let lines = format!("{}\n{}\n", booking(2, 8, 10), booking(2, 9, 11));
        let imported = api.request(Method::POST, "/bookings/import").body("application/x-ndjson", lines).await;
        assert_eq!(imported.problem("conflict").lines(), [(2, "/starts_at")]);
        // An upsert changes the record that is there.
        let mut upserted = booking(2, 8, 10);
        upserted["code"] = json!("A");
        api.post("/bookings?on_conflict=code", &upserted).await.created();
        upserted["ends_at"] = json!("2026-12-01T11:00:00Z");
        api.post("/bookings?on_conflict=code", &upserted).await.ok();
        let there = api.get("/bookings?room_id=2").await.ok()[0].clone();
        let moved = json!({ "room_id": 2, "starts_at": "2026-12-01T10:00:00Z" });
        overlaps(api.patch(format!("/bookings/{}", id(&third)), &moved).await, &there);
        // An update of another field asks nothing.
        api.patch(format!("/bookings/{}", id(&third)), &json!({ "code": "B" })).await.ok();
    });
}

#[test]
fn of_forty_who_race_for_a_room_one_wins() {
    on_each_transactional_backend(async |database| {
        let api = start(database).await;
        for round in 0..3 {
            let answers = join_all((0..40).map(|_| book(&api, 1, round * 2, round * 2 + 2))).await;
            let mut statuses: Vec<u16> = answers.iter().map(Answer::status).collect();
            statuses.sort_unstable();
            assert_eq!((statuses[0], &statuses[1..]), (201, &[409; 39][..]), "round {round}");
        }
        assert_eq!(api.get("/bookings?room_id=1").await.ok().as_array().map(Vec::len), Some(3));
    });
}

#[test]
fn records_that_overlap_are_named_where_a_struct_gets_exclusive() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Room>().resource::<before::Booking>();
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        for name in ["Red", "Blue"] {
            api.post("/rooms", &json!({ "name": name })).await.expect(201);
        }
        let cancelled = json!({ "status": "Cancelled" });
        // The fourth is within the third, and ends before the fifth starts.
        for (room, from, to) in [(1, 8, 9), (1, 9, 10), (1, 10, 20), (1, 11, 12), (1, 13, 14), (2, 10, 12), (2, 10, 12)]
        {
            book(&api, room, from, to).await.created();
        }
        api.patch("/bookings/7", &cancelled).await.ok();
        api.stop().await;

        let start = async || {
            let service = database.service().await.resource::<Room>().resource::<Booking>();
            service.migrate().await.map(|_| ()).map_err(|error| error.to_string())
        };
        let error = start().await.expect_err("records overlap");
        assert!(
            error.contains("records of Booking overlap") && error.contains(": 3 and 4, 3 and 5: change"),
            "{error}"
        );

        let service = database.service().await.resource::<Room>().resource::<before::Booking>();
        let api = Api::start(database, service.migrate().await.expect("the former struct starts")).await;
        api.patch("/bookings/3", &cancelled).await.ok();
        api.stop().await;
        start().await.expect("no two overlap");
        start().await.expect("they are checked once");
    });
}

#[test]
fn exclusion_constraint_of_the_database_is_a_conflict_at_the_start() {
    on_each_transactional_backend(async |database| {
        if database.backend() != Backend::Postgres {
            return println!("{}: SKIPPED: it has no exclusion constraints", database.backend().name());
        }
        let api = start(database).await;
        // The constraint concerns cancelled bookings, too: the service's own check passes.
        let constraint = "ALTER TABLE bookings ADD CONSTRAINT bookings_overlap EXCLUDE USING gist ( \
                          int8range(room_id, room_id, '[]') WITH &&, tstzrange(starts_at, ends_at) WITH &&)";
        database.execute(constraint).await;
        let first = book(&api, 1, 10, 12).await.created();
        api.post(format!("/bookings/{}/cancel", id(&first)), &json!({})).await.ok();
        let problem = book(&api, 1, 11, 13).await.problem("conflict");
        assert_eq!((problem.only().at.as_str(), problem.only().code.as_str()), ("pointer /starts_at", "overlaps"));
        book(&api, 2, 11, 13).await.created();
        // Another start of the service leaves the constraint as it is.
        api.stop().await;
        let service = database.service().await.resource::<Room>().resource::<Booking>().resource::<Stay>();
        drop(service.migrate().await.expect("the tables fit"));
        let left = "SELECT CASE COUNT(*) WHEN 1 THEN 'there' END FROM pg_constraint WHERE conname = 'bookings_overlap'";
        assert_eq!(database.texts(left).await, ["there"]);
    });
}
