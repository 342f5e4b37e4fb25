//! `list`: a page of the records of a resource.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::descriptor::Pagination;
use crud_runtime::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::arguments::Arguments;
use super::filter;
use super::{Call, Tool, expand_schema, fields_schema, resource_schema};
use crate::access::refused;
use crate::budget;

/// Number of records if the caller does not state a limit.
const USUAL: u64 = 20;
/// Largest number of records of an answer.
const MOST: u64 = 100;

pub(super) static TOOL: Tool = Tool {
    name: "list",
    title: "List records",
    description: "Lists records of a resource: filtered, searched, sorted, a page at a time. `total` says how many match. Filter \
                  rather than read everything: {\"status\": \"open\", \"price__gte\": 5, \"id__in\": [1, 2]}.",
    writes: false,
    is_idempotent: true,
    properties,
    required: &["resource"],
    run: |call, arguments| -> BoxFuture<'_, _> { Box::pin(run(call, arguments)) },
};

fn properties() -> Json {
    json!({
        "resource": resource_schema(),
        "filter": {
            "type": "object",
            "description": "Conditions that all hold: a field for equality, or a field, two underscores and one of its operators in \
                            `describe`, such as `created_at__gte`; a field of a related record, such as `category.name`.",
        },
        "search": { "type": "string", "description": "Words to find, where `describe` says that lists can search." },
        "sort": { "type": "string", "description": "Fields with commas between them, `-` before one for descending: `-price,name`." },
        "limit": { "type": "integer", "description": "Number of records, 20 if left out, at most 100." },
        "skip": { "type": "integer", "description": "Number of records to skip: that of the pages before." },
        "expand": expand_schema(),
        "fields": fields_schema(),
    })
}

/// The largest page of a resource for this tool.
pub(super) fn most(pages: Pagination) -> u64 {
    MOST.min(u64::from(pages.max_limit))
}

async fn run(call: &Call<'_>, mut arguments: Arguments) -> Result<Json, Problem> {
    let (resource, records) = call.records(&mut arguments)?;
    let fields = arguments.texts("fields")?;
    let (visible, descriptor) = (call.visible(), resource.descriptor());
    let mut parameters = filter::parameters(arguments.object("filter")?)?;
    filter::check(visible, descriptor, &parameters)?;
    let mut add = |name: &str, value: String| parameters.push((name.to_owned(), value));
    if let Some(words) = arguments.optional_text("search")? {
        add("q", words);
    }
    let sort = arguments.texts("sort")?;
    visible.check_paths(descriptor, "sort", sort.iter().map(String::as_str))?;
    if !sort.is_empty() {
        add("sort", sort.join(","));
    }
    let expand = arguments.texts("expand")?;
    visible.check_paths(descriptor, "expand", expand.iter().map(String::as_str))?;
    if !expand.is_empty() {
        add("expand", expand.join(","));
    }
    let (limit, skip) = (arguments.number("limit")?, arguments.number("skip")?);
    let most = resource.pagination().map_or(MOST, most);
    if limit.is_some_and(|limit| limit > most || limit == 0) {
        return Err(refused("limit", "range", format!("must be from 1 to {most}")));
    }
    let limit = limit.unwrap_or(USUAL.min(most));
    if resource.pagination().is_some() {
        add("limit", limit.to_string());
        if let Some(skip) = skip {
            add("skip", skip.to_string());
        }
    }
    let listed = records.parameters(parameters).list().await?.json();
    let page = ListedPage::of(listed, skip.unwrap_or_default(), limit);
    Ok(page.bounded(&fields, call.endpoint.answer_bytes))
}

/// A page of records, with the total number of records.
struct ListedPage {
    records: Vec<Json>,
    total: Json,
    skip: u64,
}

impl ListedPage {
    /// The page in an answer. A resource without pages answers with an array of all records: the page is cut out of it.
    fn of(listed: Json, skip: u64, limit: u64) -> Self {
        match listed {
            Json::Array(all) => {
                let total = json!(all.len());
                let (from, number) =
                    (usize::try_from(skip).unwrap_or(usize::MAX), usize::try_from(limit).unwrap_or(usize::MAX));
                Self { records: all.into_iter().skip(from).take(number).collect(), total, skip }
            }
            mut page => {
                let records = page["data"].take();
                let Json::Array(records) = records else {
                    return Self { records: Vec::new(), total: Json::Null, skip };
                };
                Self { records, total: page["total"].take(), skip }
            }
        }
    }

    fn bounded(self, fields: &[String], bytes: usize) -> Json {
        let found = self.records.len();
        let chosen = self.records.into_iter().map(|record| chosen(record, fields)).collect();
        let (records, notes) = budget::records(chosen, bytes);
        let shown = self.skip + records.len() as u64;
        let mut answer = json!({ "records": records, "total": self.total, "skip": self.skip });
        if found > 0 && self.total.as_u64().is_none_or(|total| shown < total) {
            answer["next_skip"] = json!(shown);
        }
        noted(answer, &notes)
    }
}

/// The record with only these fields; with all fields if none are stated.
pub(super) fn chosen(record: Json, fields: &[String]) -> Json {
    match record {
        Json::Object(members) if !fields.is_empty() => {
            let is_chosen = |name: &String| fields.iter().any(|field| field == name);
            Json::Object(members.into_iter().filter(|(name, _)| is_chosen(name)).collect::<Map<_, _>>())
        }
        record => record,
    }
}

/// The answer with its notes.
pub(super) fn noted(mut answer: Json, notes: &[String]) -> Json {
    if !notes.is_empty() {
        answer["note"] = json!(notes.join("; "));
    }
    answer
}
