//! [`Arguments`]: arguments of a tool, parsed leniently, as models write numbers as texts.

use crud_runtime::prelude::*;
use serde_json::{Map, Value as Json};

use super::Tool;
use crate::access::refused;

/// The arguments of a call. All of their names are known.
pub(super) struct Arguments(Map<String, Json>);

impl Arguments {
    /// Checks the names of arguments.
    ///
    /// # Errors
    /// `validation_failed` for an unknown argument, or a missing one that the tool requires.
    pub(super) fn of(tool: &Tool, given: Map<String, Json>) -> Result<Self, Problem> {
        let properties = (tool.properties)();
        let names: Vec<&str> = properties.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
        if let Some(unknown) = given.keys().find(|name| !names.contains(&name.as_str())) {
            let expected = names.join("`, `");
            let detail = format!("`{}` has no argument `{unknown}`: expected `{expected}`", tool.name);
            return Err(refused(unknown, "unknown_parameter", detail));
        }
        match tool.required.iter().find(|name| given.get(**name).is_none_or(Json::is_null)) {
            Some(missing) => Err(refused(missing, "required", format!("`{}` needs `{missing}`", tool.name))),
            None => Ok(Self(given)),
        }
    }

    fn take(&mut self, name: &str) -> Option<Json> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    /// A text that must be there.
    pub(super) fn text(&mut self, name: &'static str) -> Result<String, Problem> {
        self.optional_text(name)?.ok_or_else(|| refused(name, "required", format!("`{name}` is missing")))
    }

    /// A text; `None` if it is missing.
    pub(super) fn optional_text(&mut self, name: &'static str) -> Result<Option<String>, Problem> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(_) => Err(refused(name, "type", "must be a string")),
        }
    }

    /// The key of a record.
    pub(super) fn id(&mut self) -> Result<String, Problem> {
        match self.take("id") {
            Some(Json::String(id)) => Ok(id),
            Some(Json::Number(id)) if !id.is_f64() => Ok(id.to_string()),
            _ => Err(refused("id", "type", "must be a string or an integer")),
        }
    }

    /// A number, which may be written as a text; `None` if it is missing.
    pub(super) fn number(&mut self, name: &'static str) -> Result<Option<u64>, Problem> {
        let wrong = || refused(name, "type", "must be an integer that is not negative");
        match self.take(name) {
            None => Ok(None),
            Some(Json::Number(number)) => number.as_u64().map(Some).ok_or_else(wrong),
            Some(Json::String(text)) => text.trim().parse().map(Some).map_err(|_| wrong()),
            Some(_) => Err(wrong()),
        }
    }

    /// Several texts: an array, or one text with commas.
    pub(super) fn texts(&mut self, name: &'static str) -> Result<Vec<String>, Problem> {
        let wrong = || refused(name, "type", "must be an array of strings");
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Json::String(text)) => Ok(text.split(',').map(|item| item.trim().to_owned()).collect()),
            Some(Json::Array(items)) => {
                items.into_iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    /// An object, which may be written as a text of JSON; empty if it is missing.
    pub(super) fn object(&mut self, name: &'static str) -> Result<Map<String, Json>, Problem> {
        let value = match self.take(name) {
            Some(Json::String(text)) => serde_json::from_str(&text).unwrap_or(Json::String(text)),
            other => other.unwrap_or_else(|| Json::Object(Map::new())),
        };
        match value {
            Json::Object(members) => Ok(members),
            _ => Err(refused(name, "type", "must be an object")),
        }
    }
}
