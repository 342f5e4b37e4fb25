//! A page by a cursor: the records after a place in the list, or before it.

use std::io::Write;

use axum::http::{HeaderValue, header};
use axum::response::Response;

use super::{DATA, PageEnd, Range, is_by_body, page_body, sized_response};
use crate::http::handler::ResourceRequest;
use crate::http::handler::chunked::PageReader;
use crate::http::param::list::ListRequest;
use crate::http::param::query_string::pairs;
use crate::http::render::JsonSink;
use crate::http::render::expand::{Assembled, ExpandingSink};
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, Problem};
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::ListQuery;
use crate::store::cursor::{Cursor, CursorContext};
use crate::store::each_row::each_row;

/// The page of a list whose pages follow one another by cursors.
pub(super) async fn page(
    request: Box<ResourceRequest>,
    list: ListRequest,
    limit: u64,
    count: Count,
) -> Result<Response, Problem> {
    let (resource, query) = (request.resource(), &list.query);
    let parts = request.state.parts();
    let key = parts.cursors.key(&parts.app).await?;
    let context = CursorContext { key, resource, query, filters: &list.filters };
    let from = list.cursor.as_deref().map(|token| context.open(token).ok_or_else(invalid_cursor)).transpose()?;
    let is_backward = from.as_ref().is_some_and(|from| from.backward);

    let mut out = Vec::with_capacity(4096);
    out.extend_from_slice(DATA);
    let start = out.len();
    let json = JsonSink::new(resource, &request.identity.view, out);
    let mut records = ExpandingSink::new(json, &list.expand).keeping_places().within(request.budget());
    // The place of each record, and whether another record follows.
    let (mut places, mut more) = (Vec::new(), false);
    let mut sink = each_row(|row| {
        if records.rows() == limit {
            more = true;
            return Ok(());
        }
        places.push(match query.place(resource, row)? {
            Some(values) => CursorAnchor::Known(values),
            None => CursorAnchor::Unknown(Key::of_row(resource, row).unwrap_or_else(|_| Value::Null.into())),
        });
        records.row(row)
    });
    let read = request.adapter().page(resource, &continued(query, from.as_ref(), limit), count, &mut sink).await;
    let total = read.map_err(|error| request.problem(error))?;
    let rows = records.rows();
    let (out, remaining) = if is_backward {
        let reversed = records.finish_reversed(start, request.adapter(), request.visibility()).await;
        match reversed.map_err(|error| request.problem(error))? {
            Some(json) => (json, Vec::new()),
            // The records that were read are the last ones of the page.
            None => (DATA.to_vec(), keys(resource, query, places.iter().rev())),
        }
    } else {
        let Assembled { json, remaining, .. } = request.expanded(records).await?;
        (json, remaining)
    };

    let begin = edge(places.iter());
    let end = edge(places.iter().rev()).or_else(|| beyond(from.as_ref(), query.skip, places.len()));
    let [first, last] = if is_backward { [end, begin] } else { [begin, end] };
    let (prev, next) = neighbours(from.as_ref(), first, last, more);
    // Where no place on the page is known, there is no cursor before its first record.
    let is_known = |cursor: &Cursor| cursor.values.is_some() || cursor.skip > 0 || places.is_empty();
    let [prev, next] = [prev, next].map(|cursor| cursor.filter(is_known));
    let [prev, next] = [prev, next].map(|cursor| cursor.map(|cursor| context.seal(&cursor)));
    let page = list.cursor.is_none().then(|| query.skip / limit + 1);
    let mut end = Vec::new();
    PageEnd { page, skip: query.skip, limit, total }.write(&mut end);
    write_cursors(&mut end, next.as_deref(), prev.as_deref());
    let (mounted, range) = (request.mounted.clone(), page.map(|_| Range { skip: query.skip, rows }));
    let links = [(next, "next"), (prev, "prev")];
    let links = links.map(|(token, relation)| token.and_then(|token| link(&request, &token, relation)));

    let started = out.len() > DATA.len();
    let ListRequest { query, expand, .. } = list;
    let body =
        page_body(out, end, remaining, |unread, end| PageReader { request, query, expand, unread, started, end });
    let mut response = sized_response(body, Some(mounted.options()), range, total);
    for link in links.into_iter().flatten() {
        response.headers_mut().append(header::LINK, link);
    }
    Ok(response)
}

