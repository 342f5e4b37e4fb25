use serde_json::json;

use super::{BodyKind, BodyRules, RecordBody, parse};
use crate::model::problem::{Code, Problem};
use crate::model::value::Value;
use crate::prelude::*;
use crate::query::visibility::FieldVisibility;
use crate::store::mounted::options::ResourceOptions;
use crate::store::mounted::resource::MountedResource;

/// A record with one field of each kind that has its own parser.
#[derive(Resource)]
struct Thing {
    id: i64,
    name: String,
    count: i32,
    ratio: f64,
    #[crud(default = 0.5)]
    small: f32,
    note: Option<String>,
    #[crud(default(serde_json::Value::Null))]
    meta: serde_json::Value,
    extra: Option<serde_json::Value>,
    #[crud(default(Vec::new()))]
    labels: Vec<String>,
    #[crud(rename = "a/b~c", range(min = 1), default = 1)]
    odd: i64,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
}

/// A record whose key the client chooses.
#[derive(Resource)]
struct Page {
    id: String,
}

fn parse_as<R: Resource>(bytes: &[u8], body_kind: BodyKind) -> Result<RecordBody, Problem> {
    let view = FieldVisibility::default();
    parse(
        &mounted::<R>(),
        &BodyRules {
            view: &view,
            body_kind,
            may_keep: body_kind == BodyKind::Update,
            ..BodyRules::without_principal(&view)
        },
        bytes,
    )
}

fn mounted<R: Resource>() -> MountedResource {
    MountedResource::new(ResourceOptions::new(R::DESCRIPTOR)).unwrap()
}

fn read(json: &str, body_kind: BodyKind) -> Result<RecordBody, Problem> {
    parse_as::<Thing>(json.as_bytes(), body_kind)
}

/// The value of one field, read by an update.
fn value(name: &str, json: &str) -> Result<Value, Problem> {
    let index = Thing::DESCRIPTOR.columns.iter().position(|column| column.name == name).unwrap();
    let column = &Thing::DESCRIPTOR.columns[index];
    let body = read(&format!("{{{}{json}}}", column.key), BodyKind::Update)?;
    Ok(body.changes.get(index).cloned().unwrap())
}

/// The pointers and codes of a body's errors.
fn errors(json: &str, body_kind: BodyKind) -> Vec<String> {
    let problem = read(json, body_kind).unwrap_err();
    assert_eq!(problem.code(), Code::ValidationFailed, "{problem}");
    let errors = serde_json::to_value(problem.errors()).unwrap();
    let line = |error: &serde_json::Value| {
        format!("{} {}", error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())
    };
    errors.as_array().unwrap().iter().map(line).collect()
}

#[test]
fn every_error_is_found_in_one_pass() {
    let body = json!({"name": 1, "count": "x", "ratio": null, "nme": 1, "labels": ["a", 2], "a/b~c": 0}).to_string();
    assert_eq!(
        errors(&body, BodyKind::Create),
        ["/name type", "/count type", "/ratio type", "/nme unknown_field", "/labels/1 type", "/a~1b~0c min"]
    );
}

#[test]
fn missing_fields_are_reported_at_their_pointers() {
    assert_eq!(errors("{}", BodyKind::Create), ["/name required", "/count required", "/ratio required"]);
    assert!(read("{}", BodyKind::Update).unwrap().changes.is_empty());
}

