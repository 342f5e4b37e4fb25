use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::Json;
use crud_runtime::axum::response::Response;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Bypass, Context, Locked, Next, Valid, handler};
use crud_runtime::testing::Test;
use crud_runtime::{Error, Result};
use crud_tests::{Database, on_each_backend, on_each_transactional_backend};
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum State {
    Stored,
    Sold,
}

/// A device: every operation that a handler can take the place of has bypasses.
#[derive(Debug, Clone, Resource)]
#[crud(
    prefix = "/devices",
    filter,
    search(name),
    soft_delete(auto_restore_on_update),
    batch,
    import,
    export,
    upsert(code),
    upsert(serial)
)]
struct Device {
    #[crud(id, length(max = 20))]
    code: String,
    #[crud(unique)]
    serial: i64,
    name: String,
    #[crud(default = 0)]
    checked: i32,
    #[crud(default(State::Stored), transitions(sell(Stored, Sold)))]
    state: State,
    deleted_at: Option<DateTime<Utc>>,
}

/// A repair, beside which its device can be asked for.
#[derive(Debug, Clone, Resource)]
struct Repair {
    id: i64,
    #[crud(references(Device, expand))]
    device_id: String,
}

const KEPT: [Bypass; 5] = [Bypass::Export, Bypass::Import, Bypass::Many, Bypass::Transitions, Bypass::Updates];

async fn refuse() -> Result<()> {
    Err(Problem::new(Code::PermissionDenied, "not today").into())
}

fn devices(service: Service) -> Service {
    service.resource::<Device>()
}

fn device(code: &str, serial: i64) -> NewDevice {
    NewDevice::new(code, serial, "a")
}

/// The service of a test, with the generated operations where a handler cannot be.
async fn tested(service: Service, kept: &[Bypass]) -> Test {
    let service = kept.iter().fold(service, |service, bypass| service.keep_generated::<Device>(*bypass));
    let test = service.test().await.expect("the tables");
    test.store::<Device>().create(device("a", 1)).await.expect("a device");
    test
}

#[test]
fn handler_that_refuses_is_on_every_road_to_its_operation() {
    on_each_transactional_backend(async |database| {
        let body = |serial: i64| json!({ "serial": serial, "name": "b" });
        let with_code = |code: &str, serial: i64| json!({ "code": code, "serial": serial, "name": "b" });
        let stored = async |test: &Test| {
            let devices = test.store::<Device>().list(Device::FIELDS.code.asc()).await.unwrap();
            devices.into_iter().map(|device| format!("{} {}", device.code, device.name)).collect::<Vec<_>>()
        };
        let service = devices(database.service().await).replace::<Device>(Operation::Create, handler(refuse));
        let test = tested(service, &[Bypass::Import, Bypass::Many]).await;
        test.post("/devices", with_code("b", 2)).await.problem("permission_denied");
        test.put("/devices/b?allow_missing=true", body(2)).await.problem("permission_denied");
        test.post("/devices?on_conflict=serial", with_code("b", 2)).await.problem("permission_denied");
        assert_eq!(stored(&test).await, ["a a"]);
        // A record that is there is no create.
        test.put("/devices/a?allow_missing=true", body(1)).await.expect(200);
        test.put("/devices/b", body(2)).await.problem("not_found");
        assert_eq!(stored(&test).await, ["a b"]);
    });
    on_each_transactional_backend(async |database| {
        let body = |serial: i64| json!({ "serial": serial, "name": "b" });
        let with_code = |code: &str, serial: i64| json!({ "code": code, "serial": serial, "name": "b" });
        let service = devices(database.service().await).replace::<Device>(Operation::Update, handler(refuse));
        let test = tested(service, &[Bypass::Import, Bypass::Many, Bypass::Transitions]).await;
        test.put("/devices/a", body(1)).await.problem("permission_denied");
        test.patch("/devices/a", json!({})).await.problem("permission_denied");
        test.put("/devices/a?allow_missing=true", body(1)).await.problem("permission_denied");
        test.put("/devices/b?allow_missing=true", body(2)).await.problem("permission_denied");
        for on_conflict in ["serial", "code"] {
            let upsert = format!("/devices?on_conflict={on_conflict}");
            test.post(&upsert, with_code("a", 1)).await.problem("permission_denied");
            test.post(format!("{upsert}&conflict=ignore"), with_code("a", 1)).await.expect(200);
        }
        test.post("/devices?on_conflict=serial", with_code("b", 2)).await.expect(201);
        let a = test.store::<Device>().get("a").await.unwrap();
        assert_eq!((a.name.as_str(), test.store::<Device>().count(Select::all()).await.unwrap()), ("a", 2));
    });
    on_each_backend(async |database| {
        let service = devices(database.service().await).replace::<Device>(Operation::List, handler(refuse));
        let test = tested(service, &[Bypass::Export]).await;
        test.get("/devices").await.problem("permission_denied");
        test.get("/devices?name=a").await.problem("permission_denied");
        test.post("/devices/search", json!({})).await.problem("permission_denied");
        test.get("/devices/a").await.expect(200);
    });
}

