//! Companies, guests and invitations.

use serde_json::json;

use crate::world::{GUS, MIA, NORA, OTTO, PASSWORD, column, id, on_each};

#[test]
fn companies_see_nothing_of_each_other() {
    on_each(async |world| {
        let (nora, otto) = (world.login(NORA).await, world.login(OTTO).await);
        let room = nora.key("/rooms", "Fjord").await;
        let booking = id(&nora.list("/bookings").await["data"][0]);
        assert_eq!(column(&otto.list("/companies").await, "name"), ["Kaktus Studio"]);
        assert_eq!(column(&otto.list("/rooms").await, "name"), ["Tejo"]);
        assert_eq!(column(&otto.list("/bookings").await, "title"), ["Kick-off"]);
        for path in [format!("/rooms/{room}"), format!("/bookings/{booking}"), format!("/bookings/{booking}/history")] {
            otto.get(path).await.problem("not_found");
        }
        otto.book(room, ("08:00", "09:00"), json!({})).await.problem("reference_not_found");
        otto.post(format!("/bookings/{booking}/cancel"), json!({})).await.problem("not_found");
    });
}

#[test]
fn member_of_two_companies_changes_between_them() {
    on_each(async |world| {
        let mia = world.login(MIA).await;
        assert_eq!(column(&mia.list("/companies?sort=name").await, "name"), ["Kaktus Studio", "Nordlicht"]);
        let other = mia.key("/companies", "Kaktus Studio").await;
        let tokens = mia.post("/auth/tenant", json!({ "tenant": other })).await.expect(200).json();
        let there = world.person(&tokens);
        assert_eq!(column(&there.list("/bookings").await, "title"), ["Kick-off"]);
        let room = there.key("/rooms", "Tejo").await;
        there.book(room, ("08:00", "09:00"), json!({})).await.problem("permission_denied");
    });
}

#[test]
fn guest_sees_the_bookings_that_it_is_invited_to() {
    on_each(async |world| {
        let (gus, mia) = (world.login(GUS).await, world.login(MIA).await);
        assert_eq!(column(&gus.list("/bookings").await, "title"), ["Customer workshop", "Harbour project"]);
        assert_eq!(column(&gus.list("/members").await, "name"), ["Gus Keller"]);
        gus.get("/comments").await.problem("permission_denied");
        gus.get("/readings").await.problem("permission_denied");
        let events = gus.list("/bookings/events?after=0").await;
        let titles: Vec<_> = column(&events, "data").iter().map(|data| data["title"].clone()).collect();
        assert!(titles.iter().all(|title| title != "Budget"), "{events}");
        // Mia takes Gus along, and leaves him out again.
        let member = mia.key("/members", "Gus Keller").await;
        let room = mia.key("/rooms", "Alster").await;
        let guests = json!({ "participants": [{ "member_id": member }] });
        let booking = mia.book(room, ("08:00", "09:00"), guests).await.expect(201).json();
        let path = format!("/bookings/{}", booking["id"]);
        assert_eq!(gus.get(&path).await.expect(200).json()["title"], "Talk");
        let participant = &booking["participants"]["data"][0]["id"];
        let without = json!({ "participants": [{ "id": participant, "_delete": true }] });
        mia.patch(&path, without).await.expect(200);
        gus.get(&path).await.problem("not_found");
    });
}

#[test]
fn member_invites_to_own_bookings_alone() {
    on_each(async |world| {
        let (mia, nora) = (world.login(MIA).await, world.login(NORA).await);
        let budget = id(&mia.list("/bookings?q=Budget").await["data"][0]);
        let member = mia.key("/members", "Gus Keller").await;
        let guests = json!({ "participants": [{ "member_id": member }] });
        mia.patch(format!("/bookings/{budget}"), guests.clone()).await.problem("permission_denied");
        nora.patch(format!("/bookings/{budget}"), guests).await.expect(200);
    });
}

#[test]
fn author_changes_a_comment_for_a_quarter_of_an_hour() {
    on_each(async |world| {
        let (mia, nora) = (world.login(MIA).await, world.login(NORA).await);
        let booking = id(&mia.list("/bookings?q=Retrospective").await["data"][0]);
        let comment = mia.create("/comments", json!({ "booking_id": booking, "text": "Bring cake" })).await;
        let path = format!("/comments/{}", comment["id"]);
        nora.patch(&path, json!({ "text": "No cake" })).await.problem("permission_denied");
        mia.patch(&path, json!({ "text": "Bring two cakes" })).await.expect(200);
        world.test.clock().advance(std::time::Duration::from_mins(16));
        let mia = world.login(MIA).await;
        mia.patch(&path, json!({ "text": "Bring none" })).await.problem("permission_denied");
    });
}

#[test]
fn manager_invites_a_guest_by_mail() {
    on_each(async |world| {
        let (nora, mia) = (world.login(NORA).await, world.login(MIA).await);
        let invitation = json!({ "email": "eve@example.com", "roles": ["guest"] });
        mia.post("/auth/invitations", invitation.clone()).await.problem("permission_denied");
        nora.post("/auth/invitations", invitation).await.expect(201);
        let token = world.mailed_token().await;
        let tokens = world.test.post("/auth/verify", json!({ "token": token, "password": PASSWORD })).await;
        let eve = world.person(&tokens.expect(201).json());
        assert_eq!(eve.list("/bookings").await["total"], 0);
        assert_eq!(column(&eve.list("/members").await, "role"), ["guest"]);
        assert_eq!(column(&eve.list("/locations").await, "name"), ["Berlin", "Hamburg"]);
    });
}

#[test]
fn company_keeps_its_last_manager() {
    on_each(async |world| {
        let nora = world.login(NORA).await;
        let member = nora.key("/members", "Nora Lindqvist").await;
        nora.patch(format!("/members/{member}"), json!({ "role": "guest" })).await.problem("last_member");
    });
}
