//! The document describes each field, in records and in the bodies that create and change them.

use std::collections::BTreeSet;

use crud_tests::http::on_kitchen;
use serde_json::{Map, Value, json};

/// The schema of the enum in dense records: each resource names its own.
const PRIORITY: &str = "#/components/schemas/DensePriority";

/// The schema of each type of field in a record, without its description.
fn types() -> [(&'static str, Value); 19] {
    const DATE_TIME: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$";
    const TIME: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{6}$";
    let integer = |format: &str, minimum: i64, maximum: i64| json!({ "type": "integer", "format": format, "minimum": minimum, "maximum": maximum });
    [
        ("flag", json!({ "type": "boolean" })),
        ("small", integer("int16", i16::MIN.into(), i16::MAX.into())),
        ("medium", integer("int32", i32::MIN.into(), i32::MAX.into())),
        ("large", integer("int64", i64::MIN, i64::MAX)),
        ("unsigned", integer("uint32", 0, u32::MAX.into())),
        (
            "single",
            json!({ "type": "number", "format": "float", "minimum": -3.402_823_5e38, "maximum": 3.402_823_5e38 }),
        ),
        ("double", json!({ "type": "number", "format": "double" })),
        ("text", json!({ "type": "string" })),
        ("instant", json!({ "type": "string", "format": "date-time", "pattern": DATE_TIME })),
        ("day", json!({ "type": "string", "format": "date" })),
        ("time", json!({ "type": "string", "format": "time-local", "pattern": TIME })),
        ("local", json!({ "type": "string", "format": "date-time-local" })),
        ("uuid", json!({ "type": "string", "format": "uuid" })),
        ("decimal", json!({ "type": "string", "format": "decimal" })),
        // Any value.
        ("json", json!({})),
        ("bytes", json!({ "type": "string", "contentEncoding": "base64" })),
        ("texts", json!({ "type": "array", "items": { "type": "string" } })),
        ("priority", json!({ "$ref": PRIORITY })),
        ("sku", json!({ "type": "string" })),
    ]
}

/// A schema that permits null too.
fn nullable(mut schema: Value) -> Value {
    if schema.get("$ref").is_some() {
        return json!({ "oneOf": [schema, { "type": "null" }] });
    }
    if let Some(name) = schema.get("type").cloned() {
        schema["type"] = json!([name, "null"]);
    }
    schema
}

fn names(schema: &Value) -> BTreeSet<&str> {
    schema["properties"].as_object().expect("properties").keys().map(String::as_str).collect()
}

fn required(schema: &Value) -> BTreeSet<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(' ').filter(|word| !word.is_empty()).collect()
}

/// The schemas whose names end like this, without the document's own.
fn schemas<'a>(document: &'a Value, end: &str) -> Vec<(&'a String, &'a Value)> {
    let schemas: &Map<_, _> = document["components"]["schemas"].as_object().expect("schemas");
    schemas.iter().filter(|(name, _)| name.ends_with(end) && !name.contains("Batch")).collect()
}

#[test]
fn each_type_of_field_has_its_schema() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let schemas = &document["components"]["schemas"];
        for (field, expected) in types() {
            let mut sparse = expected.clone();
            if field == "priority" {
                sparse["$ref"] = json!(PRIORITY.replace("Dense", "Sparse"));
            }
            for (record, expected) in [("Dense", expected), ("Sparse", nullable(sparse))] {
                let mut found = schemas[record]["properties"][field].clone();
                let found = found.as_object_mut().expect("a schema");
                let description = found.remove("description");
                assert!(description.is_some(), "{record}.{field}");
                for (key, value) in expected.as_object().expect("an object") {
                    assert_eq!(found.remove(key).as_ref(), Some(value), "{record}.{field}: {key}");
                }
                let pattern = found.remove("pattern");
                assert_eq!(pattern.is_some(), matches!(field, "local" | "decimal"), "{record}.{field}: {pattern:?}");
                assert!(found.is_empty(), "{record}.{field}: {found:?}");
            }
        }
        assert_eq!(names(&schemas["Dense"]).len(), types().len() + 2, "and the key, and what cannot be read");
    });
}

#[test]
fn values_of_an_enum_field_are_a_schema_of_its_resource() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let enumeration = document.pointer(PRIORITY.trim_start_matches('#')).expect("a schema");
        assert_eq!(*enumeration, json!({ "type": "string", "enum": ["Low", "Normal", "High"] }));
        let inline = json!(["Low", "Normal", "High"]).to_string();
        let schemas = document["components"]["schemas"].as_object().expect("schemas");
        let named: Vec<_> =
            schemas.iter().filter(|(_, schema)| **schema == *enumeration).map(|(name, _)| name).collect();
        assert!(named.len() > 2 && named.iter().all(|name| name.ends_with("Priority")), "{named:?}");
        assert_eq!(document.to_string().matches(&inline).count(), named.len(), "the values are nowhere else");
    });
}

#[test]
fn precision_and_scale_are_the_decimals_pattern() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let schemas = &document["components"]["schemas"];
        for (record, field, pattern) in [
            ("Dense", "decimal", "^-?(0|[1-9][0-9]{0,8})(\\.[0-9]{1,3}0*)?$"),
            ("Sparse", "decimal", "^-?(0|[1-9][0-9]{0,13})(\\.[0-9]{1,4}0*)?$"),
            ("Ledger", "amount", "^-?(0|[1-9][0-9]{0,7})(\\.[0-9]{1,2}0*)?$"),
        ] {
            assert_eq!(schemas[record]["properties"][field]["pattern"], pattern, "{record}");
        }
    });
}

