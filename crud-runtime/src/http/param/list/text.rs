//! The parameter `q`: a full-text search.

use super::json::Json;
use super::parser::{Control, Group, Parser, only};
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::query::search_terms::{MAX_TEXT, MAX_WORDS};
use crate::query::{Predicate, SearchTerms};

pub(super) static Q: Control = Control {
    name: "q",
    group: Group::Condition,
    is_of: |parser| parser.context.resource.search.is_some(),
    read: |parser, values| parser.read_text(only(values)),
    read_member: |parser, value| match value {
        Json::Text(text) => parser.read_text(text),
        _ => parser.reject("q", "type", "must be a string"),
    },
    document: |options, _, _| {
        let columns = options.descriptor.search?.columns.iter();
        let fields = columns.map(|column| format!("`{}`", options.descriptor.columns[*column].json));
        let description = format!(
            "Words that the records contain in {}: every word, the last one at least as the beginning of a word; at most \
             {MAX_WORDS}.",
            fields.collect::<Vec<_>>().join(" or ")
        );
        let schema = Schema::text().with("minLength", 1).with("maxLength", MAX_TEXT);
        Some(ParameterObject::query("q", description, schema))
    },
};

impl Parser<'_> {
    /// Reads the text of a full-text search; records must hold its words too.
    fn read_text(&mut self, text: &str) {
        let Some(search) = self.context.resource.search else { return };
        match SearchTerms::parse(text) {
            Ok(words) => {
                self.filters += 1;
                self.add(Predicate::Search { search, words });
            }
            Err(error) => self.reject("q", "value", error.message()),
        }
    }
}
