//! The schema of a page of records.

use serde_json::{Value, json};

use super::example::Examples;
use super::json_schema::Schema;
use crate::model::descriptor::Count;
use crate::store::mounted::options::ResourceOptions;

/// A page of records.
pub(crate) fn page(record: &str, has_cursors: bool) -> Schema {
    let count = || Schema::count().nullable();
    let relation = Schema::choice(["eq", "gte"]).nullable();
    let number = Schema::at_least(1, "int64");
    let number = if has_cursors {
        number.nullable().about("The page's number, from 1; null by a cursor.")
    } else {
        number.about("The page's number, from 1.")
    };
    let total = "The number of matching records, or a lower bound of it; null when they are not counted.";
    let exact = "`eq` for an exact total, `gte` for a lower bound; null when they are not counted.";
    let page = Schema::object()
        .about("A page of records.")
        .member("data", Schema::array(Schema::reference(record)).about("The records of the page."))
        .member("total", count().about(total))
        .member("total_relation", relation.about(exact))
        .member("page", number)
        .member("pages", count().about("The number of pages; null unless the total is exact."))
        .member("limit", Schema::at_least(1, "int64").about("The maximum number of records on a page."))
        .member("skip", Schema::count().about("The number of records before the page."));
    if !has_cursors {
        return page;
    }
    let cursor =
        |which: &str| Schema::text().nullable().about(&format!("The `cursor` of the {which} page; null at the end."));
    page.member("next_cursor", cursor("next")).member("prev_cursor", cursor("previous"))
}

/// The page of a list with one record, all of whose records are counted.
pub(crate) fn page_of_one(record: &Value, limit: u64) -> Value {
    json!({
        "data": [record], "total": 1, "total_relation": "eq", "page": 1, "pages": 1, "limit": limit, "skip": 0,
    })
}

/// The page of a list with one record.
pub(super) fn page_example(options: &ResourceOptions, examples: &Examples) -> Option<Value> {
    let pagination = options.pagination?;
    let mut page = page_of_one(&examples.record()?, pagination.default_limit.into());
    if pagination.count == Count::None {
        for member in ["total", "total_relation", "pages"] {
            page[member] = Value::Null;
        }
    }
    if pagination.cursor {
        page["next_cursor"] = Value::Null;
        page["prev_cursor"] = Value::Null;
    }
    Some(page)
}

/// Whether the pages of a resource follow one another by cursors.
pub(crate) fn has_cursors(options: &ResourceOptions) -> bool {
    options.pagination.is_some_and(|pages| pages.cursor)
}