#[derive(Debug, Schema)]
struct Named {
    #[crud(length(max = 40))]
    code: Option<String>,
    serial: i64,
    name: String,
}

/// Counts the checks of a new device.
async fn create(body: Valid<Named>, next: Next) -> Result<Response> {
    let mut new = json!({ "serial": body.serial, "name": body.name, "checked": 1 });
    if let Some(code) = &body.code {
        new["code"] = code.as_str().into();
    }
    Ok(next.run_with(new).await?)
}

/// Counts another check, in the transaction of the change.
async fn update(ctx: Context, device: Locked<Device>, next: Next) -> Result<Response> {
    let checked = DevicePatch::default().add(Device::FIELDS.checked, 10);
    ctx.store::<Device>().update(device.code.as_str(), checked).await?;
    Ok(next.run().await?)
}

#[test]
fn handlers_run_the_generated_operation_from_every_road() {
    on_each_transactional_backend(async |database| {
        let service = devices(database.service().await).replace::<Device>(Operation::Update, handler(update));
        let test = tested(service, &[Bypass::Import, Bypass::Many, Bypass::Transitions]).await;
        let put = test.put("/devices/b?allow_missing=true", json!({ "serial": 2, "name": "b" })).await;
        let put = put.problem("not_found");
        assert_eq!(put["detail"], "Device with id b not found", "the update's handler locks the device");
        let new = json!({ "code": "c", "serial": 3, "name": "c" });
        let created = test.post("/devices?on_conflict=serial", &new).await.expect(201);
        assert_eq!((created.header("location"), &created.json()["checked"]), (Some("/devices/c"), &json!(0)));
        let again = json!({ "code": "c", "serial": 3, "name": "d" });
        let changed = test.post("/devices?on_conflict=serial", again).await.expect(200).json();
        assert_eq!((&changed["name"], &changed["checked"]), (&json!("d"), &json!(10)));
        // The handler's writes are undone with the refused change.
        let moved = json!({ "code": "d", "serial": 3, "name": "d" });
        test.post("/devices?on_conflict=serial", moved).await.problem("validation_failed");
        assert_eq!(test.store::<Device>().get("c").await.unwrap().checked, 10);
    });
    on_each_transactional_backend(async |database| {
        let service = devices(database.service().await)
            .replace::<Device>(Operation::Create, handler(create))
            .replace::<Device>(Operation::Update, handler(update));
        let test = tested(service, &[Bypass::Import, Bypass::Many, Bypass::Transitions]).await;
        let new = json!({ "code": "c", "serial": 3, "name": "c" });
        for (status, name) in [(201, "c"), (200, "c")] {
            let answer = test.post("/devices?on_conflict=serial", &new).await.expect(status).json();
            assert_eq!((&answer["name"], &answer["checked"]), (&json!(name), &json!(1)));
        }
    });
    on_each_transactional_backend(async |database| {
        let service = devices(database.service().await).replace::<Device>(Operation::Create, handler(create));
        let test = tested(service, &[Bypass::Import, Bypass::Many]).await;
        let put = test.put("/devices/b?allow_missing=true", json!({ "serial": 2, "name": "b" })).await.expect(201);
        assert_eq!((put.header("location"), &put.json()["code"]), (Some("/devices/b"), &json!("b")));
        assert_eq!(put.json()["checked"], 1);
        let path = "/devices/d?allow_missing=true";
        let other = json!({ "code": "e", "serial": 4, "name": "b" });
        test.put(path, &other).await.problem("validation_failed");
        test.put(path, json!({ "serial": 4, "name": "b" }))
            .header("if-match", "*")
            .await
            .problem("precondition_failed");
        assert_eq!(test.store::<Device>().count(Select::all()).await.unwrap(), 2);
    });
}

