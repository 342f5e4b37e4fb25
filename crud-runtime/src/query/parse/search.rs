//! The body of a search: what a list takes as parameters, as the members of a JSON object.

use crud_shared::spelling;

use super::json::Json;
use super::parser::{ListRequest, Parser, Purpose, error_at};
use crate::model::descriptor::{Descriptor, Pagination};
use crate::model::problem::Problem;
use crate::model::scalar;
use crate::query::limits::QueryLimits;
use crate::query::reach::Reach;
use crate::query::visibility::FieldVisibility;
use crate::query::{Predicate, Words};

/// Reads the body of a search.
///
/// # Errors
/// A validation problem that names every member that is wrong; `query_too_complex`.
pub(crate) fn parse_search(
    resource: &'static Descriptor,
    pagination: Option<Pagination>,
    view: &FieldVisibility,
    reach: Reach<'_>,
    body: &Json,
    limits: QueryLimits,
) -> Result<ListRequest, Problem> {
    let mut parser = Parser::new(resource, pagination, view, reach, limits, Purpose::List);
    parser.within = Some(String::new());
    parser.read_search(body);
    parser.finish()
}

impl Parser<'_> {
    fn read_search(&mut self, body: &Json) {
        let Json::Object(members) = body else { return self.reject_here("type", "must be an object") };
        // The scope comes first: the fields that can be filtered by depend on it.
        let flag = |wanted: &str| {
            let found = members.iter().find(|(name, _)| name == wanted);
            found.and_then(|(_, value)| if let Json::Bool(flag) = *value { Some(flag) } else { None })
        };
        self.set_scope(flag("only_deleted"), flag("include_deleted"));
        for (name, value) in members {
            self.read_member(name, value);
        }
    }

    fn read_member(&mut self, given: &str, value: &Json) {
        let legal = self.members();
        let Some(name) = legal.iter().copied().find(|name| *name == given) else {
            let within = self.within.as_deref();
            let nearest = || spelling::nearest(given, legal.iter().copied()).map(str::to_owned);
            return self.errors.push_unknown(nearest, |hint| {
                let legal = scalar::listed(legal.iter().copied());
                error_at(within, given, "unknown_field", format!("is not a member; members are {legal}{hint}"))
            });
        };
        if !self.is_first(name) {
            return;
        }
        self.bind_cursor(name, || format!("{value:?}"));
        match (name, value, self.pagination) {
            ("where", condition, _) => self.read_where(condition, "/where".to_owned()),
            ("sort", Json::Array(keys), _) if keys.is_empty() => self.reject(name, "value", "must name a field"),
            ("expand", Json::Array(paths), _) if paths.is_empty() => {}
            ("sort" | "expand", Json::Array(names), _) if names.iter().all(|name| matches!(name, Json::Text(_))) => {
                let names =
                    names.iter().filter_map(|name| if let Json::Text(name) = name { Some(&**name) } else { None });
                if name == "sort" { self.read_sort(names) } else { self.expand = names.map(str::to_owned).collect() }
            }
            ("sort" | "expand", ..) => self.reject(name, "type", "must be an array of strings"),
            ("skip", Json::Number(skip), _) => self.read_skip(&skip.to_string()),
            ("limit", Json::Number(limit), Some(pagination)) => self.read_limit(&limit.to_string(), pagination),
            ("q", Json::Text(text), _) => self.read_text(text),
            ("cursor", Json::Text(cursor), _) => self.cursor = Some(cursor.clone()),
            ("q" | "cursor", ..) => self.reject(name, "type", "must be a string"),
            ("skip" | "limit", ..) => self.reject(name, "type", "must be an integer"),
            // The flags have been read.
            (_, Json::Bool(_), _) => {}
            _ => self.reject(name, "type", "must be true or false"),
        }
    }

    /// Reads the text of a full-text search; records must hold its words too.
    pub(super) fn read_text(&mut self, text: &str) {
        let Some(search) = self.resource.search else { return };
        match Words::parse(text) {
            Ok(words) => {
                self.filters += 1;
                self.filter =
                    std::mem::replace(&mut self.filter, Predicate::All).and(Predicate::Search { search, words });
            }
            Err(error) => self.reject("q", "value", error.message()),
        }
    }

    /// The members that a search of this resource has.
    fn members(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        if self.resource.has_filters() {
            names.push("where");
        }
        if self.resource.search.is_some() {
            names.push("q");
        }
        if self.can_sort() {
            names.push("sort");
        }
        if self.can_expand() {
            names.push("expand");
        }
        if self.pagination.is_some() {
            names.extend(["skip", "limit"]);
        }
        if self.pagination.is_some_and(|pagination| pagination.cursor) {
            names.push("cursor");
        }
        if self.resource.soft_delete.is_some() {
            names.extend(["include_deleted", "only_deleted"]);
        }
        names
    }
}
