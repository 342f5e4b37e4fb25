//! Schemas of values, in their direction.

use serde_json::Value as Json;

use super::limits::{LIMITS, Moved};
use super::{Comparison, Direction, types};
use crate::change::Effect;

impl Comparison<'_> {
    /// Compares the schemas of a value at a place. Each pair of named types is compared once in each direction.
    pub(super) fn value(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        let name = |schema: &Json| schema["$ref"].as_str().map(str::to_owned);
        let (was, is) = (name(old), name(new));
        let (older, newer) = (resolved(self.old, old), resolved(self.new, new));
        let at = match &was {
            Some(name) => {
                let pair = (name.clone(), is.unwrap_or_default(), direction);
                // Defaults are beside the reference.
                self.default(place, old, new, direction);
                if !self.known.insert(pair) {
                    return;
                }
                let of = if direction == Direction::Request { "requests" } else { "answers" };
                format!("`{name}` in {of}")
            }
            None => place.to_owned(),
        };
        self.types(&at, older, newer, direction);
        if types::are_apart(older, newer) {
            return;
        }
        self.format(&at, older, newer, direction);
        self.enums(&at, older, newer, direction);
        self.limits(&at, older, newer, direction);
        self.pattern(&at, older, newer, direction);
        self.properties(&at, older, newer, direction);
        self.items(&at, older, newer, direction);
        self.choices(&at, older, newer, direction);
        self.default(&at, older, newer, direction);
    }

    fn types(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        let (was, is) = (types::of(old), types::of(new));
        let (lost, gained) =
            (types::beyond(was.as_deref(), is.as_deref()), types::beyond(is.as_deref(), was.as_deref()));
        let listed = |all: &[String]| all.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(" and ");
        match direction {
            Direction::Request if !lost.is_empty() => {
                let keep = lost.iter().any(|it| it == "null").then(|| "`Option<…>` takes null".to_owned());
                self.add(Effect::Breaking, place.to_owned(), format!("does not take {}", listed(&lost)), keep);
            }
            Direction::Request if !gained.is_empty() => {
                self.add(Effect::Compatible, place.to_owned(), format!("takes {}, too", listed(&gained)), None);
            }
            Direction::Answer if !gained.is_empty() => {
                self.add(Effect::Breaking, place.to_owned(), format!("may be {}", listed(&gained)), None);
            }
            Direction::Answer if !lost.is_empty() => {
                self.add(Effect::Compatible, place.to_owned(), format!("is never {}", listed(&lost)), None);
            }
            _ => {}
        }
    }

    fn format(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        let [was, is] = [old, new].map(|schema| schema["format"].as_str());
        if was == is {
            return;
        }
        let (from, to) = (was.unwrap_or("any"), is.unwrap_or("any"));
        let words = format!("has the format `{to}` in place of `{from}`");
        let is_wider = is.is_none() || was.zip(is).is_some_and(|(was, is)| types::is_within(was, is));
        let is_narrower = was.is_none() || was.zip(is).is_some_and(|(was, is)| types::is_within(is, was));
        let is_safe = if direction == Direction::Request { is_wider } else { is_narrower };
        self.add(if is_safe { Effect::Compatible } else { Effect::Breaking }, place.to_owned(), words, None);
    }

    fn enums(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        let values = |schema: &Json| match (schema.get("enum"), schema.get("const")) {
            (Some(Json::Array(all)), _) => Some(all.clone()),
            (_, Some(one)) => Some(vec![one.clone()]),
            _ => None,
        };
        let (was, is) = (values(old), values(new));
        let missing = |these: &Option<Vec<Json>>, others: &Option<Vec<Json>>| -> Vec<Json> {
            let others = others.as_deref().unwrap_or_default();
            these.iter().flatten().filter(|value| !others.contains(value)).cloned().collect()
        };
        let (removed, added) = (missing(&was, &is), missing(&is, &was));
        match (&was, &is) {
            (None, Some(_)) if direction == Direction::Request => {
                self.add(Effect::Breaking, place.to_owned(), "takes some values alone", None);
                return;
            }
            (Some(_), None) => {
                let effect = if direction == Direction::Request { Effect::Compatible } else { Effect::Careful };
                self.add(effect, place.to_owned(), "is not one of some values alone", None);
                return;
            }
            (Some(_), Some(_)) => {}
            _ => return,
        }
        for value in removed.iter().filter(|value| !is_reverse(value, &removed)) {
            let (words, keep) = (format!("{} is removed", named(value, &removed)), kept(value, &removed));
            match direction {
                Direction::Request => {
                    let keep = is_of_type(place).then_some(keep);
                    self.add(Effect::Breaking, place.to_owned(), words, keep);
                }
                Direction::Answer => self.add(Effect::Compatible, place.to_owned(), words, None),
            }
        }
        for value in added.iter().filter(|value| !is_reverse(value, &added)) {
            let effect = if direction == Direction::Request { Effect::Compatible } else { Effect::Careful };
            self.add(effect, place.to_owned(), format!("{} is new", named(value, &added)), None);
        }
    }

    fn limits(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        for limit in &LIMITS {
            let Some(moved) = limit.moved(old, new) else { continue };
            let [was, is] = [old, new].map(|schema| schema.get(limit.word).map_or("none".to_owned(), Json::to_string));
            let words = format!("the {} is {is} in place of {was}", limit.shown);
            let (effect, keep) = match (direction, moved) {
                (Direction::Request, Moved::Narrower | Moved::Aside) => (Effect::Breaking, !limit.attribute.is_empty()),
                (Direction::Answer, Moved::Wider | Moved::Aside) => (Effect::Careful, false),
                _ => (Effect::Compatible, false),
            };
            let keep = keep && is_of_type(place);
            let keep = keep.then(|| format!("`{}` of the field says the limit", limit.attribute));
            self.add(effect, place.to_owned(), words, keep);
        }
    }

    /// Compares patterns and other keywords whose effect on the valid values is not known.
    fn pattern(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        for word in ["pattern", "contentEncoding", "contentMediaType", "uniqueItems"] {
            let (was, is) = (old.get(word), new.get(word));
            if was == is {
                continue;
            }
            let effect = match (direction, is) {
                (Direction::Request, None) => Effect::Compatible,
                (Direction::Request, Some(_)) => Effect::Breaking,
                (Direction::Answer, _) if was.is_none() => Effect::Compatible,
                (Direction::Answer, _) => Effect::Careful,
            };
            let [was, is] = [was, is].map(|it| it.map_or("none".to_owned(), Json::to_string));
            self.add(effect, place.to_owned(), format!("`{word}` is {is} in place of {was}"), None);
        }
    }

    fn items(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        if let (Some(was), Some(is)) = (old.get("items"), new.get("items")) {
            self.value(&format!("{place}, items"), was, is, direction);
        }
        match (old.get("additionalProperties"), new.get("additionalProperties")) {
            (Some(was), Some(is)) if was.is_object() && is.is_object() => {
                self.value(&format!("{place}, members"), was, is, direction);
            }
            (was, is) if was != is && is == Some(&Json::Bool(false)) && direction == Direction::Request => {
                self.add(Effect::Breaking, place.to_owned(), "takes no other members", None);
            }
            _ => {}
        }
    }

    /// Compares `oneOf` and the like, part by part.
    fn choices(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        for word in ["oneOf", "anyOf", "allOf"] {
            let [was, is] = [old, new].map(|schema| schema[word].as_array().map_or(&[][..], Vec::as_slice));
            if was.len() == is.len() {
                for (was, is) in was.iter().zip(is) {
                    self.value(&format!("{place}, a part"), was, is, direction);
                }
                continue;
            }
            let is_more = is.len() > was.len();
            let effect = match (direction, is_more != (word == "allOf")) {
                (Direction::Answer, true) => Effect::Careful,
                (Direction::Request, false) => Effect::Breaking,
                (Direction::Request, true) | (Direction::Answer, false) => Effect::Compatible,
            };
            let words = format!("`{word}` has {} parts in place of {}", is.len(), was.len());
            self.add(effect, place.to_owned(), words, None);
        }
    }

    fn default(&mut self, place: &str, old: &Json, new: &Json, direction: Direction) {
        let (was, is) = (old.get("default"), new.get("default"));
        if direction == Direction::Answer || was == is {
            return;
        }
        let [from, to] = [was, is].map(|it| it.map_or("none".to_owned(), Json::to_string));
        let words = format!("the default is {to} in place of {from}");
        let (effect, keep) = match was {
            Some(_) => (
                Effect::Breaking,
                Some("state the former `default = …`: requests without the value rely on it".to_owned()),
            ),
            None => (Effect::Compatible, None),
        };
        self.add(effect, place.to_owned(), words, keep);
    }
}

