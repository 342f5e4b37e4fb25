//! Links that need no login: the display of a room, the calendar of a member.

use serde_json::json;

use crate::world::{MIA, NORA, OTTO, column, on_each};

/// Starts of the bookings of a day.
fn starts(day: &serde_json::Value) -> Vec<&str> {
    let bookings = day["bookings"].as_array().expect("bookings");
    bookings.iter().filter_map(|booking| booking["starts_at"].as_str()).collect()
}

#[test]
fn display_shows_the_day_of_its_room_without_names() {
    on_each(async |world| {
        let (mia, nora) = (world.login(MIA).await, world.login(NORA).await);
        let room = mia.key("/rooms", "Fjord").await;
        mia.post(format!("/rooms/{room}/display"), json!({})).await.problem("permission_denied");
        let url = nora.post(format!("/rooms/{room}/display"), json!({})).await.expect(200).json();
        let url = url["url"].as_str().expect("a path").to_owned();
        let answer = world.test.get(format!("{url}/day")).await.expect(200);
        let day = answer.json();
        assert_eq!(
            (&day["room"], &day["location"], &day["day"]),
            (&json!("Fjord"), &json!("Berlin"), &json!("2026-10-19"))
        );
        assert_eq!(starts(&day), ["2026-10-19T07:15:00Z", "2026-10-19T09:00:00Z"]);
        for hidden in ["Stand-up", "Design review", "Mia", "member"] {
            assert!(!answer.text().contains(hidden), "{}", answer.text());
        }
        assert!(mia.get(format!("/rooms/{room}")).await.expect(200).json().get("display_key").is_none());
        // A new address takes the place of the former one.
        nora.post(format!("/rooms/{room}/display"), json!({})).await.expect(200);
        world.test.get(format!("{url}/day")).await.problem("not_found");
        world.test.get("/display/0/day").await.problem("malformed_request");
    });
}

#[test]
fn day_of_a_display_is_that_of_its_location_when_clocks_change() {
    on_each(async |world| {
        let nora = world.login(NORA).await;
        let room = nora.key("/rooms", "Elbe").await;
        // The first and the last hour of a day of 25 hours and one of 23, and the hours around them, by Hamburg's clock.
        for (day, edges) in [
            (
                "2026-10-25",
                ["2026-10-24T21:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T22:00:00Z", "2026-10-25T23:00:00Z"],
            ),
            (
                "2027-03-28",
                ["2027-03-27T22:00:00Z", "2027-03-27T23:00:00Z", "2027-03-28T21:00:00Z", "2027-03-28T22:00:00Z"],
            ),
        ] {
            for start in edges {
                let end = crate::world::time(start) + crud_runtime::prelude::TimeDelta::hours(1);
                let body = json!({ "room_id": room, "title": "Watch", "starts_at": start, "ends_at": end });
                nora.create("/bookings", body).await;
            }
            let url = nora.post(format!("/rooms/{room}/display"), json!({})).await.expect(200).json();
            let path = format!("{}/day?on={day}", url["url"].as_str().expect("a path"));
            assert_eq!(starts(&world.test.get(path).await.expect(200).json()), edges[1..3]);
            // The filter of bookings has the same day: it takes the zone of the room's location.
            let listed = nora.list(format!("/bookings?room_id={room}&starts_at__on={day}")).await;
            let expected = edges[1..3].iter().map(|edge| edge.replace('Z', ".000000Z")).collect::<Vec<_>>();
            assert_eq!(column(&listed, "starts_at"), expected);
        }
    });
}

#[test]
fn calendar_has_the_bookings_of_its_member() {
    on_each(async |world| {
        let mia = world.login(MIA).await;
        let room = mia.key("/rooms", "Polar").await;
        let title = "Lunch, with; all";
        let booking = mia.book(room, ("11:00", "12:00"), json!({ "title": title })).await.expect(201).json();
        let cancelled = mia.book(room, ("13:00", "14:00"), json!({ "title": "Gone" })).await.expect(201).json();
        mia.post(format!("/bookings/{}/cancel", cancelled["id"]), json!({})).await.expect(200);
        let url = mia.post("/calendar", json!({})).await.expect(200).json();
        let url = url["url"].as_str().expect("a path").to_owned();
        let answer = world.test.get(&url).await.expect(200);
        assert_eq!(answer.header("content-type"), Some("text/calendar; charset=utf-8"));
        let calendar: icalendar::Calendar = answer.text().parse().expect("a calendar");
        let found = calendar
            .events()
            .find(|event| icalendar::Component::get_uid(*event) == Some(&format!("booking-{}@booking", booking["id"])));
        let event = found.expect("the booking");
        assert_eq!(icalendar::Component::get_summary(event), Some(title));
        assert_eq!(icalendar::EventLike::get_location(event), Some("Polar"));
        let starts = |event: &icalendar::Event| icalendar::Component::get_start(event);
        assert_eq!(starts(event), Some(crate::world::time("2026-11-03T11:00:00Z").into()));
        let titles: Vec<&str> = calendar.events().filter_map(icalendar::Component::get_summary).collect();
        assert!(titles.contains(&"Stand-up") && titles.contains(&"Retrospective"), "{titles:?}");
        assert!(!titles.contains(&"Gone") && !titles.contains(&"Budget"), "{titles:?}");
        mia.post("/calendar", json!({})).await.expect(200);
        world.test.get(&url).await.problem("not_found");
        world.test.get("/calendar/x/bookings.ics").await.problem("malformed_request");
    });
}

#[test]
fn utilisation_is_minutes_by_room_and_week() {
    on_each(async |world| {
        let otto = world.login(OTTO).await;
        let path = "/bookings/aggregate?group_by=room_id,starts_at:week&sum=minutes&status=approved&tz=Europe/Lisbon";
        let groups = otto.list(path).await;
        assert_eq!(column(&groups, "starts_at"), ["2026-W43"]);
        assert_eq!(groups["data"][0]["sum"]["minutes"], 60);
    });
}
