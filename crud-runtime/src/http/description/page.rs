//! The schema of a page of records.

use serde_json::{Value, json};

use super::json_schema::Schema;
use crate::store::mounted::options::ResourceOptions;

/// A page of records. Its members are inline: openapi-generator's `go` and openapi-python-client misread them in an
/// `allOf`.
pub(crate) fn page(record: &str, has_cursors: bool) -> Schema {
    let count = || Schema::count().nullable().example(json!(1));
    let relation = Schema::choice(["eq", "gte"]).nullable().example(json!("eq"));
    let number = Schema::at_least(1, "int64").example(json!(1));
    let number = if has_cursors {
        number.nullable().about("The page's number, from 1; null by a cursor.")
    } else {
        number.about("The page's number, from 1.")
    };
    let total = "The number of matching records, or a lower bound of it; null when they are not counted.";
    let exact = "`eq` for an exact total, `gte` for a lower bound; null when they are not counted.";
    let limit = Schema::at_least(1, "int64").example(json!(20));
    let page = Schema::object()
        .about("A page of records.")
        .member("data", Schema::array(Schema::reference(record)).about("The records of the page."))
        .member("total", count().about(total))
        .member("total_relation", relation.about(exact))
        .member("page", number)
        .member("pages", count().about("The number of pages; null unless the total is exact."))
        .member("limit", limit)
        .member("skip", Schema::count().example(json!(0)));
    if !has_cursors {
        return page;
    }
    let cursor = |which: &str| {
        let cursor = Schema::text().nullable().example(Value::Null);
        cursor.about(&format!("The `cursor` of the {which} page; null at the end."))
    };
    page.member("next_cursor", cursor("next")).member("prev_cursor", cursor("previous"))
}

/// The page size in the example of a page.
const LIMIT: u64 = 20;

/// A page of a type, with the example of the type's schema.
pub(crate) fn example_page(name: &str, of: &Schema) -> Schema {
    let example = of.get("examples").and_then(Value::as_array).and_then(|all| all.first());
    page(name, false).example(example.map(|one| page_of_one(one, LIMIT)))
}

/// The page of a list of one record, with an exact total.
pub(crate) fn page_of_one(record: &Value, limit: u64) -> Value {
    json!({
        "data": [record], "total": 1, "total_relation": "eq", "page": 1, "pages": 1, "limit": limit, "skip": 0,
    })
}

/// Whether the pages of a resource follow one another by cursors.
pub(crate) fn has_cursors(options: &ResourceOptions) -> bool {
    options.pagination.is_some_and(|pages| pages.cursor)
}
