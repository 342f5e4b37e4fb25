//! Links: a caller may link only records that it sees.

use crud_runtime::adapter::Key;
use crud_runtime::descriptor::{Descriptor, Junction, Operation};
use serde_json::json;

use crate::client::Sent;
use crate::rules::{Reading, json_of};
use crate::ways::ask::Ask;
use crate::world::Record;

pub(crate) async fn link(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    if !descriptor.offers(Operation::Update) {
        return;
    }
    for many in descriptor.many_to_many {
        let Some(junction) = many.junction(descriptor) else { continue };
        let targets = ask.world.records_of(junction.target).unwrap_or_default();
        let sees =
            |of: &'static Descriptor, it: &Record| !it.is_deleted && ask.reading.sees(of, &it.values, ask.caller);
        let nears = [true, false].map(|seen| ask.records().iter().find(|it| sees(descriptor, it) == seen));
        for near in nears.into_iter().flatten() {
            let fars = [true, false].map(|seen| targets.iter().find(|it| sees(junction.target, it) == seen));
            for far in fars.into_iter().flatten() {
                let is_seen = sees(descriptor, near) && sees(junction.target, far);
                one(ask, many.name, &junction, (near, far), is_seen).await;
            }
        }
    }
}

/// Links two records, and removes the link.
async fn one(ask: &Ask<'_>, name: &str, junction: &Junction, (near, far): (&Record, &Record), is_seen: bool) {
    let links = ask.test.records(junction.resource);
    let before = links.all().await.unwrap_or_default();
    let [key] = junction.target.key() else { return };
    let body = json!({ "ids": [json_of(&far.values[*key])] });
    let reply = ask.send(Sent::post(ask.path_of(near, &format!("/{name}")), &body)).await;
    let after = links.all().await.unwrap_or_default();
    let new: Vec<_> = after.into_iter().filter(|link| !before.contains(link)).collect();
    let needs = [
        (junction.resource, Operation::List),
        (junction.resource, Operation::Create),
        (junction.target, Operation::List),
    ];
    let admits = |(of, operation): (&'static Descriptor, Operation)| {
        ask.reading.admits(of, operation, ask.caller) && !Reading::lacks_tenant(of, ask.caller)
    };
    // The route exists if `update` is offered, and needs the caller's access to `get`.
    let admitted = ask.admits(Operation::Get) && needs.into_iter().all(admits);
    if !admitted {
        if reply.status != 405 {
            ask.passes("link", false, &reply);
        }
    } else if !is_seen && reply.is_success() && !new.is_empty() {
        ask.differs("link", &reply, "links records that the rules hide");
    } else if is_seen && matches!(reply.status, 401 | 403 | 404) {
        ask.differs("link", &reply, &format!("is refused ({}), and the rules admit it: link", reply.said()));
    }
    for link in new {
        let _ = links.remove(&Key::of(junction.resource, &link)).await;
    }
}
