//! Bookings that wait for a time.

use serde_json::{Value, json};

use crate::world::{EMRE, MIA, NORA, Person, id, on_each};

async fn status(person: &Person, booking: i64) -> Value {
    person.list(format!("/bookings/{booking}")).await["status"].clone()
}

async fn wait(person: &Person, room: i64, hours: (&str, &str)) -> i64 {
    id(&person.book(room, hours, json!({ "or_wait": true })).await.expect(201).json())
}

#[test]
fn earliest_of_those_who_wait_gets_a_cancelled_time() {
    on_each(async |world| {
        let (mia, emre, nora) = (world.login(MIA).await, world.login(EMRE).await, world.login(NORA).await);
        let room = mia.key("/rooms", "Alster").await;
        let first = wait(&mia, room, ("08:00", "10:00")).await;
        assert_eq!(status(&mia, first).await, "approved", "a free time has no one to wait for");
        world.test.clock().advance(std::time::Duration::from_mins(1));
        let second = wait(&emre, room, ("09:00", "11:00")).await;
        world.test.clock().advance(std::time::Duration::from_mins(1));
        let third = wait(&nora, room, ("08:00", "09:30")).await;
        let fourth = wait(&nora, room, ("08:00", "08:30")).await;
        for booking in [second, third, fourth] {
            assert_eq!(status(&mia, booking).await, "waiting");
        }
        mia.post(format!("/bookings/{first}/cancel"), json!({})).await.expect(200);
        let now = [status(&mia, second).await, status(&mia, third).await, status(&mia, fourth).await];
        assert_eq!(now, ["approved", "waiting", "approved"]);
    });
}

#[test]
fn time_that_a_moved_booking_leaves_is_given() {
    on_each(async |world| {
        let (mia, emre) = (world.login(MIA).await, world.login(EMRE).await);
        let room = mia.key("/rooms", "Polar").await;
        let first = wait(&mia, room, ("08:00", "09:00")).await;
        let second = wait(&emre, room, ("08:30", "09:30")).await;
        let later = json!({ "starts_at": "2026-11-03T12:00:00Z", "ends_at": "2026-11-03T13:00:00Z" });
        mia.patch(format!("/bookings/{first}"), later).await.expect(200);
        assert_eq!(status(&emre, second).await, "approved");
        let history = emre.list(format!("/bookings/{second}/history")).await;
        assert_eq!(history["total"], 2, "{history}");
    });
}

#[test]
fn declined_request_gives_its_time_as_a_request() {
    on_each(async |world| {
        let (mia, emre, nora) = (world.login(MIA).await, world.login(EMRE).await, world.login(NORA).await);
        let room = mia.key("/rooms", "Aurora").await;
        let first = wait(&mia, room, ("08:00", "09:00")).await;
        let second = wait(&emre, room, ("08:00", "09:00")).await;
        assert_eq!([status(&mia, first).await, status(&mia, second).await], ["requested", "waiting"]);
        nora.post(format!("/bookings/{second}/approve"), json!({})).await.problem("conflict");
        nora.post(format!("/bookings/{first}/decline"), json!({})).await.expect(200);
        assert_eq!(status(&mia, second).await, "requested");
    });
}
