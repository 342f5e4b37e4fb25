//! Sensors, agents, files, and the proof of all rules.

use crud_prove::Proof;
use crud_tests::{Database, amount, on_each_sql_backend, on_sqlite};
use serde_json::json;

use crate::world::{GUS, MIA, NORA, Outbox, column, on_each, service};

#[test]
fn key_of_a_sensor_reports_and_does_nothing_else() {
    on_each(async |world| {
        let (nora, mia) = (world.login(NORA).await, world.login(MIA).await);
        let room = mia.key("/rooms", "Fjord").await;
        let key = json!({ "name": "door", "roles": ["sensor"] });
        mia.post("/auth/keys", key.clone()).await.problem("validation_failed");
        let sensor = world.program(&nora.create("/auth/keys", key).await);
        let reading = json!({ "room_id": room, "people": 4, "celsius": 21.5 });
        sensor.post("/readings", reading.clone()).await.expect(201);
        for path in ["/readings", "/rooms", "/bookings", "/members", "/companies", "/locations", "/series", "/comments"]
        {
            sensor.get(path).await.problem("permission_denied");
        }
        sensor.book(room, ("08:00", "09:00"), json!({})).await.problem("permission_denied");
        mia.post("/readings", reading).await.problem("permission_denied");
        assert_eq!(column(&mia.list(format!("/readings?room_id={room}")).await, "people"), [json!(4)]);
    });
}

#[test]
fn agent_books_a_room_for_its_user() {
    on_each(async |world| {
        let mia = world.login(MIA).await;
        let rooms =
            mia.call("list", json!({ "resource": "/rooms", "filter": { "kind": "room", "capacity__gte": 6 } })).await;
        let room = &rooms["structuredContent"]["records"][1];
        let values = json!({
            "room_id": room["id"], "title": "Agent's talk",
            "starts_at": "2026-11-03T08:00:00Z", "ends_at": "2026-11-03T09:00:00Z",
        });
        let booked = mia.call("create", json!({ "resource": "/bookings", "values": values })).await;
        assert_eq!(booked["isError"], false, "{booked}");
        let taken = mia.call("create", json!({ "resource": "/bookings", "values": values })).await;
        assert_eq!(taken["structuredContent"]["errors"][0]["code"], "overlaps", "{taken}");
        let found = mia.list("/bookings?q=Agent&member.user_id=me").await;
        let key = found["data"][0]["id"].clone();
        let cancelled = mia.call("act", json!({ "resource": "/bookings", "id": key, "action": "cancel" })).await;
        assert_eq!(cancelled["structuredContent"]["record"]["status"], "cancelled", "{cancelled}");
    });
}

#[test]
fn floor_plan_is_a_file_of_its_location() {
    on_each(async |world| {
        let (nora, gus) = (world.login(NORA).await, world.login(GUS).await);
        let berlin = gus.key("/locations", "Berlin").await;
        let path = format!("/locations/{berlin}/floor_plan");
        let plan = b"%PDF-1.7\n%%EOF\n";
        gus.put_file(&path, plan).await.problem("permission_denied");
        let location = nora.put_file(&path, plan).await.expect(200).json();
        assert_eq!(location["floor_plan"]["type"], "application/pdf");
        assert_eq!(gus.get(&path).await.expect(200).bytes(), plan);
    });
}

/// Asks as every principal in the long part, and else quickly.
async fn prove(database: &Database) {
    let service = service(database, Outbox::default()).await;
    let report =
        if amount("prove", false, true) { Proof::new(service).run() } else { Proof::new(service).quick().run() };
    let report = report.await.expect("a proof");
    println!("{report}\n{}", report.table());
    report.expect_no_difference();
    assert!(report.requests > 200, "{report}");
}

#[test]
fn every_answer_is_what_the_rules_say() {
    if amount("prove", false, true) { on_each_sql_backend(prove) } else { on_sqlite(prove) }
}
