use crud_runtime::auth::{Auth, Principal};
use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use crud_tests::fixtures::{column, records};
use crud_tests::{Database, holds_for_a_moment, on_each_backend, on_each_transactional_backend};
use serde_json::{Value, json};

/// A team, without a log.
#[derive(Debug, Clone, Resource)]
#[crud(batch, access(all(authenticated)))]
struct Squad {
    id: i64,
    name: String,
}

/// A project of a team, without a log, too.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
struct Project {
    id: i64,
    #[crud(references(Squad, on_delete(cascade)))]
    squad_id: i64,
}

/// A badge of a project.
#[derive(Debug, Clone, Resource)]
#[crud(audit, soft_delete, batch(max_size = 500), access(all(authenticated)))]
struct Badge {
    id: i64,
    #[crud(references(Project, on_delete(cascade)))]
    project_id: i64,
    label: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A hint about a team, which stays without it.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(authenticated)))]
struct Hint {
    id: i64,
    #[crud(references(Squad, on_delete(set_null)))]
    squad_id: Option<i64>,
}

/// A contract, which keeps a project.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
struct Contract {
    id: i64,
    #[crud(references(Project))]
    project_id: i64,
}

/// A rack, which can be brought back.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, audit, access(all(authenticated)))]
struct Rack {
    id: i64,
    name: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A parcel on a rack.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(authenticated)))]
struct Parcel {
    id: i64,
    #[crud(references(Rack, on_delete(cascade)))]
    rack_id: i64,
}

/// A club, with one of its players as its captain.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(authenticated)))]
struct Club {
    id: i64,
    #[crud(references(Player, on_delete(set_null)))]
    captain_id: Option<i64>,
}

/// A player of a club.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(authenticated)))]
struct Player {
    id: i64,
    #[crud(references(Club, on_delete(cascade)))]
    club_id: i64,
}

/// A section of another one.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(authenticated)))]
struct Section {
    id: i64,
    #[crud(references(Section, on_delete(cascade)))]
    section_id: Option<i64>,
}

/// A shed, whose changes take keys.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency, access(all(authenticated)))]
struct Shed {
    id: i64,
    name: String,
}

/// A tool in a shed.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(authenticated)))]
struct Tool {
    id: i64,
    #[crud(references(Shed, on_delete(cascade)))]
    shed_id: i64,
}

/// A repair of a tool.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(authenticated)))]
struct Repair {
    id: i64,
    #[crud(references(Tool, on_delete(cascade)))]
    tool_id: i64,
}

/// A place in a theatre.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
struct Place {
    #[crud(id)]
    aisle: i64,
    #[crud(id)]
    seat: i64,
    note: String,
}

/// A ticket, which goes with its place.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(authenticated)))]
struct Ticket {
    id: i64,
    aisle: i64,
    #[crud(references(Place, by(aisle, seat), on_delete(cascade)))]
    seat: i64,
}

/// A wish, which outlives its place.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(authenticated)))]
struct Wish {
    id: i64,
    aisle: Option<i64>,
    #[crud(references(Place, by(aisle, seat), on_delete(set_null)))]
    seat: Option<i64>,
}

fn secured(service: Service) -> Service {
    service.auth(Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("a long secret"))
}

/// A client of a service with two teams, a project of each, badges 1 and 2 of the first one and 3 of the second, and a hint about
/// each.
async fn squads(database: &Database) -> Test {
    let service = secured(database.service().await).resource::<Squad>().resource::<Project>().resource::<Badge>();
    let client = service.resource::<Hint>().resource::<Contract>().test().await.expect("the tables");
    let ada = client.as_principal(Principal::new("7").with_roles(["admin"]));
    for squad in [1, 2] {
        ada.post("/squads", json!({ "name": format!("squad {squad}") })).await.expect(201);
        ada.post("/projects", json!({ "squad_id": squad })).await.expect(201);
        ada.post("/hints", json!({ "squad_id": squad })).await.expect(201);
    }
    for (project, label) in [(1, "a"), (1, "b"), (2, "c")] {
        ada.post("/badges", json!({ "project_id": project, "label": label })).await.expect(201);
    }
    ada
}

