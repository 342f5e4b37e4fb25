//! The parameters of a page: `skip`, `limit` and `cursor`.

use super::json::{Json, integral};
use super::parser::{Control, Group, Parser, only};
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{OverLimit, Pagination};
use crate::model::scalar;
use crate::model::value::Kind;

pub(super) static SKIP: Control = Control {
    name: "skip",
    group: Group::Page,
    is_of: |parser| parser.context.pagination.is_some(),
    read: |parser, values| parser.read_skip(only(values)),
    read_member: |parser, value| match value {
        Json::Number(skip) => parser.read_skip(&integral(skip)),
        _ => parser.reject("skip", "type", "must be an integer"),
    },
    document: |options, _, _| {
        options.pagination?;
        let schema = Schema::count().with("maximum", i64::MAX).with("default", 0);
        Some(ParameterObject::query("skip", "The number of records to skip.", schema).component("skip"))
    },
};

pub(super) static LIMIT: Control = Control {
    name: "limit",
    group: Group::Page,
    is_of: |parser| parser.context.pagination.is_some(),
    read: |parser, values| parser.read_limit(only(values)),
    read_member: |parser, value| match value {
        Json::Number(limit) => parser.read_limit(&integral(limit)),
        _ => parser.reject("limit", "type", "must be an integer"),
    },
    document: |options, _, _| {
        let Pagination { default_limit, max_limit, over_limit, .. } = options.pagination?;
        let mut schema = Schema::integer().with("minimum", 1).with("default", default_limit);
        let (maximum, clamped) = match over_limit {
            OverLimit::Reject => {
                schema.set("format", "int64");
                schema.set("maximum", max_limit);
                ("Max", String::new())
            }
            OverLimit::Clamp => ("Clamp", format!("; a number above {max_limit} counts as {max_limit}")),
        };
        let description = format!("The maximum number of records to return{clamped}.");
        let limit = ParameterObject::query("limit", description, schema);
        Some(limit.component(format!("limit.{default_limit}{maximum}{max_limit}")))
    },
};

pub(super) static CURSOR: Control = Control {
    name: "cursor",
    group: Group::Cursor,
    is_of: |parser| parser.context.pagination.is_some_and(|pages| pages.cursor),
    read: |parser, values| parser.cursor = Some(only(values).to_owned()),
    read_member: |parser, value| match value {
        Json::Text(cursor) => parser.cursor = Some(cursor.clone()),
        _ => parser.reject("cursor", "type", "must be a string"),
    },
    document: |options, _, _| {
        options.pagination.filter(|pages| pages.cursor)?;
        let cursor = "The page after or before another one: its `next_cursor` or `prev_cursor`, with the same order and \
                      filters.";
        Some(ParameterObject::query("cursor", cursor, Schema::text()).component("cursor"))
    },
};

impl Parser<'_> {
    fn read_skip(&mut self, value: &str) {
        match scalar::integer(Kind::I64, value).map(u64::try_from) {
            Ok(Ok(skip)) => self.skip = Some(skip),
            Ok(Err(_)) => self.reject("skip", "range", "must not be negative"),
            Err(error) => self.reject("skip", "type", error.message()),
        }
    }

    fn read_limit(&mut self, value: &str) {
        let Some(pagination) = self.context.pagination else { return };
        let max = u64::from(pagination.max_limit);
        let clamp = pagination.over_limit == OverLimit::Clamp;
        match scalar::integer(Kind::I64, value).map(u64::try_from) {
            Ok(Ok(limit)) if (1..=max).contains(&limit) => self.limit = Some(limit),
            Ok(Ok(limit)) if limit > max && clamp => self.limit = Some(max),
            // An integer too large to read is also above the largest limit.
            Err(error) if clamp && is_too_large(value, &error) => self.limit = Some(max),
            Ok(_) if clamp => self.reject("limit", "range", "must be at least 1"),
            Ok(_) => self.reject("limit", "range", format!("must be between 1 and {max}")),
            Err(error) => self.reject("limit", "type", error.message()),
        }
    }
}

/// Whether a text that failed to be read as an integer is an integer above the range.
fn is_too_large(text: &str, error: &ColumnError) -> bool {
    error == &scalar::out_of_range(Kind::I64) && !text.starts_with('-')
}
