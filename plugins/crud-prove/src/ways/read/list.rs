//! Lists, their totals, deleted records, pages by cursors, searches by a body, and exports.

use crud_runtime::axum::http::Method;
use crud_runtime::descriptor::{Count, Operation};
use serde_json::{Value as Json, json};

use crate::client::Sent;
use crate::ways::ask::{Among, Ask};

/// Number of pages after which a list by cursors counts as endless.
const PAGES: usize = 200;

pub(crate) async fn list(ask: &Ask<'_>) {
    let reply = ask.send(ask.list()).await;
    if !ask.passes("list", ask.admits(Operation::List), &reply) {
        ask.cell("list", reply.status.to_string());
        return;
    }
    let expected = ask.visible(ask.default_among());
    if ask.has_status("list", &reply, 200, "a list") {
        ask.has_rows("list", &reply, &Ask::rows(&reply), &expected);
    }
    let candidates: Vec<_> = ask.records().iter().filter(|record| !record.is_deleted).collect();
    let reached: Vec<_> = expected.iter().filter(|record| !record.is_deleted).copied().collect();
    ask.cell("list", ask.reach(&candidates, &reached));
}

pub(crate) async fn total(ask: &Ask<'_>) {
    let is_exact = ask.served().pagination.is_some_and(|it| it.count == Count::Exact && !it.cursor);
    if !is_exact || !ask.admits(Operation::List) {
        return;
    }
    let reply = ask.send(Sent::get(ask.served().prefix.clone()).with("limit", "1")).await;
    let (total, expected) = (reply.json()["total"].as_u64(), ask.visible(ask.default_among()).len());
    if ask.has_status("total", &reply, 200, "a page") && total != u64::try_from(expected).ok() {
        let total = total.map_or_else(|| "none".to_owned(), |total| total.to_string());
        ask.differs("total", &reply, &format!("gets the total {total}, expected {expected}, of a list"));
    }
}

pub(crate) async fn deleted(ask: &Ask<'_>) {
    if ask.descriptor().soft_delete.is_none() {
        return;
    }
    let admitted = ask.admits(Operation::List) && ask.admits_too(Operation::Restore);
    for (parameter, among) in [("only_deleted", Among::Deleted), ("include_deleted", Among::All)] {
        let reply = ask.send(ask.list().with(parameter, "true")).await;
        // A list of the default records needs only `list`.
        let admitted = admitted || among == ask.default_among() && ask.admits(Operation::List);
        if !ask.passes("deleted", admitted, &reply) {
            ask.cell("deleted", reply.status.to_string());
            continue;
        }
        let expected = ask.visible(among);
        if ask.has_status("deleted", &reply, 200, "a list with deleted records") {
            ask.has_rows("deleted", &reply, &Ask::rows(&reply), &expected);
        }
        let candidates: Vec<_> = ask.records().iter().filter(|record| record.is_deleted).collect();
        let reached: Vec<_> = expected.into_iter().filter(|record| record.is_deleted).collect();
        ask.cell("deleted", ask.reach(&candidates, &reached));
    }
}

pub(crate) async fn cursor(ask: &Ask<'_>) {
    if !ask.served().pagination.is_some_and(|it| it.cursor) || !ask.admits(Operation::List) {
        return;
    }
    let (mut rows, mut cursor): (Vec<Json>, Option<String>) = (Vec::new(), None);
    for _ in 0..PAGES {
        let sent = Sent::get(ask.served().prefix.clone()).with("limit", "2");
        let reply = ask.send(cursor.iter().fold(sent, |sent, cursor| sent.with("cursor", cursor))).await;
        if !ask.has_status("cursor", &reply, 200, "a page by its cursor") {
            return;
        }
        rows.extend(Ask::rows(&reply));
        cursor = reply.json()["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            ask.has_rows("cursor", &reply, &rows, &ask.visible(ask.default_among()));
            return;
        }
    }
}

/// `POST {prefix}/search`, and `QUERY {prefix}` if the service has it.
pub(crate) async fn by_body(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    let is_offered = descriptor.search.is_some()
        || descriptor.columns.iter().any(|column| column.filterable)
        || !(descriptor.paths.is_empty() && descriptor.children.is_empty() && descriptor.many_to_many.is_empty());
    if !is_offered {
        return;
    }
    let body = ask.page_size().map_or_else(|| json!({}), |size| json!({ "limit": size }));
    let prefix = &ask.served().prefix;
    let query = Method::from_bytes(b"QUERY").unwrap_or_default();
    let requests = [
        ("search", Sent::post(format!("{prefix}/search"), &body)),
        ("query", Sent::new(query, prefix.clone()).json(&body)),
    ];
    for (way, sent) in requests {
        let reply = ask.send(sent).await;
        let is_known = reply.status != 405;
        if is_known
            && ask.passes(way, ask.admits(Operation::List), &reply)
            && ask.has_status(way, &reply, 200, "a search")
        {
            ask.has_rows(way, &reply, &Ask::rows(&reply), &ask.visible(ask.default_among()));
        }
    }
}

pub(crate) async fn export(ask: &Ask<'_>) {
    if !ask.descriptor().export {
        return;
    }
    let path = format!("{}/export", ask.served().prefix);
    let (reply, expected) = (ask.send(Sent::get(path.clone())).await, ask.visible(ask.default_among()));
    if !ask.passes("export", ask.admits(Operation::List), &reply) || !ask.has_status("export", &reply, 200, "an export")
    {
        return;
    }
    ask.has_rows("export", &reply, &reply.lines(), &expected);
    let csv = ask.send(Sent::get(path).with("format", "csv")).await;
    let names: Vec<&str> = csv.text().lines().next().unwrap_or_default().split(',').map(str::trim).collect();
    for (index, column) in ask.descriptor().columns.iter().enumerate() {
        if names.contains(&column.json) && !ask.shows(index) {
            ask.differs("export", &csv, &format!("gets the column `{}`, which the rules hide,", column.json));
        }
    }
}