/// The keys of records at these places, where the sort keys include the record's key.
fn keys<'a>(resource: &Descriptor, query: &ListQuery, places: impl Iterator<Item = &'a CursorAnchor>) -> Vec<Key> {
    let position = |column: &usize| query.sort.iter().position(|key| key.column == *column);
    let positions: Option<Vec<usize>> = resource.key().iter().map(position).collect();
    let of = |values: &[Value]| {
        let positions = positions.as_ref()?;
        Some(Key::composite(positions.iter().map(|position| values[*position].clone()).collect()))
    };
    let key = |place: &CursorAnchor| match place {
        CursorAnchor::Known(values) => of(values),
        CursorAnchor::Unknown(key) => Some(key.clone()),
    };
    places.filter_map(key).collect()
}

/// Place of a record in the order.
enum CursorAnchor {
    /// By the values of its sort keys.
    Known(Vec<Value>),
    /// By the record's key, because a value of a sort key cannot be read.
    Unknown(Key),
}

/// An end of a page: the values of the sort keys of the record nearest to it, and the number of records between them.
type Edge = (Option<Vec<Value>>, u64);

/// The edge before the first of these places; `None` where no place is known.
fn edge<'a>(places: impl Iterator<Item = &'a CursorAnchor>) -> Option<Edge> {
    let mut places = (0..).zip(places);
    places.find_map(|(skip, place)| match place {
        CursorAnchor::Known(values) => Some((Some(values.clone()), skip)),
        CursorAnchor::Unknown(_) => None,
    })
}

/// The edge after this many records without a known place, counted from the place where they begin.
fn beyond(from: Option<&Cursor>, skip: u64, records: usize) -> Option<Edge> {
    let records = records as u64;
    let edge = |from: &Cursor| (from.values.clone(), from.skip + records);
    (records > 0).then(|| from.map_or((None, skip + records), edge))
}

/// The problem of a cursor that does not belong to the list.
pub(crate) fn invalid_cursor() -> Problem {
    let detail = "is not a cursor of this list: take one from its pages, with the same order and filters";
    Problem::with_errors(Code::CursorInvalid, [FieldError::parameter("cursor", "value", detail)])
}

/// The query for a page from a place on, with one more record than the page has. Backwards, its order is reversed.
fn continued(query: &ListQuery, from: Option<&Cursor>, limit: u64) -> ListQuery {
    let mut continued = query.clone().limit(limit + 1);
    if let Some(from) = from {
        continued.after.clone_from(&from.values);
        continued.skip = from.skip;
        if from.backward {
            for key in &mut continued.sort {
                key.descending = !key.descending;
            }
        }
    }
    continued
}

/// The cursors before and after a page with these first and last records. `more`: whether records follow in the
/// direction of reading.
fn neighbours(
    from: Option<&Cursor>,
    first: Option<Edge>,
    last: Option<Edge>,
    more: bool,
) -> (Option<Cursor>, Option<Cursor>) {
    let is_backward = from.is_some_and(|from| from.backward);
    // There is nothing before the start of the list. Before an empty page are the records up to the list's end.
    let is_behind = from.is_some_and(|from| from.values.is_some() || from.skip > 0);
    let prev = if is_backward { more } else { is_behind };
    let next = if is_backward { is_behind } else { more };
    let cursor = |backward, edge: Option<Edge>| {
        let (values, skip) = edge.unwrap_or_default();
        Cursor { backward, values, skip }
    };
    (prev.then(|| cursor(true, first)), next.then(|| cursor(false, last)))
}

/// Writes the cursors into the end of the page.
fn write_cursors(out: &mut Vec<u8>, next: Option<&str>, prev: Option<&str>) {
    out.pop();
    for (name, token) in [("next_cursor", next), ("prev_cursor", prev)] {
        // Writing to memory cannot fail. A token has nothing to escape.
        let _ = match token {
            Some(token) => write!(out, ",\"{name}\":\"{token}\""),
            None => write!(out, ",\"{name}\":null"),
        };
    }
    out.push(b'}');
}

/// The link to another page (RFC 8288), with the request's parameters; a search has its parameters in the body, and no
/// link.
fn link(request: &ResourceRequest, token: &str, relation: &str) -> Option<HeaderValue> {
    if is_by_body(&request.parts.method) {
        return None;
    }
    let query = request.parts.uri.query().unwrap_or_default();
    let kept = query.split('&').filter(|pair| {
        let name = pairs(pair).next().and_then(|(name, _)| name.ok());
        name.is_some_and(|name| !["cursor", "skip"].contains(&&*name))
    });
    let query = kept.chain([&*format!("cursor={token}")]).collect::<Vec<_>>().join("&");
    HeaderValue::from_str(&format!("<{}?{query}>; rel=\"{relation}\"", request.original_path())).ok()
}
