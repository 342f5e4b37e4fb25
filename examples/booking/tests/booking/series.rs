//! Bookings that recur.

use serde_json::json;

use crate::world::{EMRE, MIA, column, on_each};

#[test]
fn series_keeps_its_hour_when_clocks_change() {
    on_each(async |world| {
        let mia = world.login(MIA).await;
        let room = mia.key("/rooms", "Alster").await;
        // Nine o'clock in Hamburg, before and after 25 October.
        let body = json!({
            "room_id": room, "title": "Call", "rule": "FREQ=WEEKLY;COUNT=3",
            "starts_at": "2026-10-20T07:00:00Z", "ends_at": "2026-10-20T08:00:00Z",
        });
        let series = mia.create("/series", body).await;
        let bookings = mia.list(format!("/bookings?series_id={}", series["id"])).await;
        let expected = ["2026-10-20T07:00:00.000000Z", "2026-10-27T08:00:00.000000Z", "2026-11-03T08:00:00.000000Z"];
        assert_eq!(column(&bookings, "starts_at"), expected);
        assert_eq!(column(&bookings, "ends_at")[1], "2026-10-27T09:00:00.000000Z");
    });
}

#[test]
fn series_with_a_taken_time_makes_no_booking() {
    on_each(async |world| {
        let (mia, emre) = (world.login(MIA).await, world.login(EMRE).await);
        let room = mia.key("/rooms", "Elbe").await;
        let taken = emre.book(room, ("08:00", "09:00"), json!({})).await.expect(201).json();
        let body = json!({
            "room_id": room, "title": "Call", "rule": "FREQ=WEEKLY;COUNT=3",
            "starts_at": "2026-10-20T07:00:00Z", "ends_at": "2026-10-20T08:00:00Z",
        });
        let problem = mia.post("/series", body).await.problem("conflict");
        assert_eq!(problem["errors"][0]["params"]["id"], taken["id"].to_string());
        assert_eq!(mia.list("/bookings?q=Call").await["total"], 0);
    });
}

#[test]
fn wrong_rule_is_refused_at_its_field() {
    on_each(async |world| {
        let mia = world.login(MIA).await;
        let room = mia.key("/rooms", "Elbe").await;
        for rule in ["FREQ=SOMETIMES", "FREQ=DAILY", "FREQ=WEEKLY;COUNT=3\nDTSTART:19700101T000000Z"] {
            let body = json!({
                "room_id": room, "title": "Call", "rule": rule,
                "starts_at": "2026-10-20T07:00:00Z", "ends_at": "2026-10-20T08:00:00Z",
            });
            let problem = mia.post("/series", body).await.problem("validation_failed");
            assert_eq!(problem["errors"][0]["pointer"], "/rule", "{problem}");
        }
    });
}

#[test]
fn deleted_series_cancels_what_is_ahead() {
    on_each(async |world| {
        let (mia, emre) = (world.login(MIA).await, world.login(EMRE).await);
        let series = &mia.list("/series").await["data"][0];
        emre.delete(format!("/series/{}", series["id"])).await.problem("permission_denied");
        // Wednesday noon: the stand-ups of three days have been.
        world.test.clock().set(crate::world::time("2026-10-21T10:00:00Z"));
        let mia = world.login(MIA).await;
        mia.delete(format!("/series/{}", series["id"])).await.expect(200);
        let count = async |status: &str| {
            mia.list(format!("/bookings?series_id={}&status={status}", series["id"])).await["total"].clone()
        };
        assert_eq!((count("approved").await, count("cancelled").await), (json!(3), json!(12)));
    });
}