/// Whether a value is an order such as `-price`, and `price` has changed too: both are one change.
fn is_reverse(value: &Json, changed: &[Json]) -> bool {
    let order = value.as_str().and_then(|text| text.strip_prefix('-'));
    order.is_some_and(|order| changed.iter().any(|other| other == order))
}

/// Whether a value is an order such as `price`, and `-price` has changed too.
fn is_order(value: &Json, changed: &[Json]) -> bool {
    let is_reversed =
        |order: &str| changed.iter().filter_map(Json::as_str).any(|it| it.strip_prefix('-') == Some(order));
    value.as_str().is_some_and(is_reversed)
}

fn named(value: &Json, changed: &[Json]) -> String {
    let word = if is_order(value, changed) { "order by" } else { "value" };
    format!("the {word} {value}")
}

/// The attribute that keeps a former value, in words.
fn kept(value: &Json, changed: &[Json]) -> String {
    if is_order(value, changed) {
        format!("`sort` of the struct brings it back, and `rename = {value}` where the field has a new name")
    } else {
        format!("`rename = {value}` on the variant keeps its text")
    }
}

/// Whether a place is in a type, and not a parameter: attributes of fields and variants state its rules.
fn is_of_type(place: &str) -> bool {
    place.starts_with('`')
}

/// The type that a reference names, or the schema itself.
pub(super) fn resolved<'j>(contract: &'j Json, schema: &'j Json) -> &'j Json {
    schema["$ref"].as_str().and_then(|name| contract["types"].get(name)).unwrap_or(schema)
}
