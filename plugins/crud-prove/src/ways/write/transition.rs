//! Transitions, by their routes and by an update of the field.

use crud_runtime::axum::http::Method;
use crud_runtime::descriptor::Operation;
use serde_json::json;

use super::target::{Change, PEOPLE};
use crate::client::Sent;
use crate::rules::{Reading, admits, json_of};
use crate::ways::ask::Ask;

pub(crate) async fn transition(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    if !descriptor.offers(Operation::Update) {
        return;
    }
    let mut words = Vec::new();
    for (column, transition) in descriptor.transitions() {
        let Some(from) = transition.from.first() else { continue };
        let to = (transition.to)();
        let own = transition.access.map(|rule| admits(&rule, ask.caller));
        let has_tenant = !Reading::lacks_tenant(descriptor, ask.caller);
        let (mut made_some, mut denied) = (false, None);
        for person in PEOPLE {
            let state = vec![(column, from())];
            let Some(record) = ask.new_record("transition", person, state.clone()).await else { continue };
            let path = ask.path_of(&record, "").clone() + transition.path.trim_start_matches("/{id}");
            let reply = ask.send(Sent::new(Method::POST, path)).await;
            let made = ask.stored(&record).await.is_some_and(|stored| stored.values[column] == to);
            let admitted = own.unwrap_or_else(|| ask.admits_too(Operation::Update)) && has_tenant;
            let change = Change { record: &record, admitted, reply: &reply, made, compares_status: true };
            made_some |= ask.judge("transition", &change);
            denied = denied.or((!admitted).then_some(reply.status));
            ask.remove(&record).await;

            let Some(record) = ask.new_record("state by update", person, state).await else { continue };
            let body = json!({ descriptor.columns[column].json: json_of(&to) });
            let reply = ask.send(Sent::new(Method::PATCH, ask.path_of(&record, "")).json(&body)).await;
            let made = ask.stored(&record).await.is_some_and(|stored| stored.values[column] == to);
            let admitted = ask.admits(Operation::Update);
            if admitted && own == Some(false) && ask.sees(&record) {
                // The update of the state must be refused with 403, not 404, as the caller sees the record.
                if made || reply.status != 403 {
                    let words = format!("gets {}, expected 403, for the state {to} by an update", reply.said());
                    ask.differs("state by update", &reply, &words);
                }
            } else {
                let change = Change { record: &record, admitted, reply: &reply, made, compares_status: false };
                ask.judge("state by update", &change);
            }
            ask.remove(&record).await;
        }
        if denied.is_none() && made_some {
            words.push(transition.name);
        }
    }
    if descriptor.transitions().next().is_some() {
        ask.cell("transitions", words.join(", "));
    }
}
