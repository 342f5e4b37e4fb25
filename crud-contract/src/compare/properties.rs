//! Fields of objects.

use serde_json::Value as Json;

use super::values::resolved;
use super::{Comparison, Direction};
use crate::change::Effect;
use crate::contract::members;

/// The way to make a field optional.
const OPTIONAL: &str = "`default = …` or `Option<…>` makes it optional";

impl Comparison<'_> {
    pub(super) fn properties(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        let has = |schema: &Json, name: &str| schema["properties"].get(name).filter(|it| is_of(it, direction)).cloned();
        let fields = |schema: &Json| -> Vec<(String, Json)> {
            let all = members(&schema["properties"]).filter(|(_, it)| is_of(it, direction));
            all.map(|(name, schema)| (name.clone(), schema.clone())).collect()
        };
        let added: Vec<_> = fields(new).into_iter().filter(|(name, _)| has(old, name).is_none()).collect();
        let is_gone = |name: &str| has(old, name).is_some() && has(new, name).is_none();
        for (name, schema) in fields(old) {
            match has(new, &name) {
                None if filtered(&name).is_some_and(is_gone) => {}
                None => self.removed_field(place, (&name, &schema), &added),
                Some(newer) => {
                    self.requirement(place, &name, (requires(old, &name), requires(new, &name)), direction);
                    self.value(&within(place, &name), &schema, &newer, direction);
                }
            }
        }
        let is_new = |name: &str| added.iter().any(|(new, _)| new == name);
        for (name, _) in added.iter().filter(|(name, _)| !filtered(name).is_some_and(is_new)) {
            self.added_field(place, name, direction == Direction::Request && requires(new, name));
        }
    }

    /// Reports a removed field. A new field of the same type may be the field under a new name.
    fn removed_field(&mut self, place: &str, (name, schema): (&str, &Json), added: &[(String, Json)]) {
        let renamed = added.iter().find(|(_, it)| resolved(self.new, it) == resolved(self.old, schema));
        let hint = renamed.map_or_else(String::new, |(name, _)| format!(" on `{name}`"));
        let keep = format!("if the field has a new name, `rename = \"{name}\"`{hint} keeps the one in JSON");
        self.add(Effect::Breaking, place.to_owned(), format!("the field `{name}` is removed"), Some(keep));
    }

    fn added_field(&mut self, place: &str, name: &str, is_required: bool) {
        let (effect, words, keep) = if is_required {
            (Effect::Breaking, format!("the field `{name}` is new, and required"), Some(OPTIONAL.to_owned()))
        } else {
            (Effect::Compatible, format!("the field `{name}` is new"), None)
        };
        self.add(effect, place.to_owned(), words, keep);
    }

    /// Compares whether bodies must have a field, or whether answers always have it.
    fn requirement(&mut self, place: &str, name: &str, required: (bool, bool), direction: Direction) {
        let (effect, words, keep) = match (required, direction) {
            ((false, true), Direction::Request) => (Effect::Breaking, "is required", Some(OPTIONAL.to_owned())),
            ((true, false), Direction::Request) => (Effect::Compatible, "is optional", None),
            ((true, false), Direction::Answer) => (Effect::Breaking, "may be absent", None),
            ((false, true), Direction::Answer) => (Effect::Compatible, "is always there", None),
            _ => return,
        };
        self.add(effect, place.to_owned(), format!("the field `{name}` {words}"), keep);
    }
}

/// The field of a filter such as `price__gt`. A change of the field covers its filters.
pub(super) fn filtered(name: &str) -> Option<&str> {
    name.split_once("__").map(|(field, _)| field)
}

/// Whether a field is in bodies, or in answers.
fn is_of(schema: &Json, direction: Direction) -> bool {
    schema[if direction == Direction::Request { "readOnly" } else { "writeOnly" }] != true
}

fn requires(schema: &Json, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|all| all.iter().any(|it| it == name))
}

/// `` `Book.title` in answers `` within `` `Book` in answers ``.
fn within(place: &str, field: &str) -> String {
    match place.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
        Some((name, rest)) => format!("`{name}.{field}`{rest}"),
        None => format!("{place}, `{field}`"),
    }
}
