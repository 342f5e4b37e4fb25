//! Routes: parameters, bodies, answers and access.

use serde_json::Value as Json;

use super::access::is_as_wide;
use super::properties::filtered;
use super::{Comparison, Direction};
use crate::change::Effect;
use crate::contract::members;

impl Comparison<'_> {
    pub(super) fn route(&mut self, route: &str, old: &Json, new: &Json) {
        self.access(route, "", &old["access"], &new["access"]);
        self.parameters(route, &old["parameters"], &new["parameters"]);
        self.body(route, &old["body"], &new["body"]);
        self.answers(route, &old["answers"], &new["answers"]);
    }

    /// Compares the access to a route, or to a parameter of it. A service without rules admits everyone.
    fn access(&mut self, route: &str, of: &str, old: &Json, new: &Json) {
        let [was, is] = [old, new].map(|it| it.as_str().unwrap_or("public"));
        if was == is {
            return;
        }
        let words = format!("{of}needs `{is}` in place of `{was}`");
        if is_as_wide(was, is) {
            self.add(Effect::Compatible, route.to_owned(), words, None);
        } else {
            let keep = "`access(…)` of the struct says what each operation needs".to_owned();
            self.add(Effect::Breaking, route.to_owned(), words, Some(keep));
        }
    }

    fn parameters(&mut self, route: &str, old: &Json, new: &Json) {
        let is_gone = |name: &str| old.get(name).is_some() && new.get(name).is_none();
        for (name, parameter) in members(old) {
            let shown = parameter_name(name);
            let Some(newer) = new.get(name) else {
                if filtered(name).is_some_and(is_gone) {
                    continue;
                }
                let keep = kept_parameter(name);
                // Unknown parameters are refused, unknown headers are not.
                let effect = if name.starts_with("header ") { Effect::Careful } else { Effect::Breaking };
                self.add(effect, route.to_owned(), format!("{shown} is removed"), keep);
                continue;
            };
            match (parameter["required"] == true, newer["required"] == true) {
                (false, true) => self.add(Effect::Breaking, route.to_owned(), format!("{shown} is required"), None),
                (true, false) => self.add(Effect::Compatible, route.to_owned(), format!("{shown} is optional"), None),
                _ => {}
            }
            self.access(route, &format!("{shown} "), &parameter["access"], &newer["access"]);
            self.value(&format!("{route}, {shown}"), parameter, newer, Direction::Request);
        }
        let is_new = |name: &str| new.get(name).is_some() && old.get(name).is_none();
        let new = members(new).filter(|(name, _)| is_new(name) && !filtered(name).is_some_and(is_new));
        for (name, parameter) in new {
            let shown = parameter_name(name);
            if parameter["required"] == true {
                self.add(Effect::Breaking, route.to_owned(), format!("{shown} is new, and required"), None);
            } else {
                self.add(Effect::Compatible, route.to_owned(), format!("{shown} is new"), None);
            }
        }
    }

    fn body(&mut self, route: &str, old: &Json, new: &Json) {
        let takes = |it: &Json| it.as_object().is_some_and(|it| !it.is_empty());
        match (takes(old), takes(new)) {
            (false, true) => {
                let effect = if new["required"] == true { Effect::Breaking } else { Effect::Compatible };
                self.add(effect, route.to_owned(), "takes a body", None);
            }
            (true, false) => self.add(Effect::Breaking, route.to_owned(), "takes no body", None),
            (true, true) => {
                match (old["required"] == true, new["required"] == true) {
                    (false, true) => self.add(Effect::Breaking, route.to_owned(), "the body is required", None),
                    (true, false) => self.add(Effect::Compatible, route.to_owned(), "the body is optional", None),
                    _ => {}
                }
                self.media(route, "bodies", (old, new), Direction::Request);
            }
            (false, false) => {}
        }
    }

    fn answers(&mut self, route: &str, old: &Json, new: &Json) {
        for (status, answer) in members(old) {
            match new.get(status) {
                None => self.add(Effect::Breaking, route.to_owned(), format!("does not answer {status}"), None),
                Some(newer) => self.media(route, &format!("answers {status}"), (answer, newer), Direction::Answer),
            }
        }
        for (status, _) in members(new).filter(|(status, _)| old.get(*status).is_none()) {
            self.add(Effect::Careful, route.to_owned(), format!("answers {status}, too"), None);
        }
    }

    /// Compares the media types of a body or an answer.
    fn media(&mut self, route: &str, of: &str, (old, new): (&Json, &Json), direction: Direction) {
        let types = |it| members(it).filter(|(name, _)| name.contains('/'));
        for (media, schema) in types(old) {
            match new.get(media) {
                None => self.add(Effect::Breaking, route.to_owned(), format!("{of} are not `{media}`"), None),
                Some(newer) => self.value(&format!("{route}, {of}"), schema, newer, direction),
            }
        }
        for (media, _) in types(new).filter(|(media, _)| old.get(*media).is_none()) {
            self.add(Effect::Compatible, route.to_owned(), format!("{of} may be `{media}`"), None);
        }
    }
}

/// ``the parameter `limit` ``, or ``the header `If-Match` ``.
fn parameter_name(name: &str) -> String {
    match name.split_once(' ') {
        Some(("header", name)) => format!("the header `{name}`"),
        Some(("path", place)) => format!("the parameter {place} of the path"),
        Some(("cookie", name)) => format!("the cookie `{name}`"),
        Some((_, name)) => format!("the parameter `{name}`"),
        None => format!("the parameter `{name}`"),
    }
}

/// The attribute that gives a list this parameter.
fn kept_parameter(name: &str) -> Option<String> {
    let (place, name) = name.split_once(' ')?;
    if place != "query" {
        return None;
    }
    let attribute = match name {
        "sort" => "`sort(…)`".to_owned(),
        "q" => "`search(…)`".to_owned(),
        "limit" | "skip" | "cursor" => "`pagination`".to_owned(),
        "include_deleted" | "only_deleted" => "`soft_delete`".to_owned(),
        name => {
            let field = filtered(name).unwrap_or(name);
            format!("`filter({field})`, and `rename = \"{field}\"` where the field has a new name,")
        }
    };
    Some(format!("{attribute} of the struct brings it back"))
}