/// A device of its owner.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/keys", upsert(serial))]
struct Key {
    id: i64,
    #[crud(owner)]
    holder: String,
    #[crud(unique)]
    serial: i64,
    name: String,
}

#[test]
fn handler_is_not_called_for_a_record_that_its_caller_does_not_reach() {
    on_each_transactional_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
        let service = database.service().await.auth(auth).resource::<Key>();
        let test = service.replace::<Key>(Operation::Update, handler(refuse)).test().await.unwrap();
        let (ada, bob) = (test.as_principal(Principal::new("ada")), test.as_principal(Principal::new("bob")));
        let key = json!({ "serial": 1, "name": "a" });
        ada.post("/keys?on_conflict=serial", &key).await.expect(201);
        bob.post("/keys?on_conflict=serial", &key).await.problem("conflict");
        ada.post("/keys?on_conflict=serial", &key).await.problem("permission_denied");
    });
}

#[test]
fn road_without_a_handler_is_refused_at_start_unless_the_generated_one_is_meant() {
    async fn many() -> Result<Json<&'static str>> {
        Ok(Json("many"))
    }
    on_each_transactional_backend(async |database: &Database| {
        let start = async |operation: Operation, kept: &[Bypass]| {
            let service = devices(database.service().await).resource::<Repair>();
            let service = service.replace::<Device>(operation, handler(many));
            kept.iter()
                .fold(service, |service, bypass| service.keep_generated::<Device>(*bypass))
                .into_router()
                .map(drop)
        };
        let (create, update, list) = (Operation::Create, Operation::Update, Operation::List);
        for (operation, kept, says) in [
            (create, &[][..], "is bypassed by BatchCreate"),
            (create, &[Bypass::Many], "is bypassed by imports"),
            (update, &[Bypass::Import], "is bypassed by BatchUpdate"),
            (update, &[Bypass::Many, Bypass::Transitions], "is bypassed by imports"),
            (update, &[Bypass::Many, Bypass::Import], "is bypassed by transitions"),
            (list, &[Bypass::Relations], "is bypassed by exports"),
            (list, &[Bypass::Export], "is bypassed by Repair, whose requests show fields of Device"),
            (Operation::Get, &[], "is bypassed by Repair, whose requests show fields of Device"),
            (Operation::Restore, &[Bypass::Many], "is bypassed by updates"),
            (Operation::Restore, &[Bypass::Updates], "is bypassed by RestoreMany"),
            (Operation::Purge, &[], "is bypassed by PurgeMany"),
            (Operation::Delete, &[], "is bypassed by BatchDelete"),
            (
                Operation::Delete,
                &[Bypass::Many, Bypass::Export],
                "`keep_generated::<Device>(Bypass::Export)` keeps nothing",
            ),
        ] {
            let error = start(operation, kept).await.unwrap_err();
            assert!(matches!(&error, Error::Setup(text) if text.contains(says)), "{says}: {error:?}");
        }
        let error = start(create, &[Bypass::Many]).await.unwrap_err().to_string();
        assert_eq!(
            error,
            "the handler in place of Device's Create is bypassed by imports: leave `import` out of the resource, or say \
             that the generated ones are meant, `keep_generated::<Device>(Bypass::Import)`"
        );
        for (operation, kept) in [
            (create, &[Bypass::Many, Bypass::Import][..]),
            (update, &[Bypass::Many, Bypass::Import, Bypass::Transitions]),
            (list, &[Bypass::Export, Bypass::Relations]),
            (Operation::Restore, &[Bypass::Many, Bypass::Updates]),
            (Operation::Delete, &[Bypass::Many]),
        ] {
            start(operation, kept).await.unwrap_or_else(|error| panic!("{operation:?} {kept:?}: {error}"));
        }
    });
}

