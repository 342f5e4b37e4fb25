//! The effect of each change in `changes.json`, which also has the verdict of oasdiff, and the reason where the two differ.

use std::env;
use std::fs;
use std::process::Command;

use crud_contract::{Contract, Effect};
use serde_json::{Value, json};

const BASE: &str = include_str!("base.json");
const CHANGES: &str = include_str!("changes.json");

fn base() -> Value {
    serde_json::from_str(BASE).expect("JSON")
}

fn rows() -> Vec<Value> {
    serde_json::from_str(CHANGES).expect("JSON")
}

fn text<'r>(row: &'r Value, key: &str) -> &'r str {
    row[key].as_str().unwrap_or_else(|| panic!("{row} has no `{key}`"))
}

/// The document after a patch, of RFC 6902's `add`, `remove` and `move`.
fn patched(row: &Value) -> Value {
    let mut document = base();
    for step in row["patch"].as_array().expect("steps") {
        let value = match text(step, "op") {
            "move" => Some(taken(&mut document, text(step, "from"))),
            "add" => Some(step["value"].clone()),
            _ => None,
        };
        match value {
            Some(value) => put(&mut document, text(step, "path"), value),
            None => drop(taken(&mut document, text(step, "path"))),
        }
    }
    document
}

fn parent<'d>(document: &'d mut Value, path: &str) -> (&'d mut Value, String) {
    let (above, last) = path.rsplit_once('/').expect("a path");
    let last = last.replace("~1", "/").replace("~0", "~");
    (document.pointer_mut(above).unwrap_or_else(|| panic!("no {above}")), last)
}

fn taken(document: &mut Value, path: &str) -> Value {
    let (parent, last) = parent(document, path);
    match parent {
        Value::Array(items) => items.remove(last.parse().expect("a number")),
        other => other.as_object_mut().and_then(|it| it.remove(&last)).unwrap_or_else(|| panic!("no {path}")),
    }
}

fn put(document: &mut Value, path: &str, value: Value) {
    let (parent, last) = parent(document, path);
    match parent {
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => items.insert(last.parse().expect("a number"), value),
        other => drop(other.as_object_mut().expect("an object").insert(last, value)),
    }
}

fn effect(row: &Value) -> (&'static str, String) {
    let changes = Contract::of_document(&base()).changes_to(&Contract::of_document(&patched(row)));
    let name = match changes.iter().map(|change| change.effect).min() {
        None => "none",
        Some(Effect::Breaking) => "breaking",
        Some(Effect::Careful) => "careful",
        Some(_) => "compatible",
    };
    (name, changes.to_string())
}

#[test]
fn each_change_has_its_effect() {
    for row in rows() {
        let (effect, words) = effect(&row);
        assert_eq!(effect, text(&row, "effect"), "{}\n{words}", text(&row, "change"));
    }
}

#[test]
fn verdicts_that_differ_from_oasdiffs_have_a_reason() {
    let rows = rows();
    assert!(rows.len() >= 60, "{}", rows.len());
    for row in rows {
        let is_other = row["effect"] != row["oasdiff"];
        assert_eq!(is_other, row["why"].is_string(), "{}", text(&row, "change"));
    }
}

#[test]
fn words_name_the_change_and_the_attribute_that_keeps_the_name() {
    let words: Vec<String> = rows().iter().map(|row| format!("# {}\n{}", text(row, "change"), effect(row).1)).collect();
    let words = words.join("\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/words.txt");
    if env::var_os("CRUD_TEST_UPDATE").is_some() {
        fs::write(path, &words).expect("a file");
    }
    let stated = fs::read_to_string(path).unwrap_or_default();
    assert!(stated == words, "`CRUD_TEST_UPDATE=1` writes tests/words.txt anew: read its diff");
}

#[test]
fn lock_file_is_read_as_it_is_written() {
    let contract = Contract::of_document(&base());
    let text = contract.to_text();
    let read = Contract::parse(&text).expect("a contract");
    assert!(contract.changes_to(&read).is_empty() && read.changes_to(&contract).is_empty());
    assert_eq!(read.to_text(), text);
    assert!(text.lines().all(|line| line.len() <= 200), "{text}");
    let field = r#"        "name": { "type": "string", "minLength": 1, "maxLength": 200 },"#;
    assert!(text.lines().any(|line| line == field), "{text}");
    let mut shuffled = base();
    let paths = shuffled["paths"].as_object_mut().expect("paths");
    let all: Vec<_> = std::mem::take(paths).into_iter().rev().collect();
    paths.extend(all);
    assert_eq!(Contract::of_document(&shuffled).to_text(), text, "the order is the same");
}

