//! The service's own tables in a service that is sharded by tenant: each row is in the shard of its tenant.
//!
//! The structs have the fields that other services have, in the same order, and the tenant, which is `''` in a row
//! without one. Storage gets their descriptions in place of the others: values are unique within a tenant, and
//! statements by key compare the tenant too.

use chrono::{DateTime, Utc};
use serde_json::Value as Json;

use crate::Resource;
use crate::model::descriptor::Descriptor;
use crate::store::{audit_record, tables};

/// A counter of a tenant.
#[derive(Debug, Clone, Resource)]
#[crud(table("crud_counters", new), prefix = "/_service/counters")]
struct Counter {
    /// The tenant, its name and its period, such as `7/invoice/2026`.
    #[crud(length(max = 255))]
    id: String,
    value: i64,
    #[crud(tenant, length(max = 255))]
    tenant: String,
}

/// A key and the answer to its request. It has no `Debug`: it holds bodies.
#[derive(Resource)]
#[crud(table("crud_idempotency", new), prefix = "/_service/idempotency")]
struct KeyedAnswer {
    #[crud(length(max = 64))]
    id: String,
    #[crud(length(max = 64))]
    fingerprint: String,
    status: Option<i32>,
    headers: Option<Json>,
    body: Option<Vec<u8>>,
    #[crud(index)]
    expires_at: DateTime<Utc>,
    #[crud(tenant, length(max = 255))]
    tenant: String,
}

/// A job of a tenant.
#[cfg(feature = "jobs")]
#[derive(Debug, Clone, Resource)]
#[crud(table("crud_jobs", new), prefix = "/_service/jobs", index(dead, run_at))]
struct JobRecord {
    id: i64,
    #[crud(length(min = 1, max = 100))]
    kind: String,
    payload: Json,
    run_at: DateTime<Utc>,
    #[crud(unique, length(max = 255))]
    unique_key: Option<String>,
    #[crud(default = false)]
    dead: bool,
    #[crud(default = 0)]
    attempts: i32,
    leased_until: Option<DateTime<Utc>>,
    last_error: Option<String>,
    #[crud(tenant, length(max = 255))]
    tenant: String,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
}

/// An entry of the log of a tenant.
#[allow(clippy::duplicated_attributes)] // columns that two indexes share
#[derive(Debug, Clone, Resource)]
#[crud(
    prefix = "/audit-logs",
    table("audit_logs", new),
    default_sort(timestamp),
    index(entity_type, entity_id, timestamp),
    index(entity_type, entity_key, timestamp, some(entity_key)),
    index(user_id, timestamp, some(user_id)),
    index(timestamp)
)]
struct AuditRecord {
    id: i64,
    entity_type: String,
    entity_id: Option<i64>,
    entity_key: Option<String>,
    action: String,
    user_id: Option<i64>,
    actor: Option<String>,
    #[crud(immutable)]
    changes: Option<Json>,
    #[crud(immutable)]
    previous: Option<Json>,
    timestamp: Option<DateTime<Utc>>,
    #[crud(tenant, length(max = 255))]
    tenant: String,
}

/// The descriptions of tables whose rows are written with the records of a tenant: the description of other services,
/// and that of a sharded one.
pub(crate) fn own_tables_of_tenants() -> Vec<(&'static Descriptor, &'static Descriptor)> {
    [
        (audit_record::AuditRecord::DESCRIPTOR, AuditRecord::DESCRIPTOR),
        #[cfg(feature = "jobs")]
        (crate::store::jobs::record::JobRecord::DESCRIPTOR, JobRecord::DESCRIPTOR),
        (tables::counter::Counter::DESCRIPTOR, Counter::DESCRIPTOR),
        (tables::idempotency::KeyedAnswer::DESCRIPTOR, KeyedAnswer::DESCRIPTOR),
    ]
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::own_tables_of_tenants;

    #[test]
    fn tables_of_sharded_services_have_the_columns_of_the_others_in_their_order() {
        for (table, sharded) in own_tables_of_tenants() {
            assert_eq!((table.name, table.table), (sharded.name, sharded.table));
            let tenant = sharded.tenant.expect("a tenant").column;
            for (index, column) in sharded.columns.iter().enumerate() {
                match table.columns.get(index) {
                    Some(other) if index != tenant => {
                        let facts = |it: &crate::model::descriptor::ColumnDescriptor| (it.column, it.kind, it.nullable);
                        assert_eq!(facts(other), facts(column), "{}", table.name);
                    }
                    other => assert!(other.is_none_or(|other| other.column == "tenant"), "{}", table.name),
                }
            }
        }
    }
}