fn on_squads(test: impl AsyncFn(&Test) + Copy) {
    on_each_transactional_backend(async |database| test(&squads(database).await).await);
}

/// The entries of a resource with an action.
async fn entries(client: &Test, resource: &str, action: &str) -> Vec<Value> {
    let log = client.get(format!("/audit-logs?entity_type={resource}&action={action}")).await.expect(200).json();
    records(&log).to_vec()
}

fn of(entries: &[Value], field: &str) -> Vec<Value> {
    entries.iter().map(|entry| entry[field].clone()).collect()
}

#[test]
fn records_that_go_with_another_one_have_entries() {
    on_squads(async |ada| {
        ada.delete("/badges/2").await.expect(200);
        ada.delete("/squads/1").await.expect(200);
        let removed = entries(ada, "Badge", "delete").await;
        assert_eq!(of(&removed, "entity_id"), [1, 2], "soft-deleted ones, too, over a resource without a log");
        assert_eq!(of(&removed, "actor"), ["7", "7"]);
        assert_eq!(removed[0]["previous"]["label"], "a");
        let cleared = entries(ada, "Hint", "update").await;
        assert_eq!(of(&cleared, "entity_id"), [1]);
        assert_eq!(
            (&cleared[0]["previous"]["squad_id"], &cleared[0]["changes"]["squad_id"]),
            (&json!(1), &Value::Null)
        );
        assert_eq!(ada.get("/hints/1").await.expect(200).json()["squad_id"], Value::Null);
        assert_eq!(column(&ada.get("/projects").await.json(), "id"), [2]);
        assert_eq!(column(&ada.get("/badges").await.json(), "id"), [3]);
    });
}

#[test]
fn records_that_go_over_a_table_without_routes_have_entries() {
    on_each_transactional_backend(async |database| {
        let service = secured(database.service().await).resource::<Squad>().resource::<Badge>();
        let client = service.test().await.expect("the tables, that of projects too");
        let ada = client.as_principal(Principal::new("7").with_roles(["admin"]));
        ada.post("/squads", json!({ "name": "x" })).await.expect(201);
        ada.store::<Project>().create(NewProject { squad_id: 1 }).await.expect("a project");
        ada.store::<Badge>().create(NewBadge::new(1, "a")).await.expect("a badge");
        ada.delete("/squads/1").await.expect(200);
        assert_eq!(of(&entries(&ada, "Badge", "delete").await, "entity_id"), [1]);
        assert_eq!(ada.get("/badges").await.expect(200).json(), json!([]));
    });
}

#[test]
fn references_of_several_fields_have_entries() {
    on_each_transactional_backend(async |database| {
        let service = secured(database.service().await).resource::<Place>().resource::<Ticket>().resource::<Wish>();
        let client = service.test().await.expect("the tables");
        let ada = client.as_principal(Principal::new("7").with_roles(["admin"]));
        for seat in [1, 2] {
            ada.post("/places", json!({ "aisle": 1, "seat": seat, "note": "x" })).await.expect(201);
            ada.post("/tickets", json!({ "aisle": 1, "seat": seat })).await.expect(201);
            ada.post("/wishes", json!({ "aisle": 1, "seat": seat })).await.expect(201);
        }
        ada.delete("/places/1,2").await.expect(200);
        assert_eq!(of(&entries(&ada, "Ticket", "delete").await, "entity_id"), [2]);
        let cleared = entries(&ada, "Wish", "update").await;
        assert_eq!(of(&cleared, "entity_id"), [2]);
        assert_eq!((&cleared[0]["previous"]["aisle"], &cleared[0]["previous"]["seat"]), (&json!(1), &json!(2)));
        assert_eq!(ada.get("/wishes/2").await.expect(200).json(), json!({ "id": 2, "aisle": null, "seat": null }));
        assert_eq!(ada.get("/wishes/1").await.expect(200).json(), json!({ "id": 1, "aisle": 1, "seat": 1 }));
    });
}

