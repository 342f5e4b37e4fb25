//! `NewProduct` and `ProductPatch` from serde's formats, and the struct in them.

use crud_runtime::adapter::Changes;
use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};
use crud_runtime::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{from_str, from_value, json, to_string, to_value};

#[derive(Debug, Clone, PartialEq)]
struct Sku(String);

impl Column for Sku {
    const KIND: Kind = Kind::Text;

    fn into_value(self) -> Value {
        Value::Text(self.0)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        let text = String::from_value(value)?;
        if text.starts_with("SKU-") { Ok(Self(text)) } else { Err(ColumnError::new("must start with SKU-")) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
enum Step {
    Open,
    InWork,
}

#[derive(Debug, Clone, Resource)]
#[crud(rename_all = "camelCase", derive(Serialize), soft_delete, access(all(authenticated)))]
struct Device {
    id: i64,
    #[crud(immutable)]
    serial_number: Sku,
    #[crud(length(min = 3))]
    name: String,
    #[crud(default(Step::Open))]
    step: Step,
    #[crud(default(Some("none".to_owned())))]
    note: Option<String>,
    price: Option<Decimal>,
    weight: f32,
    labels: Vec<String>,
    photo: Vec<u8>,
    made_on: NaiveDate,
    #[crud(write_only, default = "")]
    pin: String,
    #[crud(hidden, default = 0)]
    score: i64,
    #[crud(visible(role("staff")), default = 0)]
    cost: i64,
    #[crud(read_only, default = 1)]
    rank: i32,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Resource)]
struct Ticket {
    id: String,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(owner)]
    author: String,
    title: Option<String>,
}

/// The JSON of a new device, with some members more.
fn device(members: &serde_json::Value) -> serde_json::Value {
    let mut device = json!({
        "serialNumber": "SKU-7", "name": "Lamp", "weight": 0.1, "labels": ["a", "b"], "photo": "aGk=",
        "madeOn": "2026-11-26",
    });
    for (name, value) in members.as_object().expect("an object") {
        device[name] = value.clone();
    }
    device
}

fn refusal<T: for<'de> Deserialize<'de>>(json: serde_json::Value) -> String {
    from_value::<T>(json).err().expect("a refusal").to_string()
}

#[test]
fn new_record_is_read_by_the_names_and_forms_of_http() {
    let new: NewDevice = from_value(device(&json!({ "price": "12.50", "step": "in_work" }))).expect("a device");
    assert_eq!((new.serial_number, new.name.as_str()), (Sku("SKU-7".to_owned()), "Lamp"));
    assert_eq!((new.step, new.price), (Some(Step::InWork), Some(Decimal::new(1250, 2))));
    assert_eq!((new.photo, new.labels), (b"hi".to_vec(), vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(new.made_on, NaiveDate::from_ymd_opt(2026, 11, 26).expect("a day"));
}

#[test]
fn absent_field_of_a_new_record_has_its_default_and_null_is_null() {
    let new: NewDevice = from_value(device(&json!({}))).expect("a device");
    assert_eq!((new.step, new.note, new.price), (None, None, None));
    let new: NewDevice = from_value(device(&json!({ "note": null }))).expect("a device");
    assert_eq!(new.note, Some(None));
}

#[test]
fn every_mistake_of_an_input_is_in_one_error() {
    let json = json!({
        "serialNumber": "7", "nmae": "Lamp", "weight": "heavy", "labels": ["a", 2], "photo": null, "score": 9,
    });
    assert_eq!(
        refusal::<NewDevice>(json),
        "serialNumber: must start with SKU-; nmae: is not a field of Device; did you mean `name`?; \
         weight: must be a number; labels/1: must be a string; photo: must not be null; \
         score: is not a field of Device; name: is required; madeOn: is required"
    );
    let twice = r#"{"name": "a", "name": "b"}"#;
    let error = from_str::<DevicePatch>(twice).expect_err("a refusal").to_string();
    assert!(error.starts_with("name: must be given only once"), "{error}");
    assert_eq!(refusal::<NewDevice>(json!([])), "body: must be an object");
}

#[test]
fn fields_that_the_service_sets_are_ignored_in_inputs() {
    let sent = json!({ "id": 7, "rank": 5, "createdAt": "now", "deletedAt": null });
    let new: NewDevice = from_value(device(&sent)).expect("a device");
    assert_eq!(new.rank, None);
    let patch: DevicePatch = from_value(sent).expect("a patch");
    assert!(Changes::from(patch).is_empty());
}

#[test]
fn tenant_of_a_new_record_may_be_absent_and_its_owner_not() {
    let new: NewTicket = from_value(json!({ "id": "a", "author": "ann" })).expect("a ticket");
    assert_eq!((new.id.as_str(), new.shop_id, new.author.as_str(), new.title), ("a", None, "ann", None));
    assert_eq!(refusal::<NewTicket>(json!({ "id": "a" })), "author: is required");
}

#[test]
fn absent_field_of_a_patch_keeps_its_value_and_null_clears_it() {
    let changes = |json| Changes::from(from_value::<DevicePatch>(json).expect("a patch"));
    assert!(changes(json!({})).is_empty());
    assert_eq!(changes(json!({ "note": null })), Changes::from(DevicePatch::default().note(None)));
    assert_eq!(
        changes(json!({ "name": "Desk", "step": "open" })),
        Changes::from(DevicePatch::default().name("Desk").step(Step::Open))
    );
    assert_eq!(refusal::<DevicePatch>(json!({ "name": null })), "name: must not be null");
}

#[test]
fn patch_of_what_cannot_change_is_refused() {
    assert_eq!(refusal::<DevicePatch>(json!({ "serialNumber": "SKU-7" })), "serialNumber: cannot be changed");
    let error = refusal::<TicketPatch>(json!({ "id": "b", "shop_id": 2, "title": "x" }));
    assert_eq!(error, "id: cannot be changed; shop_id: cannot be changed");
}

#[test]
fn inputs_are_members_and_items_of_other_types() {
    #[derive(Deserialize)]
    struct Order {
        devices: Vec<NewDevice>,
        #[serde(flatten)]
        patch: DevicePatch,
    }

    let json = json!({ "devices": [device(&json!({}))], "name": "Desk", "note": null }).to_string();
    let order: Order = from_str(&json).expect("an order");
    assert_eq!(order.devices[0].name, "Lamp");
    assert_eq!(Changes::from(order.patch).len(), 2);
}

fn stored() -> Device {
    Device {
        id: 7,
        serial_number: Sku("SKU-7".to_owned()),
        name: "Lamp".to_owned(),
        step: Step::InWork,
        note: None,
        price: Some(Decimal::new(1250, 2)),
        weight: 0.1,
        labels: vec!["a".to_owned()],
        photo: b"hi".to_vec(),
        made_on: NaiveDate::from_ymd_opt(2026, 11, 26).expect("a day"),
        pin: "1234".to_owned(),
        score: 9,
        cost: 3,
        rank: 1,
        created_at: DateTime::UNIX_EPOCH,
        deleted_at: None,
    }
}

#[test]
fn struct_is_written_as_http_writes_it_without_what_only_some_see() {
    let written = to_string(&stored()).expect("JSON");
    assert_eq!(
        written,
        r#"{"id":7,"serialNumber":"SKU-7","name":"Lamp","step":"in_work","note":null,"price":"12.50","weight":0.1,"#
            .to_owned()
            + r#""labels":["a"],"photo":"aGk=","madeOn":"2026-11-26","rank":1,"createdAt":"1970-01-01T00:00:00.000000Z","#
            + r#""deletedAt":null,"isDeleted":false}"#
    );
}

#[test]
fn struct_is_written_inside_of_others() {
    #[derive(Serialize)]
    struct Message<'a> {
        kind: &'a str,
        #[serde(flatten)]
        device: Device,
    }

    let written = to_value(Message { kind: "new", device: stored() }).expect("JSON");
    assert_eq!((&written["kind"], &written["name"], written.get("pin")), (&json!("new"), &json!("Lamp"), None));
}
