//! The audit log of all resources: open to one role, with the entries of the reader's tenant.

use crate::client::Sent;
use crate::rules::{Reading, text_of};
use crate::ways::ask::Ask;

/// Number of entries of a page.
const ENTRIES: &str = "100";

pub(crate) async fn log(ask: &Ask<'_>) {
    let model = ask.test.model();
    let Some(path) = model.path("/audit-logs").filter(|_| ask.descriptor().audit.is_some()) else { return };
    let descriptor = ask.descriptor();
    let reply = ask.send(Sent::get(path).with("entity_type", descriptor.name).with("limit", ENTRIES)).await;
    let admitted = ask.caller.has_role(model.audit_role());
    // A reader without a tenant may be refused: the log is open only to those whom every resource exempts.
    if admitted && reply.status == 403 && ask.caller.tenant().is_none() {
        return;
    }
    if !ask.passes("audit log", admitted, &reply) || !ask.has_status("audit log", &reply, 200, "the audit log") {
        return;
    }
    for entry in Ask::rows(&reply) {
        let key = text_of(&entry["entity_id"]);
        let of_key = ask.records().iter().find(|record| record.key(descriptor).to_string() == key);
        if of_key.is_some_and(|record| !Reading::is_in_tenant(descriptor, &record.values, ask.caller)) {
            ask.differs("audit log", &reply, &format!("gets an entry of record {key} of another tenant in the log"));
            return;
        }
        for (index, column) in descriptor.columns.iter().enumerate() {
            if entry["changes"].get(column.json).is_some_and(|value| !value.is_null()) && !ask.shows(index) {
                let words = format!("gets a value of `{}`, which the rules hide, in the log", column.json);
                ask.differs("audit log", &reply, &words);
                return;
            }
        }
    }
}
