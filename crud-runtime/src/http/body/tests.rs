use serde_json::json;

use super::{Body, Mode, parse};
use crate::model::problem::{Code, Problem};
use crate::model::value::Value;
use crate::prelude::*;
use crate::query::visibility::View;
use crate::store::mounted_resource::MountedResource;
use crate::store::resource_options::ResourceOptions;

/// A record with fields of the kinds that are read in a way of their own.
#[derive(Resource)]
#[allow(dead_code)]
struct Thing {
    id: i64,
    name: String,
    count: i32,
    ratio: f64,
    #[crud(default = 0.5)]
    small: f32,
    note: Option<String>,
    #[crud(default = serde_json::Value::Null)]
    meta: serde_json::Value,
    extra: Option<serde_json::Value>,
    #[crud(default = Vec::new())]
    labels: Vec<String>,
    #[crud(rename = "a/b~c", min = 1, default = 1)]
    odd: i64,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
}

/// A record whose key the client names.
#[derive(Resource)]
#[allow(dead_code)]
struct Page {
    id: String,
}

fn mounted<R: Resource>() -> MountedResource {
    MountedResource::new(ResourceOptions::new(R::DESCRIPTOR)).unwrap()
}

fn read(json: &str, mode: Mode) -> Result<Body, Problem> {
    parse(&mounted::<Thing>(), &View::default(), json.as_bytes(), mode)
}

/// The value of one field, read by an update.
fn value(name: &str, json: &str) -> Result<Value, Problem> {
    let index = Thing::DESCRIPTOR.columns.iter().position(|column| column.name == name).unwrap();
    let column = &Thing::DESCRIPTOR.columns[index];
    let body = read(&format!("{{{}{json}}}", column.key), Mode::Update)?;
    Ok(body.changes.get(index).cloned().unwrap())
}

/// The places and codes of a body's errors.
fn errors(json: &str, mode: Mode) -> Vec<String> {
    let problem = read(json, mode).unwrap_err();
    assert_eq!(problem.code(), Code::ValidationFailed, "{problem}");
    let places = serde_json::to_value(problem.errors()).unwrap();
    let line = |error: &serde_json::Value| {
        format!("{} {}", error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())
    };
    places.as_array().unwrap().iter().map(line).collect()
}

#[test]
fn every_mistake_is_found_in_one_pass() {
    let body = json!({"name": 1, "count": "x", "ratio": null, "nme": 1, "labels": ["a", 2], "a/b~c": 0}).to_string();
    assert_eq!(
        errors(&body, Mode::Create),
        ["/name type", "/count type", "/ratio type", "/nme unknown_field", "/labels/1 type", "/a~1b~0c min"]
    );
}

#[test]
fn what_is_missing_is_named_where_it_should_be() {
    assert_eq!(errors("{}", Mode::Create), ["/name required", "/count required", "/ratio required"]);
    assert!(read("{}", Mode::Update).unwrap().changes.is_empty());
}

