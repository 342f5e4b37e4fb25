//! Aggregates: groups count the records that the caller sees.

use crud_runtime::descriptor::Operation;
use serde_json::Value as Json;

use crate::client::Sent;
use crate::ways::ask::Ask;

pub(crate) async fn aggregate(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    let Some(options) = descriptor.aggregate else { return };
    let path = format!("{}/aggregate", ask.served().prefix);
    let visible = ask.visible(ask.default_among());
    let reply = ask.send(Sent::get(path.clone())).await;
    if !ask.passes("aggregate", ask.admits(Operation::Aggregate), &reply) {
        ask.cell("aggregate", reply.status.to_string());
        return;
    }
    if ask.has_status("aggregate", &reply, 200, "an aggregate") {
        has_count(ask, &reply, visible.len());
    }
    let candidates: Vec<_> = ask.records().iter().filter(|record| !record.is_deleted).collect();
    let reached: Vec<_> = visible.iter().filter(|record| !record.is_deleted).copied().collect();
    ask.cell("aggregate", ask.reach(&candidates, &reached));
    let fields = options.group_by.iter().map(|column| ("group_by", column));
    for (parameter, column) in fields.chain(options.over.iter().map(|column| ("max", column))) {
        let name = descriptor.columns[*column].json;
        let reply = ask.send(Sent::get(path.clone()).with(parameter, name)).await;
        if !ask.shows(*column) {
            ask.has_status("aggregate", &reply, 422, &format!("`{parameter}={name}`, which the rules hide,"));
        } else if ask.has_status("aggregate", &reply, 200, &format!("`{parameter}={name}`")) {
            has_count(ask, &reply, visible.len());
        }
    }
}

/// Checks the number of records in all groups.
fn has_count(ask: &Ask<'_>, reply: &crate::client::Reply, expected: usize) {
    let counts = Ask::rows(reply);
    let count: u64 = counts.iter().filter_map(|group| group.get("count").and_then(Json::as_u64)).sum();
    if u64::try_from(expected) != Ok(count) {
        ask.differs("aggregate", reply, &format!("gets a count of {count}, expected {expected}, of the records"));
    }
}
