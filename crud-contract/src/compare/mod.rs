//! The comparison of two contracts.

mod access;
mod limits;
mod properties;
mod route;
mod types;
mod values;

use std::collections::HashSet;

use serde_json::Value as Json;

use crate::change::{Change, Changes, Effect};
use crate::contract::members;

/// Direction of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    /// From clients: what was accepted has to be accepted.
    Request,
    /// To clients: only what clients know may be returned.
    Answer,
}

/// A comparison of two contracts, with the changes found so far.
pub(super) struct Comparison<'c> {
    old: &'c Json,
    new: &'c Json,
    changes: Vec<Change>,
    /// The pairs of types that have been compared.
    known: HashSet<(String, String, Direction)>,
}

/// The changes, the breaking ones first.
pub(crate) fn contracts(old: &Json, new: &Json) -> Changes {
    let mut comparison = Comparison { old, new, changes: Vec::new(), known: HashSet::new() };
    comparison.routes();
    let mut changes = comparison.changes;
    changes.sort_by_key(|change| change.effect);
    Changes(changes)
}

impl Comparison<'_> {
    fn routes(&mut self) {
        let (old, new) = (&self.old["routes"], &self.new["routes"]);
        // `/books/{id}` and `/books/{key}` are one path.
        let found = |among: &'_ Json, name: &str| {
            let wanted = unnamed(name);
            members(among).find(|(name, _)| unnamed(name) == wanted).map(|(name, route)| (name.clone(), route.clone()))
        };
        let is_gone = |name: &&String| found(new, name).is_none();
        let removed: Vec<_> = members(old).map(|(name, _)| name).filter(is_gone).collect();
        for (name, route) in members(old) {
            match found(new, name) {
                Some((newer_name, newer)) => {
                    self.route(&shown(name), &placed(name, route), &placed(&newer_name, &newer));
                }
                None => self.removed(name, &removed),
            }
        }
        for (name, _) in members(new).filter(|(name, _)| found(old, name).is_none()) {
            self.add(Effect::Compatible, shown(name), "the route is new", None);
        }
    }

    /// Reports a removed route. If all routes of its resource are removed, the resource may have moved.
    fn removed(&mut self, name: &str, removed: &[&String]) {
        let (path, _) = parts(name);
        let prefix = path.split("/{").next().unwrap_or(path);
        let is_of_resource = |name: &str| parts(name).0.split("/{").next() == Some(prefix);
        let is_whole = !members(&self.new["routes"]).any(|(name, _)| is_of_resource(name));
        let keep = if is_whole && removed.iter().filter(|name| is_of_resource(name)).count() > 1 {
            format!("if the resource has moved, `moved_from(\"{prefix}\")` on its struct redirects requests")
        } else {
            "`operations(…)` of the struct says which operations HTTP offers; `deprecated(…)` announces an end"
                .to_owned()
        };
        self.add(Effect::Breaking, shown(name), "the route is removed", Some(keep));
    }

    pub(super) fn add(&mut self, effect: Effect, place: String, words: impl Into<String>, keep: Option<String>) {
        let change = Change { effect, place, words: words.into(), keep };
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }
}

/// `/books/{} GET`
fn unnamed(name: &str) -> String {
    let pieces = name.split('{').enumerate().map(|(index, piece)| match piece.split_once('}') {
        Some((_, rest)) if index > 0 => format!("{{}}{rest}"),
        _ => piece.to_owned(),
    });
    pieces.collect()
}

/// The route with its path parameters named by their positions.
fn placed(name: &str, route: &Json) -> Json {
    let names: Vec<&str> = name.split('{').skip(1).filter_map(|piece| Some(piece.split_once('}')?.0)).collect();
    let mut route = route.clone();
    if let Some(Json::Object(parameters)) = route.get_mut("parameters") {
        let named = std::mem::take(parameters).into_iter().map(|(parameter, schema)| {
            let place = parameter.strip_prefix("path ").and_then(|it| names.iter().position(|name| *name == it));
            (place.map_or(parameter, |place| format!("path {}", place + 1)), schema)
        });
        *parameters = named.collect();
    }
    route
}

/// `/books GET` as its parts.
fn parts(name: &str) -> (&str, &str) {
    name.rsplit_once(' ').unwrap_or((name, ""))
}

/// `GET /books`
fn shown(name: &str) -> String {
    let (path, method) = parts(name);
    format!("{method} {path}")
}