#[test]
fn texts_that_are_no_contract_are_refused() {
    for (text, words) in [
        ("{", "it is not JSON"),
        ("{}", "neither a lock file nor an OpenAPI document"),
        ("[1]", "neither a lock file nor an OpenAPI document"),
        (r#"{"format":2}"#, "it has the format 2"),
    ] {
        let refused = Contract::parse(text).expect_err("an error").to_string();
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn types_that_refer_to_themselves_are_compared() {
    let of = |field: &str| {
        let node = json!({ "type": "object", "properties": {
            field: { "type": "string" }, "next": { "$ref": "#/components/schemas/Node" },
        } });
        let schema = json!({ "$ref": "#/components/schemas/Node" });
        let answer = json!({ "content": { "application/json": { "schema": schema } } });
        Contract::of_document(&json!({
            "openapi": "3.1.0", "paths": { "/n": { "get": { "responses": { "200": answer } } } },
            "components": { "schemas": { "Node": node } },
        }))
    };
    assert_eq!(of("a").changes_to(&of("b")).breaking().count(), 1);
}

#[test]
fn filters_of_a_renamed_field_are_one_change_with_it() {
    let of = |field: &str| {
        let text = json!({ "type": "string" });
        let [more, some] = ["gt", "in"].map(|filter| format!("{field}__{filter}"));
        let parameters = [field, &more, &some].map(|name| json!({ "name": name, "in": "query", "schema": text }));
        let body = json!({ "properties": { field: text, more: text, some: text } });
        Contract::of_document(&json!({ "openapi": "3.1.0", "paths": { "/books/search": { "post": {
            "parameters": parameters, "responses": {},
            "requestBody": { "content": { "application/json": { "schema": body } } },
        } } } }))
    };
    let changes = of("pages").changes_to(&of("length"));
    let words: Vec<&str> = changes.iter().map(|change| &*change.words).collect();
    let [parameter, field] = ["the parameter", "the field"]
        .map(|word| [format!("{word} `pages` is removed"), format!("{word} `length` is new")]);
    assert_eq!(words, [&parameter[0], &field[0], &parameter[1], &field[1]], "{changes}");
}

#[test]
fn orders_of_a_renamed_field_are_one_change_in_words_of_orders() {
    let of = |field: &str| {
        let sort = json!({ "type": "string", "enum": ["id", "-id", field, format!("-{field}")] });
        let body = json!({ "properties": { "sort": { "type": "array", "items": { "$ref": "#/components/schemas/BookSort" } } } });
        Contract::of_document(&json!({
            "openapi": "3.1.0", "components": { "schemas": { "BookSort": sort } },
            "paths": { "/books/search": { "post": {
                "responses": {}, "requestBody": { "content": { "application/json": { "schema": body } } },
            } } },
        }))
    };
    let changes = of("pages").changes_to(&of("length"));
    let words: Vec<&str> = changes.iter().map(|change| &*change.words).collect();
    assert_eq!(words, ["the order by \"pages\" is removed", "the order by \"length\" is new"], "{changes}");
    assert!(changes.to_string().contains("`sort` of the struct brings it back"), "{changes}");
}

#[test]
fn test_of_a_project_fails_with_what_to_do() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("api.lock.json");
    crud_contract::assert_compatible(&file, BASE);
    fs::write(&file, Contract::of_document(&base()).to_text()).expect("a file");
    crud_contract::assert_compatible(&file, BASE);
    let rows = rows();
    let renamed = rows.iter().find(|row| row["change"] == "field of answers has another name").expect("the row");
    let document = patched(renamed).to_string();
    let failed =
        std::panic::catch_unwind(|| crud_contract::assert_compatible(&file, &document)).expect_err("a failure");
    let said = failed.downcast::<String>().expect("words");
    assert!(said.contains("if you mean that, run `crud api lock`"), "{said}");
    assert!(said.contains("`rename = \"name\"` on `title` keeps the one in JSON"), "{said}");
}

/// With `CRUD_TEST_OASDIFF`, the program's path: `go install github.com/oasdiff/oasdiff@latest`.
#[test]
fn verdicts_of_oasdiff_are_as_stated() {
    let Some(oasdiff) = env::var_os("CRUD_TEST_OASDIFF") else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let [old, new] = ["old.json", "new.json"].map(|name| directory.path().join(name));
    fs::write(&old, BASE).expect("a file");
    for row in rows() {
        fs::write(&new, patched(&row).to_string()).expect("a file");
        let ran = Command::new(&oasdiff).arg("changelog").args([&old, &new]).args(["-f", "json"]).output();
        let output = ran.expect("oasdiff runs");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let found = found.get("changes").unwrap_or(&found).as_array().cloned().unwrap_or_default();
        let verdict = match found.iter().filter_map(|it| it["level"].as_u64()).max() {
            None => "none",
            Some(1) => "compatible",
            Some(2) => "careful",
            Some(_) => "breaking",
        };
        assert_eq!(verdict, text(&row, "oasdiff"), "{}: {found:?}", text(&row, "change"));
    }
}