#[test]
fn a_wrong_value_is_not_missing_too() {
    assert_eq!(errors(r#"{"name":1,"count":1,"ratio":1}"#, Mode::Create), ["/name type"]);
}

#[test]
fn a_name_given_twice_is_refused() {
    assert_eq!(errors(r#"{"count":1,"count":2}"#, Mode::Update), ["/count duplicate"]);
    assert_eq!(errors(r#"{"meta":{"a":{"b":1,"b":2}}}"#, Mode::Update), ["/meta/a/b duplicate"]);
    assert_eq!(errors(r#"{"x":1,"x":2}"#, Mode::Update), ["/x unknown_field"]);
}

#[test]
fn what_the_service_sets_is_passed_over() {
    let body = read(r#"{"id":[1],"created_at":"x","name":"n","count":1,"ratio":1}"#, Mode::Create).unwrap();
    assert_eq!(body.changes.len(), 3);
    assert_eq!(read(r#"{"id":7}"#, Mode::Update).unwrap().id, Some(Value::Int(7)));
}

#[test]
fn integers_keep_every_digit_and_their_range() {
    assert_eq!(value("odd", "9007199254740993").unwrap(), Value::Int(9_007_199_254_740_993));
    assert_eq!(value("odd", "1.0").unwrap(), Value::Int(1));
    assert_eq!(errors(r#"{"count":2147483648}"#, Mode::Update), ["/count range"]);
    assert_eq!(errors(r#"{"a/b~c":9223372036854775808}"#, Mode::Update), ["/a~1b~0c range"]);
    assert_eq!(errors(r#"{"a/b~c":1e300}"#, Mode::Update), ["/a~1b~0c range"]);
    assert_eq!(errors(r#"{"count":1.5}"#, Mode::Update), ["/count type"]);
}

#[test]
fn floats_are_finite_and_zero_has_no_sign() {
    assert_eq!(value("ratio", "0.1").unwrap(), Value::Float(0.1));
    assert_eq!(value("ratio", "3").unwrap(), Value::Float(3.0));
    assert_eq!(value("small", "0.1").unwrap(), Value::Float(f64::from(0.1_f32)));
    let Value::Float(zero) = value("ratio", "-0.0").unwrap() else { panic!("not a float") };
    assert!(zero.is_sign_positive());
    assert_eq!(errors(r#"{"small":1e39}"#, Mode::Update), ["/small range"]);
    assert_eq!(read(r#"{"ratio":1e400}"#, Mode::Update).unwrap_err().code(), Code::MalformedJson);
}

#[test]
fn null_clears_what_can_be_null() {
    assert_eq!(value("note", "null").unwrap(), Value::Null);
    assert_eq!(value("extra", "null").unwrap(), Value::Null);
    assert_eq!(value("meta", "null").unwrap(), Value::Json(json!(null)));
    assert_eq!(errors(r#"{"name":null}"#, Mode::Update), ["/name type"]);
}

#[test]
fn nul_is_refused_wherever_text_can_be() {
    let body = r#"{"name":"a\u0000","labels":["\u0000"],"meta":{"a":"\u0000","\u0000":1},"note":"\u0000"}"#;
    assert_eq!(errors(body, Mode::Update).len(), 5);
}

#[test]
fn what_is_no_object_is_refused_whole() {
    for body in ["1", "[]", "[{}]", "null", "\"x\"", "true", "1.5"] {
        assert_eq!(errors(body, Mode::Create), [" type"], "{body}");
    }
}

#[test]
fn what_is_no_json_is_malformed() {
    for body in ["", "{", "{}x", "{\"name\":}", "{'name':1}", "\u{feff}{}", "{\"name\":\"\u{1}\"}", "NaN"] {
        assert_eq!(read(body, Mode::Create).unwrap_err().code(), Code::MalformedJson, "{body:?}");
    }
    let bytes = b"{\"name\":\"\xff\"}";
    assert_eq!(
        parse(&mounted::<Thing>(), &View::default(), bytes, Mode::Create).unwrap_err().code(),
        Code::MalformedJson
    );
}

#[test]
fn nesting_ends_at_its_depth_whether_the_value_is_kept_or_passed_over() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    for field in ["meta", "name", "unknown", "id"] {
        // The body's own object is the first level.
        let body = |depth| format!("{{\"{field}\":{}}}", nested(depth));
        let code = |depth| read(&body(depth), Mode::Create).unwrap_err().code();
        assert_eq!(code(63), Code::ValidationFailed, "{field}");
        assert_eq!(code(64), Code::MalformedJson, "{field}");
    }
}

#[test]
fn a_key_that_the_client_names_can_stand_in_a_path() {
    let read = |id: &str| {
        parse(&mounted::<Page>(), &View::default(), json!({ "id": id }).to_string().as_bytes(), Mode::Create)
    };
    assert!(read("a/b c").is_ok());
    for id in ["batch", "restore", "deleted", "", ".", ".."] {
        assert!(read(id).is_err(), "{id:?}");
    }
    assert!(parse(&mounted::<Page>(), &View::default(), b"{}", Mode::Create).is_err());
}
