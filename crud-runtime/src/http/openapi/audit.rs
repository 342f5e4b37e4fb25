//! The audit log: its schemas and paths.

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use super::access;
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::example::MOMENT;
use crate::http::description::json_schema::Schema;
use crate::http::description::name::{AUDIT_LOG, AUDIT_LOG_PAGE, LIST_AUDIT_LOG};
use crate::http::description::operation_doc::{Answer, OperationDoc, Path};
use crate::http::description::page;
use crate::http::description::security::Security;
use crate::http::param;
use crate::http::param::header::session_token;
use crate::http::param::log::{DEFAULT_LIMIT, ENTITY_PARAMETERS, PARAMETERS};
use crate::model::problem::Code;
use crate::store::audit_record::Action;

/// The tag of the log of all resources.
pub(crate) const TAG: &str = "Audit";

/// Whether a resource is audited.
pub(crate) fn is_audited(resources: &[DocumentedResource<'_>]) -> bool {
    resources.iter().any(|resource| resource.options.descriptor.audit.is_some())
}

/// The description of the tag.
pub(crate) const ABOUT: &str = "The audit log.";

/// The schema of a page of the log, with an example where a resource's entries can have one.
fn log_page(resources: &[DocumentedResource<'_>]) -> Schema {
    let example = resources.iter().find_map(entry_example);
    let listed = example.as_ref().map(|entry| page::page_of_one(entry, DEFAULT_LIMIT));
    let unlogged = "Of one record: it is not that of its last entry, as another program has changed it.";
    let page = page::page(AUDIT_LOG, false)
        .optional("unlogged", Schema::boolean().about(unlogged))
        .defining(AUDIT_LOG, entry_schema().example(example));
    Schema::named(AUDIT_LOG_PAGE, page.example(listed))
}

/// The entry of a create, where the log keeps what was created and when.
fn entry_example(resource: &DocumentedResource<'_>) -> Option<Value> {
    let descriptor = resource.options.descriptor;
    descriptor.audit.filter(|audit| audit.track_changes && audit.track_timestamp && audit.track_user)?;
    Some(json!({
        "id": 1,
        "entity_type": descriptor.name,
        "entity_id": resource.examples.id()?,
        "action": Action::Create.as_str(),
        "user_id": resource.service.secured.then_some(1),
        "actor": resource.service.secured.then_some("1"),
        "changes": resource.examples.record()?,
        "timestamp": MOMENT,
    }))
}

fn entry_schema() -> Schema {
    let id = Schema::integer().with("format", "int64");
    let changes = "All fields of a created record, the new values of an updated one's changed fields.";
    let previous = "The old values of an updated record's changed fields, the whole of a deleted one.";
    let action = Schema::text().with("examples", Action::ALL.map(Action::as_str).to_vec());
    Schema::object()
        .about("A change of a record.")
        .member("id", id.clone().about("The key of the entry."))
        .member("entity_type", Schema::text().about("The type of the record, such as `Product`."))
        .member("entity_id", Schema::one_of([id.clone(), Schema::text()]).about("The key of the record."))
        .member("action", action.about("The action. A program can write entries with other actions."))
        .optional("user_id", id.nullable().about("The actor's id, where it is an integer."))
        .optional("actor", Schema::text().nullable().about("The actor."))
        .optional("changes", Schema::map().about(changes))
        .optional("previous", Schema::map().about(previous))
        .optional("timestamp", Schema::date_time().about("The time of the change."))
        .optional("tenant", Schema::text().about("The tenant of the record, where records have tenants."))
}

/// The path of the log of all resources, where one is audited.
pub(crate) fn path(resources: &[DocumentedResource<'_>], security: Option<&Security>) -> Option<Path> {
    if !is_audited(resources) {
        return None;
    }
    let description = "The changes of all audited records, the oldest first.";
    let has_replicas = resources.iter().any(|resource| resource.service.has_replicas);
    let mut words = OperationDoc::new(TAG, LIST_AUDIT_LOG, "List the audit log", description)
        .parameters(param::document(&[ENTITY_PARAMETERS, PARAMETERS]))
        .parameters(has_replicas.then(session_token::document))
        .answer(StatusCode::OK, Answer::json("The entries.", log_page(resources)))
        .problems(&[Code::ValidationFailed])
        .of_database();
    if let Some(security) = security {
        access::secure_role(&mut words, &security.audit_role);
        let has_tenants = resources.iter().any(|resource| resource.options.descriptor.tenant.is_some());
        words.problems.extend(has_tenants.then_some(Code::TenantRequired));
    }
    Some(Path::of("/audit-logs", Method::GET, words))
}