/// A client of a service with a shed, its tool and the repair of that.
async fn shed(database: &Database) -> Test {
    let service = secured(database.service().await).resource::<Shed>().resource::<Tool>().resource::<Repair>();
    let client = service.test().await.expect("the tables");
    let ada = client.as_principal(Principal::new("7").with_roles(["admin"]));
    ada.post("/sheds", json!({ "name": "x" })).await.expect(201);
    ada.post("/tools", json!({ "shed_id": 1 })).await.expect(201);
    ada.post("/repairs", json!({ "tool_id": 1 })).await.expect(201);
    ada
}

#[test]
fn entries_of_records_precede_those_of_what_they_refer_to() {
    on_each_transactional_backend(async |database| {
        let ada = shed(database).await;
        ada.delete("/sheds/1").await.expect(200);
        let log = ada.get("/audit-logs?action=delete").await.expect(200).json();
        assert_eq!(of(records(&log), "entity_type"), ["Repair", "Tool"]);
    });
}

#[test]
fn repeated_removal_has_its_entries_once() {
    on_each_transactional_backend(async |database| {
        let ada = shed(database).await;
        let first = ada.delete("/sheds/1").header("idempotency-key", "k").await.expect(200);
        let again = ada.delete("/sheds/1").header("idempotency-key", "k").await.expect(200);
        assert_eq!((again.header("idempotency-replayed"), again.text()), (Some("true"), first.text()));
        assert_eq!(of(&entries(&ada, "Tool", "delete").await, "entity_id"), [1]);
        assert_eq!(of(&entries(&ada, "Repair", "delete").await, "entity_id"), [1]);
    });
}

#[test]
fn refused_removal_leaves_no_entries() {
    on_squads(async |ada| {
        ada.delete("/squads/1").header("if-match", "\"x\"").await.problem("precondition_failed");
        ada.delete("/squads/9").await.problem("not_found");
        ada.post("/contracts", json!({ "project_id": 2 })).await.expect(201);
        ada.delete("/squads/2").await.problem("referenced");
        let batch = ada.post("/squads/batch/delete", json!({ "ids": [1, 2] })).await;
        assert_eq!(batch.status(), 409, "{}", batch.text());
        assert_eq!(entries(ada, "Badge", "delete").await, [Value::Null; 0]);
        assert_eq!(entries(ada, "Hint", "update").await, [Value::Null; 0]);
        assert_eq!(column(&ada.get("/badges").await.json(), "id"), [1, 2, 3]);
    });
}

#[test]
fn batches_and_stores_remove_with_entries() {
    on_squads(async |ada| {
        ada.post("/squads/batch/delete", json!({ "ids": [1] })).await.expect(200);
        assert_eq!(of(&entries(ada, "Badge", "delete").await, "entity_id"), [1, 2]);
        ada.store::<Squad>().delete_where(Squad::FIELDS.id.gt(0)).await.expect("the program removes all");
        let removed = entries(ada, "Badge", "delete").await;
        assert_eq!(of(&removed, "entity_id"), [1, 2, 3]);
        assert_eq!(of(&removed, "actor"), [json!("7"), json!("7"), Value::Null]);
    });
}

#[test]
fn record_that_begins_to_depend_meanwhile_has_an_entry() {
    on_each_transactional_backend(async |database| {
        let ada = squads(database).await;
        let tx = ada.app().begin().await.expect("a transaction");
        tx.store::<Badge>().create(NewBadge::new(1, "late")).await.expect("a badge");
        let delete = ada.clone();
        let delete = tokio::spawn(async move { delete.delete("/squads/1").await });
        if database.backend().is_server() {
            database.wait_until_blocked().await;
        }
        holds_for_a_moment("the delete waits", async || !delete.is_finished()).await;
        tx.commit().await.expect("a commit");
        delete.await.expect("an answer").expect(200);
        assert_eq!(of(&entries(&ada, "Badge", "delete").await, "entity_id"), [1, 2, 4]);
    });
}

