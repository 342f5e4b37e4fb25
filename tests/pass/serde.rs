//! serde's attributes beside this crate's: one JSON format.

use crud_runtime::column::Value;
use crud_runtime::prelude::*;
use serde::{Deserialize, Serialize};

fn three() -> i32 {
    3
}

#[derive(Serialize, Deserialize, Resource)]
#[serde(rename_all = "camelCase", deny_unknown_fields, rename = "thing")]
struct Thing {
    id: i64,
    unit_price: f64,
    #[serde(rename = "title")]
    name: String,
    #[serde(default)]
    stock: i32,
    #[serde(default = "three")]
    size: i32,
    #[serde(skip)]
    note: String,
    #[serde(skip)]
    comment: Option<String>,
    #[serde(skip_serializing)]
    #[crud(write_only)]
    secret: String,
    #[serde(skip_deserializing)]
    #[crud(read_only, default = 1.0)]
    rating: f64,
    #[serde(default)]
    #[crud(default = "ours")]
    ours: String,
}

#[test]
fn names_equal_serdes() {
    let thing = Thing {
        id: 1,
        unit_price: 2.0,
        name: "Chair".to_owned(),
        stock: 0,
        size: 0,
        note: String::new(),
        comment: None,
        secret: String::new(),
        rating: 0.0,
        ours: String::new(),
    };
    let json = serde_json::to_value(&thing).expect("JSON");
    let theirs: Vec<&str> = json.as_object().expect("an object").keys().map(String::as_str).collect();
    let returned = Thing::DESCRIPTOR.columns.iter().filter(|column| column.is_returned());
    let ours: Vec<&str> = returned.map(|column| column.json).collect();
    assert_eq!(theirs, ours);
}

#[test]
fn defaults_of_serde_apply() {
    let default = |name: &str| super::column::<Thing>(name).default.map(|default| default());
    assert_eq!(default("stock"), Some(Value::Int(0)));
    assert_eq!(default("size"), Some(Value::Int(3)));
    assert_eq!(default("note"), Some(Value::Text(String::new())));
    assert_eq!(default("comment"), Some(Value::Null));
    assert_eq!(default("ours"), Some(Value::Text("ours".to_owned())));
}

#[test]
fn field_that_serde_skips_is_hidden() {
    assert!(super::column::<Thing>("note").hidden && super::column::<Thing>("comment").hidden);
}

#[derive(Serialize, Deserialize, ResourceEnum)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
enum Size {
    HTTPLike,
    #[serde(rename = "tiny")]
    #[crud(rename = "tiny")]
    VerySmall,
}

#[test]
fn enum_texts_equal_serdes() {
    for size in [Size::HTTPLike, Size::VerySmall] {
        let theirs = serde_json::to_value(&size).expect("JSON");
        assert_eq!(size.into_value(), Value::Text(theirs.as_str().expect("text").to_owned()));
    }
}