/// A part of a device, which goes with it.
#[derive(Debug, Clone, Resource)]
struct Part {
    id: i64,
    #[crud(references(Device, on_delete(cascade)))]
    device_id: String,
}

#[test]
fn removal_that_cascades_past_a_handler_is_refused_at_start() {
    on_each_backend(async |database| {
        let service = async || {
            let service = database.service().await.resource::<Device>().resource::<Part>();
            service.replace::<Part>(Operation::Delete, handler(refuse))
        };
        let error = service().await.into_router().unwrap_err().to_string();
        assert_eq!(
            error,
            "the handler in place of Part's Delete is bypassed by removals of Device, which cascade: give the reference \
             another `on_delete`, or say that the generated ones are meant, `keep_generated::<Part>(Bypass::Cascades)`"
        );
        drop(service().await.keep_generated::<Part>(Bypass::Cascades).into_router().unwrap());
        let create = database.service().await.resource::<Device>().resource::<Part>();
        drop(create.replace::<Part>(Operation::Create, handler(refuse)).into_router().unwrap());
    });
}

#[test]
fn records_of_the_past_bypass_a_handler_of_the_history() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Lent>();
        let error = service.replace::<Lent>(Operation::History, handler(refuse)).into_router().unwrap_err().to_string();
        assert!(error.contains("Lent's History is bypassed by `?as_of=`"), "{error}");
        let service = database.service().await.resource::<Lent>().keep_generated::<Lent>(Bypass::Log);
        let service = service.replace::<Lent>(Operation::History, handler(refuse));
        let test = service.test().await.expect("the tables");
        test.post("/lents", json!({ "name": "saw" })).await.expect(201);
        test.get("/lents/1/history").await.problem("permission_denied");
        test.get("/lents/1").await.expect(200);
    });
}

/// A tool that is lent.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/lents", audit)]
struct Lent {
    id: i64,
    name: String,
}

/// A board with its cards.
#[derive(Debug, Clone, Resource)]
#[crud(has_many(cards(Card::board_id, nested)))]
struct Board {
    id: i64,
    name: String,
}

/// A card of a board.
#[derive(Debug, Clone, Resource)]
#[crud(filter(title), aggregate(group_by(title)), many_to_many(tags(CardTag)))]
struct Card {
    id: i64,
    #[crud(references(Board, on_delete(set_null)))]
    board_id: Option<i64>,
    title: String,
}

/// A tag of cards.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name))]
struct Tag {
    id: i64,
    name: String,
}

/// A tag of a card.
#[derive(Debug, Clone, Resource)]
#[allow(clippy::struct_field_names, reason = "a junction has keys alone")]
struct CardTag {
    #[crud(id, references(Card, on_delete(cascade)))]
    card_id: i64,
    #[crud(id, references(Tag, on_delete(cascade)))]
    tag_id: i64,
}

async fn boards(database: &Database) -> Service {
    database.service().await.resource::<Board>().resource::<Card>().resource::<Tag>().resource::<CardTag>()
}

