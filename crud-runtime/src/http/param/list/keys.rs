//! The parameter `id__in`: records by their keys, where a key has several fields and no field is called `id`.

use super::json::texts;
use super::parser::{Control, Group, Parser};
use super::value_list::{MAX_LIST, split_lists};
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::http::description::value_schema::key_schema;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::query::Predicate;

/// The name of the parameter.
const NAME: &str = "id__in";

pub(super) static KEYS: Control = Control {
    name: NAME,
    group: Group::Condition,
    is_of: |parser| is_of(parser.context.resource),
    read: |parser, values| match split_lists(values) {
        Ok(texts) => parser.read_keys(texts.iter().map(String::as_str)),
        Err(error) => parser.reject(NAME, "value", error.message()),
    },
    read_member: |parser, value| match texts(value) {
        Some(texts) if texts.len() <= MAX_LIST => parser.read_keys(texts.into_iter()),
        Some(_) => parser.reject(NAME, "value", format!("must have at most {MAX_LIST} values")),
        None => parser.reject(NAME, "type", "must be an array of keys, each the text of its path"),
    },
    document: |options, _, _| {
        let descriptor = options.descriptor;
        let schema = Schema::text().with("examples", vec![format!("\"{}\"", descriptor.key_names())]);
        let description = format!(
            "Records with one of these keys, each in double quotes and as in paths: {}",
            key_schema(descriptor).description()
        );
        is_of(descriptor).then(|| ParameterObject::query(NAME, description, schema))
    },
};

/// Whether lists can be filtered by every field of a composite key, and no field has the parameter's name.
fn is_of(resource: &Descriptor) -> bool {
    let mut parts = resource.key().iter();
    resource.key().len() > 1
        && parts.all(|part| resource.columns[*part].filterable)
        && resource.json_field("id").is_none()
}

impl Parser<'_> {
    fn read_keys<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        let resource = self.context.resource;
        match texts.map(|text| Key::parse_stored(resource, text)).collect::<Result<Vec<_>, _>>() {
            Ok(keys) => {
                self.filters += 1;
                self.add(Predicate::of_keys(resource, &keys));
            }
            Err(error) => self.reject(NAME, "value", error.message()),
        }
    }
}
