//! The tests of a resource, `tests/resources/product.rs`: formatted as rustfmt would.

use crate::field::{Field, Type};
use crate::model::Model;
use crate::names::{self, article};

/// The width of a line.
const WIDTH: usize = 100;

/// The text of the file.
pub(crate) fn tests(model: &Model) -> String {
    let (snake, plural) = (names::snake(&model.name), names::plural(&model.name));
    let words = snake.replace('_', " ");
    let an = article(&words);
    let parents = parents(model);
    let uses: Vec<String> = parents.iter().map(|parent| format!("use super::{};\n", names::module(parent))).collect();
    let (uses, title, body, update) = (uses.concat(), plural.replace('_', " "), body(model), update(model));
    let api = if parents.is_empty() { "_api" } else { "api" };
    format!(
        r#"//! The {title} over HTTP.

use serde_json::{{Value, json}};

{uses}use crate::Api;

pub const PREFIX: &str = "/{plural}";

/// A body that creates {an} {words}.
pub fn body({api}: &Api) -> Value {{
{body}
}}

#[test]
fn {an}_{snake}_is_created_read_updated_and_deleted() {{
    let api = Api::start();
    let created = api.post(PREFIX, &body(&api)).expect(201).json();
    let path = format!("{{PREFIX}}/{{}}", created["id"]);
    assert_eq!(api.get(&path).expect(200).json(), created);
{update}
    assert_eq!(api.get(&path).expect(200).json(), updated);
    api.delete(&path).expect(200);
    api.get(&path).problem("not_found");
}}
"#
    )
}

/// The models whose records a record of this model requires.
pub(crate) fn parents(model: &Model) -> Vec<&str> {
    let needed = |target: &&str| model.fields.iter().any(|field| field.target() == Some(target) && field.is_required());
    model.targets().into_iter().filter(needed).collect()
}

/// The lines of a create's body.
fn body(model: &Model) -> String {
    let members: Vec<String> = model.fields.iter().filter_map(member).collect();
    let line = format!("    json!({{ {} }})", members.join(", "));
    if line.len() <= WIDTH {
        return line;
    }
    format!("    json!({{\n        {},\n    }})", members.join(",\n        "))
}

fn member(field: &Field) -> Option<String> {
    if field.is_managed() {
        return None;
    }
    let value = match &field.ty {
        // A nullable reference needs no record.
        Type::Ref(_) if !field.is_required() => return None,
        Type::Ref(target) => format!("api.any({0}::PREFIX, &{0}::body(api))[\"id\"]", names::module(target)),
        ty => samples(ty).0,
    };
    Some(format!("\"{}\": {value}", field.name))
}

/// The lines that update the first field with two sample values, or nothing.
fn update(model: &Model) -> String {
    let other = |field: &Field| {
        let (one, other) = samples(&field.ty);
        let changes = !matches!(field.ty, Type::Ref(_)) && !field.is_managed() && one != other;
        changes.then(|| format!("\"{}\": {other}", field.name))
    };
    match model.fields.iter().find_map(other) {
        Some(change) => format!(
            "    let change = json!({{ {change} }});\n    let updated = api.put(&path, &change).expect(200).json();\n    \
             assert_ne!(updated, created);"
        ),
        None => "    let updated = api.put(&path, &json!({})).expect(200).json();\n    assert_eq!(updated, created);"
            .to_owned(),
    }
}

/// Two values of a type, as they are written in `json!`.
fn samples(ty: &Type) -> (String, String) {
    let (one, other) = match ty {
        Type::Text => ("\"text\"", "\"another text\""),
        Type::Int(_) | Type::Ref(_) => ("1", "2"),
        Type::Float(_) => ("1.5", "2.5"),
        Type::Bool => ("true", "false"),
        Type::DateTime => ("\"2026-01-31T12:00:00.000000Z\"", "\"2026-02-28T12:00:00.000000Z\""),
        Type::Date => ("\"2026-01-31\"", "\"2026-02-28\""),
        Type::Uuid => ("\"0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f\"", "\"0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e10\""),
        Type::Decimal => ("\"1.5000\"", "\"2.5000\""),
        Type::Json => ("{ \"any\": \"thing\" }", "{ \"any\": \"other\" }"),
        Type::Bytes => ("\"b25l\"", "\"b3RoZXI=\""),
        Type::Enum(values) => {
            let quoted = |value: Option<&String>| format!("{:?}", value.map_or("", String::as_str));
            return (quoted(values.first()), quoted(values.last()));
        }
    };
    (one.to_owned(), other.to_owned())
}
