//! Filters by a day: `starts_at__on=2026-10-25`, in UTC, in the zone of the record, in a zone that the request names.

use crud_runtime::column::TimeZone;
use crud_runtime::prelude::*;
use crud_tests::fixtures::id;
use crud_tests::{Api, Database, on_each_backend};
use serde_json::{Value, json};

/// A room.
#[derive(Debug, Clone, Resource)]
struct Room {
    id: i64,
    zone: TimeZone,
}

/// A booking, whose room has the time zone.
#[derive(Debug, Clone, Resource)]
#[crud(filter(starts_at, ends_on, code), sort(starts_at), pagination(cursor), time_zone(room::zone))]
struct Booking {
    id: i64,
    #[crud(length(max = 40))]
    code: String,
    #[crud(references(Room))]
    room_id: Option<i64>,
    starts_at: DateTime<Utc>,
    ends_on: Option<NaiveDateTime>,
}

/// A guest of a booking, whose room has the time zone.
#[derive(Debug, Clone, Resource)]
#[crud(filter(comes_at), time_zone(booking))]
struct Guest {
    id: i64,
    #[crud(references(Booking))]
    booking_id: i64,
    comes_at: DateTime<Utc>,
}

/// A call, which has its own time zone.
#[derive(Debug, Clone, Resource)]
#[crud(filter(at, zone), time_zone(zone))]
struct Call {
    id: i64,
    zone: TimeZone,
    at: DateTime<Utc>,
}

/// An entry without a time zone.
#[derive(Debug, Clone, Resource)]
#[crud(filter(at))]
struct Entry {
    id: i64,
    at: Option<DateTime<Utc>>,
}

async fn start(database: &Database) -> Api {
    start_with_app(database).await.0
}

async fn start_with_app(database: &Database) -> (Api, App) {
    let service = database.service().await.resource::<Room>().resource::<Booking>();
    let service =
        service.resource::<Guest>().resource::<Call>().resource::<Entry>().migrate().await.expect("the tables");
    let app = service.app();
    let mut api = Api::start(database, service).await;
    api.check_against_document().await;
    (api, app)
}

async fn create_all(api: &Api, path: &str, bodies: impl IntoIterator<Item = Value>) {
    for body in bodies {
        api.post(path, &body).await.expect(201);
    }
}

/// The values of a field in the list at a path.
async fn listed(api: &Api, path: &str, field: &str) -> Vec<String> {
    let answer = api.get(path).await.ok();
    let items = answer.as_array().cloned().unwrap_or_else(|| answer["data"].as_array().expect("a page").clone());
    items.iter().map(|item| item[field].as_str().map_or_else(|| item[field].to_string(), str::to_owned)).collect()
}

#[test]
fn day_has_the_midnights_of_the_record_s_zone() {
    on_each_backend(async |database| {
        let api = start(database).await;
        create_all(&api, "/rooms", ["Europe/Berlin", "America/New_York", "UTC"].map(|zone| json!({ "zone": zone })))
            .await;
        let booking =
            |code: &str, room: Option<i64>, at: &str| json!({ "code": code, "room_id": room, "starts_at": at });
        // The day on which Berlin's clocks are set back has 25 hours, from 22:00 to 23:00 in UTC.
        create_all(
            &api,
            "/bookings",
            [
                booking("berlin before", Some(1), "2026-10-24T21:59:59.999999Z"),
                booking("berlin first", Some(1), "2026-10-24T22:00:00Z"),
                booking("berlin last", Some(1), "2026-10-25T22:59:59.999999Z"),
                booking("berlin after", Some(1), "2026-10-25T23:00:00Z"),
                booking("new york before", Some(2), "2026-10-25T03:59:59Z"),
                booking("new york first", Some(2), "2026-10-25T04:00:00Z"),
                booking("new york last", Some(2), "2026-10-26T03:59:59Z"),
                booking("new york after", Some(2), "2026-10-26T04:00:00Z"),
                booking("utc", Some(3), "2026-10-25T00:00:00Z"),
                booking("nowhere", None, "2026-10-25T12:00:00Z"),
            ],
        )
        .await;
        let expected = ["berlin first", "utc", "new york first", "berlin last", "new york last"];
        assert_eq!(listed(&api, "/bookings?starts_at__on=2026-10-25&sort=starts_at", "code").await, expected);
        let in_json = r#"/bookings?where={"and":[{"starts_at__on":"2026-10-25"},{"code__startswith":"berlin"}]}"#;
        assert_eq!(listed(&api, in_json, "code").await, ["berlin first", "berlin last"]);
        let others = r#"/bookings?where={"not":{"starts_at__on":"2026-10-25"}}&sort=starts_at"#;
        let outside = ["berlin before", "new york before", "berlin after", "new york after"];
        let found = listed(&api, others, "code").await;
        assert_eq!(
            found.iter().filter(|code| *code != "nowhere").collect::<Vec<_>>(),
            outside.iter().collect::<Vec<_>>()
        );
        // A zone in the request is before the record's.
        let named = listed(&api, "/bookings?starts_at__on=2026-10-25[UTC]&sort=starts_at", "code").await;
        assert_eq!(named[..3], ["utc", "new york before", "new york first"]);
    });
}

