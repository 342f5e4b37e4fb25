//! Each rule on a field is a constraint of its schema where a schema can say it, and a sentence otherwise.

use serde_json::{Value, json};

use crate::{document, field};

/// Checks that the field of the body that creates a `Sparse` has these members, and that the body that changes one has
/// the same.
#[track_caller]
fn has(name: &str, expected: &Value) {
    let document = document("");
    for body in ["SparseCreate", "SparsePatch"] {
        let found = field(&document, body, name);
        for (key, value) in expected.as_object().expect("members") {
            assert_eq!(&found[key], value, "{body}.{name}: {key} in {found}");
        }
    }
}

#[test]
fn bounds_of_numbers() {
    has("integer", &json!({ "type": ["integer", "null"], "format": "int32", "minimum": -5, "maximum": 10 }));
    has("float", &json!({ "type": ["number", "null"], "format": "float", "minimum": 0, "maximum": 0.5 }));
}

#[test]
fn bounds_of_decimals_are_a_sentence() {
    has("decimal", &json!({ "description": "From 0 to 100.", "pattern": "^-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,2}0*)?$" }));
}

#[test]
fn digits_of_decimals() {
    has("whole", &json!({ "pattern": "^-?(0|[1-9][0-9]{0,2})(\\.0+)?$" }));
    has("fraction", &json!({ "pattern": "^-?0(\\.[0-9]{1,4}0*)?$" }));
}

#[test]
fn lengths_of_texts_lists_and_bytes() {
    has("text", &json!({ "minLength": 2, "maxLength": 4, "pattern": "^[^\\u0000]*$" }));
    has("list", &json!({ "minItems": 1, "maxItems": 2 }));
    // Base64 of one to three bytes has four characters.
    has("bytes", &json!({ "minLength": 4, "maxLength": 4, "description": "From 1 to 3 bytes." }));
}

#[test]
fn patterns_stand_beside_the_one_that_forbids_nul() {
    let no_nul = json!([{ "pattern": "^[^\\u0000]*$" }]);
    has("code", &json!({ "pattern": "^[A-Z]{3}-[0-9]+$", "allOf": no_nul }));
    has("somewhere", &json!({ "pattern": "b+", "allOf": no_nul }));
    has("several", &json!({ "pattern": "^[a-z]*$", "minLength": 3, "allOf": no_nul }));
}

#[test]
fn formats_of_texts() {
    has("email", &json!({ "format": "email" }));
    has("url", &json!({ "format": "uri" }));
}

#[test]
fn values_that_are_listed() {
    has("size", &json!({ "enum": ["small", "large", null] }));
    has("factor", &json!({ "enum": [1, 2, 4, null] }));
    let priority = json!({ "$ref": "#/components/schemas/SparsePriority" });
    has("priority", &json!({ "oneOf": [priority, { "type": "null" }] }));
    assert_eq!(document("")["components"]["schemas"]["SparsePriority"]["enum"], json!(["Low", "High"]));
}

#[test]
fn a_check_of_the_programs_own_adds_nothing() {
    has("even", &json!({ "minimum": i64::MIN, "maximum": i64::MAX, "enum": null, "description": null }));
}

#[test]
fn defaults_are_of_the_body_that_creates() {
    let document = document("");
    let description = |schema, name| field(&document, schema, name)["description"].as_str().unwrap_or_default();
    assert_eq!(description("SparseCreate", "boolean"), "Default: `false`.");
    assert_eq!(description("SparseCreate", "single"), "Default: `0.1`.");
    assert_eq!(description("SparsePatch", "boolean"), "");
    assert_eq!(document["components"]["schemas"]["SparseCreate"]["required"], json!(["slug"]));
}

#[test]
fn the_example_holds_every_rule() {
    let document = document("");
    let example = &document["components"]["schemas"]["SparseCreate"]["examples"][0];
    for (name, value) in [
        ("slug", json!("Slug")),
        ("integer", json!(1)),
        ("float", json!(0.5)),
        ("decimal", json!("12.50")),
        ("whole", json!("12")),
        ("fraction", json!("0.0001")),
        ("text", json!("Text")),
        ("bytes", json!("Ynl0")),
        ("list", json!(["text", "text"])),
        ("code", json!("ABC-456")),
        ("somewhere", json!("bbb")),
        ("several", json!("abc")),
        ("email", json!("someone@example.com")),
        ("url", json!("https://example.com/")),
        ("size", json!("small")),
        ("factor", json!(1)),
    ] {
        assert_eq!(example[name], value, "{name}");
    }
    // The document cannot know what a check of the program permits.
    assert!(example.get("even").is_none() && example.get("sku").is_none(), "{example}");
}

#[test]
fn what_is_set_once_or_by_the_service_is_read_only() {
    let document = document("");
    for (body, expected) in [("AccountCreate", "id score"), ("AccountPatch", "id a/b~c score")] {
        let fields = document["components"]["schemas"][body]["properties"].as_object().expect("fields");
        let read_only = fields.iter().filter(|(_, field)| field["readOnly"] == true);
        assert_eq!(read_only.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" "), expected, "{body}");
    }
    assert_eq!(field(&document, "AccountCreate", "password")["writeOnly"], true);
}
