//! Two people want one time.

use futures_util::future::join_all;
use serde_json::json;

use crate::world::{EMRE, GUS, MIA, NORA, id, on_each};

#[test]
fn one_of_forty_requests_for_a_time_gets_it() {
    on_each(async |world| {
        let (mia, emre) = (world.login(MIA).await, world.login(EMRE).await);
        let room = mia.key("/rooms", "Alster").await;
        let requests = (0..40).map(|number| {
            let person = if number % 2 == 0 { &mia } else { &emre };
            person.book(room, ("08:00", "09:00"), json!({ "title": format!("Talk {number}") }))
        });
        let answers = join_all(requests).await;
        let booked: Vec<i64> = answers.iter().filter(|it| it.status() == 201).map(|it| id(&it.json())).collect();
        let [winner] = booked.as_slice() else { panic!("expected one winner, found {booked:?}") };
        for answer in answers.iter().filter(|answer| answer.status() != 201) {
            let problem = answer.problem("conflict");
            assert_eq!(problem["errors"][0]["pointer"], "/starts_at");
            assert_eq!(problem["errors"][0]["params"]["id"], winner.to_string());
        }
    });
}

#[test]
fn booking_may_start_when_the_one_before_ends() {
    on_each(async |world| {
        let mia = world.login(MIA).await;
        let room = mia.key("/rooms", "Polar").await;
        mia.book(room, ("08:00", "09:00"), json!({})).await.expect(201);
        let next = mia.book(room, ("09:00", "10:00"), json!({})).await.expect(201).json();
        let earlier = json!({ "starts_at": "2026-11-03T08:59:00Z" });
        mia.patch(format!("/bookings/{}", next["id"]), earlier).await.problem("conflict");
        mia.book(room, ("10:00", "09:00"), json!({})).await.problem("validation_failed");
    });
}

#[test]
fn moved_booking_cannot_take_a_time_of_another_room() {
    on_each(async |world| {
        let (mia, emre) = (world.login(MIA).await, world.login(EMRE).await);
        let (alster, polar) = (mia.key("/rooms", "Alster").await, mia.key("/rooms", "Polar").await);
        mia.book(alster, ("08:00", "09:00"), json!({})).await.expect(201);
        let booking = emre.book(polar, ("08:00", "09:00"), json!({})).await.expect(201).json();
        assert_eq!((&booking["status"], &booking["minutes"]), (&json!("approved"), &json!(60)));
        let path = format!("/bookings/{}", booking["id"]);
        emre.patch(&path, json!({ "room_id": alster })).await.problem("conflict");
        mia.patch(&path, json!({ "title": "Mine" })).await.problem("permission_denied");
        mia.post(format!("{path}/cancel"), json!({})).await.problem("permission_denied");
    });
}

#[test]
fn manager_decides_about_rooms_that_need_it() {
    on_each(async |world| {
        let (mia, nora) = (world.login(MIA).await, world.login(NORA).await);
        let room = mia.key("/rooms", "Aurora").await;
        let booking = mia.book(room, ("08:00", "09:00"), json!({})).await.expect(201).json();
        assert_eq!(booking["status"], "requested");
        nora.book(room, ("08:30", "09:30"), json!({})).await.problem("conflict");
        let path = format!("/bookings/{}", booking["id"]);
        mia.post(format!("{path}/approve"), json!({})).await.problem("permission_denied");
        assert_eq!(nora.post(format!("{path}/approve"), json!({})).await.expect(200).json()["status"], "approved");
        mia.book(room, ("10:00", "11:00"), json!({ "status": "approved" })).await.problem("validation_failed");
    });
}

#[test]
fn guest_books_nothing() {
    on_each(async |world| {
        let gus = world.login(GUS).await;
        let room = gus.key("/rooms", "Alster").await;
        gus.book(room, ("08:00", "09:00"), json!({})).await.problem("permission_denied");
    });
}