#[test]
fn day_has_the_zone_that_the_referred_record_s_struct_states() {
    on_each_backend(async |database| {
        let api = start(database).await;
        create_all(&api, "/rooms", ["Europe/Berlin", "Asia/Tokyo"].map(|zone| json!({ "zone": zone }))).await;
        let booking = |room: i64| json!({ "code": "a", "room_id": room, "starts_at": "2026-10-25T00:00:00Z" });
        create_all(&api, "/bookings", [booking(1), booking(2)]).await;
        // Half past midnight in Berlin, half past seven in Tokyo.
        let guest = |booking: i64| json!({ "booking_id": booking, "comes_at": "2026-10-24T22:30:00Z" });
        create_all(&api, "/guests", [guest(1), guest(2)]).await;
        assert_eq!(listed(&api, "/guests?comes_at__on=2026-10-25", "id").await, ["1", "2"]);
        assert!(listed(&api, "/guests?comes_at__on=2026-10-24", "id").await.is_empty());
        let early = |booking: i64| json!({ "booking_id": booking, "comes_at": "2026-10-24T21:30:00Z" });
        create_all(&api, "/guests", [early(1), early(2)]).await;
        assert_eq!(listed(&api, "/guests?comes_at__on=2026-10-24", "id").await, ["3"]);
    });
}

#[test]
fn day_of_23_hours_and_day_that_a_zone_skips() {
    on_each_backend(async |database| {
        let api = start(database).await;
        let call = |zone: &str, at: &str| json!({ "zone": zone, "at": at });
        create_all(
            &api,
            "/calls",
            [
                call("Europe/Berlin", "2027-03-27T23:00:00Z"),
                call("Europe/Berlin", "2027-03-28T21:59:59Z"),
                call("Europe/Berlin", "2027-03-28T22:00:00Z"),
                // Samoa went from 29 to 31 December 2011.
                call("Pacific/Apia", "2011-12-30T09:59:59Z"),
                call("Pacific/Apia", "2011-12-30T10:00:00Z"),
                // Clocks in Beirut go from 23:59 to 01:00.
                call("Asia/Beirut", "2026-03-28T22:00:00Z"),
                call("Asia/Beirut", "2026-03-29T20:59:59Z"),
                call("Asia/Beirut", "2026-03-29T21:00:00Z"),
            ],
        )
        .await;
        assert_eq!(listed(&api, "/calls?at__on=2027-03-28", "id").await, ["1", "2"]);
        assert_eq!(listed(&api, "/calls?at__on=2027-03-29", "id").await, ["3"]);
        assert_eq!(listed(&api, "/calls?at__on=2011-12-29", "id").await, ["4"]);
        assert!(listed(&api, "/calls?at__on=2011-12-30", "id").await.is_empty());
        assert_eq!(listed(&api, "/calls?at__on=2011-12-31", "id").await, ["5"]);
        assert_eq!(listed(&api, "/calls?at__on=2026-03-29", "id").await, ["6", "7"]);
        assert_eq!(listed(&api, "/calls?zone=Asia/Beirut&at__on=2026-03-30", "id").await, ["8"]);
    });
}