#[test]
fn hundreds_of_records_that_go_with_one_have_entries() {
    on_squads(async |ada| {
        let more = (0..248).map(|_| NewBadge::new(1, "more"));
        ada.store::<Badge>().create_batch(more).await.expect("the badges");
        ada.delete("/squads/1").await.expect(200);
        let log = ada.get("/audit-logs?entity_type=Badge&action=delete").await.expect(200).json();
        assert_eq!(log["total"], 250);
        assert_eq!(column(&ada.get("/badges").await.json(), "id"), [3]);
    });
}

#[test]
fn more_records_than_the_limit_are_not_removed_with_one() {
    on_squads(async |ada| {
        let badges = ada.store::<Badge>();
        for _ in 0..5 {
            badges.create_batch((0..200).map(|_| NewBadge::new(1, "more"))).await.expect("the badges");
        }
        ada.delete("/squads/1").await.problem("referenced");
        assert_eq!(ada.get("/badges/1").await.expect(200).json()["label"], "a");
        assert_eq!(entries(ada, "Badge", "delete").await, [Value::Null; 0]);
        ada.delete("/squads/2").await.expect(200);
    });
}

#[test]
fn purges_remove_with_entries() {
    on_each_transactional_backend(async |database| {
        let service = secured(database.service().await).resource::<Rack>().resource::<Parcel>();
        let client = service.test().await.expect("the tables");
        let ada = client.as_principal(Principal::new("7").with_roles(["admin"]));
        for rack in [1, 2, 3] {
            ada.post("/racks", json!({ "name": "x" })).await.expect(201);
            ada.post("/parcels", json!({ "rack_id": rack })).await.expect(201);
            ada.delete(format!("/racks/{rack}")).await.expect(200);
        }
        assert_eq!(entries(&ada, "Parcel", "delete").await, [Value::Null; 0], "a soft delete changes its record alone");
        ada.delete("/racks/1/permanent").await.expect(200);
        assert_eq!(of(&entries(&ada, "Parcel", "delete").await, "entity_id"), [1]);
        assert_eq!(ada.delete("/racks/deleted?all=true").await.expect(200).json()["deleted"], 2);
        let mut removed = of(&entries(&ada, "Parcel", "delete").await, "entity_id");
        removed.sort_by_key(Value::as_i64);
        assert_eq!(removed, [1, 2, 3]);
        assert_eq!(entries(&ada, "Rack", "delete").await.len(), 3);
    });
}

#[test]
fn record_that_is_removed_itself_is_not_changed_before() {
    on_each_transactional_backend(async |database| {
        let service = secured(database.service().await).resource::<Club>().resource::<Player>();
        let client = service.test().await.expect("the tables");
        let ada = client.as_principal(Principal::new("7").with_roles(["admin"]));
        ada.post("/clubs", json!({})).await.expect(201);
        for _ in 0..2 {
            ada.post("/players", json!({ "club_id": 1 })).await.expect(201);
        }
        ada.patch("/clubs/1", json!({ "captain_id": 2 })).await.expect(200);
        ada.delete("/clubs/1").await.expect(200);
        assert_eq!(entries(&ada, "Club", "update").await.len(), 1, "that of the captain's choice");
        assert_eq!(of(&entries(&ada, "Player", "delete").await, "entity_id"), [1, 2]);
        assert_eq!(entries(&ada, "Club", "delete").await.len(), 1);
    });
}

#[test]
fn service_whose_removals_could_not_be_logged_does_not_start() {
    on_each_backend(async |database| {
        let refused =
            async |service: Service| service.migrate().await.expect_err("a setup that cannot work").to_string();
        if database.backend().is_interactive() {
            let error = refused(secured(database.service().await).resource::<Section>()).await;
            assert!(error.contains("Section.section_id") && error.contains("lead back"), "{error}");
        } else {
            let error = refused(secured(database.service().await).resource::<Rack>().resource::<Parcel>()).await;
            assert!(error.contains("Parcel.rack_id") && error.contains("transactions of several calls"), "{error}");
        }
    });
}
