//! The body of a search: the parameters of a list as members of a JSON object.

use crud_shared::spelling;

use super::CONTROLS;
use super::json::Json;
use super::parser::{ListContext, ListRequest, Parser, error_at};
use crate::model::problem::Problem;
use crate::model::scalar;

/// Reads the body of a search.
///
/// # Errors
/// A validation problem that names every invalid member; `query_too_complex`.
pub(crate) fn parse_search(context: ListContext<'_>, body: &Json) -> Result<ListRequest, Problem> {
    let mut parser = Parser::new(context, &CONTROLS);
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
        let Some(control) = self.control(given) else {
            let legal: Vec<_> = self.controls().map(|control| control.name).collect();
            let within = self.within.as_deref();
            let nearest = || spelling::nearest(given, legal.iter().copied()).map(str::to_owned);
            return self.errors.push_unknown(nearest, |hint| {
                let legal = scalar::listed(legal.iter().copied());
                error_at(within, given, "unknown_field", format!("is not a member; members are {legal}{hint}"))
            });
        };
        if self.is_first(control.name) {
            self.bind_cursor(control.name, || format!("{value:?}"));
            (control.read_member)(self, value);
        }
    }
}