#[test]
fn day_without_a_zone_is_that_of_utc_and_of_times_without_zone_their_own() {
    on_each_backend(async |database| {
        let api = start(database).await;
        let times =
            ["2026-11-27T23:59:59Z", "2026-11-28T00:00:00Z", "2026-11-28T23:59:59.999999Z", "2026-11-29T00:00:00Z"];
        create_all(&api, "/entries", times.map(|at| json!({ "at": at }))).await;
        create_all(&api, "/entries", [json!({ "at": null })]).await;
        assert_eq!(listed(&api, "/entries?at__on=2026-11-28", "id").await, ["2", "3"]);
        assert_eq!(listed(&api, "/entries?at__on=2026-11-28[Asia/Tokyo]", "id").await, ["1", "2"]);
        let booking = |ends: &str| json!({ "code": ends, "starts_at": "2026-01-01T00:00:00Z", "ends_on": ends });
        let ends = ["2026-11-27T23:59:59.000000", "2026-11-28T00:00:00.000000", "2026-11-29T00:00:00.000000"];
        create_all(&api, "/bookings", ends.map(booking)).await;
        assert_eq!(listed(&api, "/bookings?ends_on__on=2026-11-28", "code").await, [ends[1]]);
    });
}

#[test]
fn text_that_is_no_day_or_no_zone_is_refused() {
    on_each_backend(async |database| {
        let api = start(database).await;
        for (day, detail) in [
            ("yesterday", "must be a day such as 2026-01-31, or 2026-01-31[Europe/Berlin] of a time zone"),
            ("2026-02-30", "must be a day such as 2026-01-31, or 2026-01-31[Europe/Berlin] of a time zone"),
            (
                "2026-02-03[Europe/Berlin",
                "must be a day such as 2026-01-31, or 2026-01-31[Europe/Berlin] of a time zone",
            ),
            ("2026-02-03T00:00:00Z", "must be a day such as 2026-01-31, or 2026-01-31[Europe/Berlin] of a time zone"),
            ("0000-01-01", "must be within the years 0001 to 9998"),
            ("9999-12-31", "must be within the years 0001 to 9998"),
        ] {
            let problem = api.get(format!("/entries?at__on={day}")).await.problem("validation_failed");
            assert_eq!((problem.only().at.as_str(), &*problem.only().detail), ("parameter at__on", detail), "{day}");
        }
        let problem = api.get("/entries?at__on=2026-02-03[Europe/Berlni]").await.problem("validation_failed");
        assert!(problem.only().detail.contains("did you mean `Europe/Berlin`?"), "{problem}");
        let problem = api.get("/bookings?ends_on__on=2026-02-03[UTC]").await.problem("validation_failed");
        assert_eq!(problem.only().detail, "must be a day alone: the field has no time zone");
        let problem = api.get("/bookings?code__on=2026-02-03").await.problem("validation_failed");
        assert_eq!(problem.only().code, "unknown_operator");
        let problem = api.post("/rooms", &json!({ "zone": "Berlin" })).await.problem("validation_failed");
        assert_eq!(problem.only().at, "pointer /zone");
    });
}

#[test]
fn pages_of_a_day_and_days_in_rust() {
    on_each_backend(async |database| {
        let (api, app) = start_with_app(database).await;
        let room = api.post("/rooms", &json!({ "zone": "Europe/Berlin" })).await.created();
        for hour in 0..30 {
            let at = format!("2026-11-{:02}T{:02}:00:00Z", 27 + (hour + 20) / 24, (hour + 20) % 24);
            create_all(&api, "/bookings", [json!({ "code": at, "room_id": id(&room), "starts_at": at })]).await;
        }
        let mut path = "/bookings?starts_at__on=2026-11-28&limit=10".to_owned();
        let (mut found, mut pages) = (0, 0);
        loop {
            let page = api.get(&path).await.ok();
            found += page["data"].as_array().expect("a page").len();
            pages += 1;
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("/bookings?starts_at__on=2026-11-28&limit=10&cursor={cursor}");
        }
        assert_eq!((found, pages), (24, 3));
        let berlin: TimeZone = "Europe/Berlin".parse().expect("a zone");
        let day = NaiveDate::from_ymd_opt(2026, 11, 28).expect("a day");
        let of_day = Booking::FIELDS.starts_at.on(day, &berlin.tz());
        let found = app.store::<Booking>().list(of_day.order_by(Booking::FIELDS.starts_at.asc())).await;
        assert_eq!(found.expect("bookings").len(), 24);
    });
}
