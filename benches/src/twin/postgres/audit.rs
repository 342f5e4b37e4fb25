//! The audit log: an entry for each change, in the change's transaction.

use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::PgConnection;

use crate::twin::error::ApiError;
use crate::twin::model::Product;

/// Inserts the entry of a create, with all fields.
pub(super) async fn created(connection: &mut PgConnection, product: &Product) -> Result<(), ApiError> {
    sqlx::query(
        "INSERT INTO audit_logs (entity_type, entity_id, action, changes, timestamp)
         VALUES ('Product', $1, 'create', $2::json, $3)",
    )
    .bind(product.id)
    .bind(json(product)?)
    .bind(product.created_at)
    .execute(connection)
    .await?;
    Ok(())
}

/// Inserts the entry of an update, with the new and old values of the changed fields.
pub(super) async fn updated(connection: &mut PgConnection, before: &Product, after: &Product) -> Result<(), ApiError> {
    let (mut old, mut new) = (fields(before)?, fields(after)?);
    old.retain(|name, value| new.get(name) != Some(value));
    new.retain(|name, _| old.contains_key(name));
    sqlx::query(
        "INSERT INTO audit_logs (entity_type, entity_id, action, changes, previous, timestamp)
         VALUES ('Product', $1, 'update', $2::json, $3::json, $4)",
    )
    .bind(after.id)
    .bind(json(&new)?)
    .bind(json(&old)?)
    .bind(after.updated_at)
    .execute(connection)
    .await?;
    Ok(())
}

fn fields(product: &Product) -> Result<Map<String, Value>, ApiError> {
    match serde_json::to_value(product)? {
        Value::Object(fields) => Ok(fields),
        other => unreachable!("a struct is an object, not {other}"),
    }
}

fn json(value: &impl Serialize) -> Result<String, ApiError> {
    Ok(serde_json::to_string(value)?)
}
