//! The service's own rows, each with its tenant.

use super::places::TablePlacement;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;
use crate::storage::write::{Outcome, Work};

/// Inserted rows of the service's own tables, with this tenant where they have none; an empty text means no tenant.
/// `None` for other changes.
pub(super) fn with_tenant(
    place: TablePlacement,
    resource: &'static Descriptor,
    work: Work<'_>,
    tenant: &str,
) -> Option<Vec<Vec<Value>>> {
    let (TablePlacement::Own(_), Work::Insert(rows)) = (place, work) else { return None };
    let (_, column) = place.tenant_column(resource)?;
    let mut rows = rows.to_vec();
    for row in &mut rows {
        // Only a sharded service has the tenant's column, the last one.
        row.resize(row.len().max(column + 1), Value::Null);
        if row[column].is_null() {
            row[column] = Value::Text(tenant.to_owned());
        }
    }
    Some(rows)
}

/// The outcomes of a write, without the tenant's column in errors: the resource itself may not have it.
pub(super) fn of_columns(resource: &'static Descriptor, mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
    for outcome in &mut outcomes {
        if let Outcome::Failed(AdapterError::Unique { columns }) = outcome {
            columns.retain(|column| *column < resource.columns.len());
        }
    }
    outcomes
}