#[test]
fn a_record_has_every_field_that_it_shows() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let created = schemas(&document, "Create");
        assert_eq!(created.len(), 38);
        for (name, _) in created {
            let name = name.trim_end_matches("Create");
            let record = &document["components"]["schemas"][name];
            let shown: BTreeSet<_> = names(record).into_iter().filter(|field| *field != "unreadable").collect();
            assert_eq!(required(record), shown, "{name}");
            let hidden = record["properties"].as_object().expect(name).values().any(|field| field["writeOnly"] == true);
            assert!(!hidden, "{name} shows what is only written");
        }
    });
}

#[test]
fn a_body_has_no_fields_but_those_it_names() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        for (name, schema) in ["Create", "Patch"].into_iter().flat_map(|end| schemas(&document, end)) {
            assert_eq!(schema["additionalProperties"], false, "{name}");
        }
    });
}

#[test]
fn a_body_that_creates_requires_what_has_neither_default_nor_null() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let schemas = &document["components"]["schemas"];
        for (name, expected) in [
            ("SparseCreate", ""),
            ("CheckedCreate", ""),
            ("TrayCreate", "trayCode itemCount"),
            ("DraftCreate", "slug wordCount"),
            ("ParcelCreate", "code weight"),
            ("SlipCreate", "code amount"),
            ("LedgerCreate", "name"),
            ("CouponCreate", "worth"),
        ] {
            assert_eq!(required(&schemas[name]), words(expected), "{name}");
        }
        let dense: BTreeSet<_> = types().map(|(field, _)| field).into();
        assert_eq!(required(&schemas["DenseCreate"]), dense);
    });
}

#[test]
fn a_body_that_changes_requires_nothing() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let patches = schemas(&document, "Patch");
        assert_eq!(patches.len(), 36);
        for (name, schema) in patches {
            assert_eq!(required(schema), BTreeSet::new(), "{name}");
        }
        assert_eq!(required(&document["components"]["schemas"]["ParcelBatchItem"]), words("id"));
    });
}

#[test]
fn what_the_service_sets_is_read_only_in_bodies() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        for (name, expected) in [
            ("DenseCreate", "id"),
            ("TrayCreate", ""),
            ("TrayPatch", "trayCode"),
            ("ParcelCreate", "id created_at updated_at"),
            // Immutable.
            ("ParcelPatch", "id origin created_at updated_at"),
            ("LedgerCreate", "id balance created_at updated_at deleted_at is_deleted"),
            ("DraftCreate", "touchedAt removedAt isDeleted"),
        ] {
            let fields = document["components"]["schemas"][name]["properties"].as_object().expect(name);
            let found = fields.iter().filter(|(_, field)| field["readOnly"] == true).map(|(field, _)| field.as_str());
            assert_eq!(found.collect::<BTreeSet<_>>(), words(expected), "{name}");
        }
    });
}

#[test]
fn what_is_only_written_is_in_bodies_alone() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let schemas = &document["components"]["schemas"];
        for (record, field) in [("Ledger", "pin"), ("Account", "password")] {
            assert!(schemas[record]["properties"][field].is_null(), "{record}");
            for end in ["Create", "Patch"] {
                let body = format!("{record}{end}");
                assert_eq!(schemas[&body]["properties"][field]["writeOnly"], true, "{body}");
            }
        }
    });
}

#[test]
fn a_text_in_a_body_has_no_nul() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let body = &document["components"]["schemas"]["DenseCreate"]["properties"];
        assert_eq!(body["text"]["pattern"], "^[^\\u0000]*$");
        assert_eq!(body["texts"]["items"]["pattern"], "^[^\\u0000]*$");
        assert!(body["json"]["description"].as_str().is_some_and(|text| text.contains("NUL")), "{}", body["json"]);
    });
}

#[test]
fn a_text_key_is_none_of_the_paths_beside_it() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let key = &document["components"]["schemas"]["TrayCreate"]["properties"]["trayCode"];
        assert_eq!(key["not"]["enum"], json!(["batch", "restore", "deleted", "search", "export", "import", ".", ".."]));
        assert_eq!((&key["minLength"], &key["maxLength"]), (&json!(1), &json!(255)));
    });
}

#[test]
fn a_batch_counts_what_succeeded_and_a_partial_one_what_failed() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let schemas = &document["components"]["schemas"];
        for (done, count) in [("Created", "created"), ("Updated", "updated"), ("Deleted", "deleted")] {
            let (atomic, partial) = (&schemas[format!("ParcelBatch{done}")], &schemas[format!("SlipBatch{done}")]);
            assert_eq!(required(atomic), [count, "items"].into());
            assert_eq!(required(partial), [count, "items", "failed", "errors"].into());
            assert_eq!(atomic["properties"]["items"]["items"]["$ref"], "#/components/schemas/Parcel");
            assert_eq!(partial["properties"]["errors"]["items"]["$ref"], "#/components/schemas/BatchError");
        }
    });
}

#[test]
fn a_page_says_where_it_stands() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let pages = schemas(&document, "List");
        assert!(pages.len() > 25, "{}", pages.len());
        for (name, page) in pages {
            let has_cursors = matches!(name.as_str(), "StepList" | "EssayList");
            let mut members = words("data total total_relation page pages limit skip");
            if has_cursors {
                members.extend(["next_cursor", "prev_cursor"]);
            }
            assert_eq!(required(page), members, "{name}");
            let record = format!("#/components/schemas/{}", name.trim_end_matches("List"));
            assert_eq!(page["properties"]["data"]["items"]["$ref"], record, "{name}");
        }
    });
}

#[test]
fn every_field_is_described() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        for (name, schema) in ["Create", "Patch"].into_iter().flat_map(|end| schemas(&document, end)) {
            for (field, schema) in schema["properties"].as_object().expect(name) {
                assert!(schema["description"].is_string(), "{name}.{field}");
            }
        }
    });
}