#[test]
fn roads_of_other_resources_are_refused_at_start_unless_they_are_meant() {
    on_each_transactional_backend(async |database| {
        let card = async |operation| boards(database).await.replace::<Card>(operation, handler(refuse));
        let link = async |operation| boards(database).await.replace::<CardTag>(operation, handler(refuse));
        let tag = boards(database).await.replace::<Tag>(Operation::List, handler(refuse));
        let update = card(Operation::Update).await.keep_generated::<Card>(Bypass::Cascades);
        let list = card(Operation::List).await.keep_generated::<Card>(Bypass::Aggregate);
        let removal = link(Operation::Delete).await.keep_generated::<CardTag>(Bypass::Cascades);
        for (service, says) in vec![
            (card(Operation::Create).await, "Card's Create is bypassed by bodies of Board, which write them"),
            (card(Operation::Update).await, "by removals of Board, which set references to null"),
            (update, "Card's Update is bypassed by bodies of Board"),
            (card(Operation::Delete).await, "Card's Delete is bypassed by bodies of Board"),
            (card(Operation::List).await, "Card's List is bypassed by aggregates"),
            (list, "Card's List is bypassed by Board, whose requests show fields of Card"),
            (link(Operation::Create).await, "CardTag's Create is bypassed by links of Card, which write them"),
            (link(Operation::Delete).await, "CardTag's Delete is bypassed by removals of Card, which cascade"),
            (removal, "CardTag's Delete is bypassed by links of Card"),
            (link(Operation::List).await, "by Card, whose requests show fields of CardTag"),
            (tag, "Tag's List is bypassed by Card, whose requests show fields of Tag"),
        ] {
            let error = service.into_router().unwrap_err().to_string();
            assert!(error.contains(says), "{says}: {error}");
        }
    });
}

#[test]
fn roads_of_other_resources_that_are_meant_work() {
    on_each_transactional_backend(async |database| {
        let service = boards(database).await.replace::<Card>(Operation::Create, handler(refuse));
        let service = service.replace::<Card>(Operation::Update, handler(refuse));
        let service = service.replace::<Card>(Operation::List, handler(refuse));
        let service = service.replace::<CardTag>(Operation::Create, handler(refuse));
        let kept = [Bypass::Nested, Bypass::Cascades, Bypass::Aggregate, Bypass::Relations];
        let service = kept.iter().fold(service, |service, bypass| service.keep_generated::<Card>(*bypass));
        let test = service.keep_generated::<CardTag>(Bypass::Links).test().await.expect("the tables");
        let tag = test.store::<Tag>().create(NewTag::new("red")).await.expect("a tag");
        test.post("/cards", json!({ "title": "a" })).await.problem("permission_denied");
        test.get("/cards").await.problem("permission_denied");
        let board = test.post("/boards", json!({ "name": "b", "cards": [{ "title": "a" }] })).await.expect(201).json();
        let card = board["cards"]["data"][0]["id"].as_i64().expect("a key");
        test.patch(format!("/cards/{card}"), json!({ "title": "b" })).await.problem("permission_denied");
        test.put(format!("/cards/{card}/tags"), json!({ "ids": [tag.id] })).await.expect(200);
        assert_eq!(test.get("/cards/aggregate").await.expect(200).json()["data"][0]["count"], 1);
        test.delete(format!("/boards/{}", board["id"])).await.expect(200);
        assert_eq!(test.store::<Card>().get(card).await.expect("the card").board_id, None);
    });
}

#[test]
fn generated_roads_that_are_meant_work() {
    on_each_transactional_backend(async |database| {
        let service = devices(database.service().await)
            .replace::<Device>(Operation::Create, handler(refuse))
            .replace::<Device>(Operation::Update, handler(refuse))
            .replace::<Device>(Operation::Restore, handler(refuse))
            .replace::<Device>(Operation::List, handler(refuse));
        let test = tested(service, &KEPT).await;
        let items = json!({ "items": [{ "code": "b", "serial": 2, "name": "b" }] });
        test.post("/devices/batch", items).await.expect(200);
        assert_eq!(test.get("/devices/export").await.expect(200).text().lines().count(), 2);
        test.post("/devices/a/sell", json!({})).await.expect(200);
    });
}