#[test]
fn an_invalid_field_is_not_reported_as_missing() {
    assert_eq!(errors(r#"{"name":1,"count":1,"ratio":1}"#, BodyKind::Create), ["/name type"]);
}

#[test]
fn duplicate_names_are_refused() {
    assert_eq!(errors(r#"{"count":1,"count":2}"#, BodyKind::Update), ["/count duplicate"]);
    assert_eq!(errors(r#"{"meta":{"a":{"b":1,"b":2}}}"#, BodyKind::Update), ["/meta/a/b duplicate"]);
    assert_eq!(errors(r#"{"x":1,"x":2}"#, BodyKind::Update), ["/x unknown_field"]);
}

#[test]
fn managed_fields_are_ignored() {
    let body = read(r#"{"id":[1],"created_at":"x","name":"n","count":1,"ratio":1}"#, BodyKind::Create).unwrap();
    assert_eq!(body.changes.len(), 3);
    assert_eq!(read(r#"{"id":7}"#, BodyKind::Update).unwrap().key.get(0), Some(&Value::Int(7)));
}

#[test]
fn integers_are_exact_and_in_range() {
    assert_eq!(value("odd", "9007199254740993").unwrap(), Value::Int(9_007_199_254_740_993));
    assert_eq!(value("odd", "1.0").unwrap(), Value::Int(1));
    assert_eq!(errors(r#"{"count":2147483648}"#, BodyKind::Update), ["/count range"]);
    assert_eq!(errors(r#"{"a/b~c":9223372036854775808}"#, BodyKind::Update), ["/a~1b~0c range"]);
    assert_eq!(errors(r#"{"a/b~c":1e300}"#, BodyKind::Update), ["/a~1b~0c range"]);
    assert_eq!(errors(r#"{"count":1.5}"#, BodyKind::Update), ["/count type"]);
}

#[test]
fn floats_are_finite_and_zero_has_no_sign() {
    assert_eq!(value("ratio", "0.1").unwrap(), Value::Float(0.1));
    assert_eq!(value("ratio", "3").unwrap(), Value::Float(3.0));
    assert_eq!(value("small", "0.1").unwrap(), Value::Float(f64::from(0.1_f32)));
    let Value::Float(zero) = value("ratio", "-0.0").unwrap() else { panic!("not a float") };
    assert!(zero.is_sign_positive());
    assert_eq!(errors(r#"{"small":1e39}"#, BodyKind::Update), ["/small range"]);
    assert_eq!(read(r#"{"ratio":1e400}"#, BodyKind::Update).unwrap_err().code(), Code::MalformedJson);
}

#[test]
fn null_clears_nullable_fields() {
    assert_eq!(value("note", "null").unwrap(), Value::Null);
    assert_eq!(value("extra", "null").unwrap(), Value::Null);
    assert_eq!(value("meta", "null").unwrap(), Value::Json(json!(null)));
    assert_eq!(errors(r#"{"name":null}"#, BodyKind::Update), ["/name type"]);
}

#[test]
fn nul_is_refused_in_every_string() {
    let body = r#"{"name":"a\u0000","labels":["\u0000"],"meta":{"a":"\u0000","\u0000":1},"note":"\u0000"}"#;
    assert_eq!(errors(body, BodyKind::Update).len(), 5);
}

#[test]
fn a_body_that_is_not_an_object_is_refused() {
    for body in ["1", "[]", "[{}]", "null", "\"x\"", "true", "1.5"] {
        assert_eq!(errors(body, BodyKind::Create), [" type"], "{body}");
    }
}

#[test]
fn a_body_that_is_not_json_is_malformed() {
    for body in ["", "{", "{}x", "{\"name\":}", "{'name':1}", "\u{feff}{}", "{\"name\":\"\u{1}\"}", "NaN"] {
        assert_eq!(read(body, BodyKind::Create).unwrap_err().code(), Code::MalformedJson, "{body:?}");
    }
    let bytes = b"{\"name\":\"\xff\"}";
    assert_eq!(parse_as::<Thing>(bytes, BodyKind::Create).unwrap_err().code(), Code::MalformedJson);
}

#[test]
fn the_maximum_depth_holds_for_kept_and_discarded_values() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    for field in ["meta", "name", "unknown", "id"] {
        // The body's own object is the first level.
        let body = |depth| format!("{{\"{field}\":{}}}", nested(depth));
        let code = |depth| read(&body(depth), BodyKind::Create).unwrap_err().code();
        assert_eq!(code(63), Code::ValidationFailed, "{field}");
        assert_eq!(code(64), Code::MalformedJson, "{field}");
    }
}

#[test]
fn a_chosen_key_must_be_a_path_segment() {
    let read = |id: &str| parse_as::<Page>(json!({ "id": id }).to_string().as_bytes(), BodyKind::Create);
    assert!(read("a/b c").is_ok());
    for id in ["batch", "restore", "deleted", "", ".", ".."] {
        assert!(read(id).is_err(), "{id:?}");
    }
    assert!(parse_as::<Page>(b"{}", BodyKind::Create).is_err());
}

/// A body that is not a record: its first field is not a key.
#[derive(Schema)]
#[allow(dead_code)]
struct Credentials {
    username: String,
}

#[test]
fn first_field_of_a_body_that_is_no_record_may_be_any_text() {
    let mounted = MountedResource::new(ResourceOptions::new(Credentials::DESCRIPTOR)).unwrap();
    let view = FieldVisibility::default();
    for name in ["batch", "restore", "", "."] {
        let bytes = json!({ "username": name }).to_string();
        assert!(parse(&mounted, &BodyRules::without_principal(&view), bytes.as_bytes()).is_ok(), "{name:?}");
    }
}

#[test]
fn a_name_is_reported_once_and_the_nearest_spelling_for_the_first_three() {
    let members: Vec<String> = (0..10_000).map(|number| format!("\"coun{}\":1", number % 100)).collect();
    let problem = read(&format!("{{{}}}", members.join(",")), BodyKind::Update).unwrap_err();
    assert_eq!(problem.errors().len(), 100);
    let hints = problem.errors().iter().filter(|error| error.detail().contains("did you mean `count`")).count();
    assert_eq!(hints, 3);
}
