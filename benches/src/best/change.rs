//! The changes, each with its audit entry.

use chrono::{SecondsFormat, Utc};
use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

use super::record::{COLUMNS, Record};
use crate::twin::error::ApiError;
use crate::twin::model::{NewProduct, NewProducts, ProductPatch};

/// A change that is valid.
#[derive(Debug)]
pub(super) enum Change {
    Create(NewProduct),
    Update(i64, ProductPatch),
    Batch(Vec<NewProduct>),
}

/// Result of a change.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) id: i64,
    pub(super) json: Vec<u8>,
    /// Change of the number of products.
    pub(super) created: i64,
}

impl Change {
    pub(super) fn create(new: NewProduct) -> Result<Self, ApiError> {
        new.validate()?;
        Ok(Self::Create(new))
    }

    pub(super) fn update(id: i64, patch: ProductPatch) -> Result<Self, ApiError> {
        patch.validate()?;
        Ok(Self::Update(id, patch))
    }

    pub(super) fn batch(new: NewProducts) -> Result<Self, ApiError> {
        new.items.iter().try_for_each(NewProduct::validate)?;
        Ok(Self::Batch(new.items))
    }

    /// Makes the change in the transaction that the connection has begun.
    pub(super) fn make(&self, connection: &Connection) -> Result<Done, ApiError> {
        let now = Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true);
        match self {
            Self::Create(new) => {
                let mut json = Vec::with_capacity(256);
                let id = insert(connection, new, &now, &mut json)?;
                Ok(Done { id, json, created: 1 })
            }
            Self::Update(id, patch) => update(connection, *id, patch, &now),
            Self::Batch(items) => {
                let mut json = format!("{{\"created\":{},\"items\":[", items.len()).into_bytes();
                for (index, new) in items.iter().enumerate() {
                    if index > 0 {
                        json.push(b',');
                    }
                    insert(connection, new, &now, &mut json)?;
                }
                json.extend_from_slice(b"]}");
                Ok(Done { id: 0, json, created: i64::try_from(items.len()).unwrap_or(0) })
            }
        }
    }
}

/// Inserts a product and its entry, and renders it.
fn insert(connection: &Connection, new: &NewProduct, now: &str, out: &mut Vec<u8>) -> Result<i64, ApiError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO products (name, description, price, stock, category_id, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
    )?;
    let (description, stock) = (new.description.as_deref(), i64::from(new.stock));
    let id = statement.insert(params![new.name, description, new.price, stock, new.category_id, now])?;
    let start = out.len();
    Record {
        id,
        name: &new.name,
        description,
        price: new.price,
        stock,
        category_id: new.category_id,
        created_at: now,
        updated_at: now,
    }
    .write(out)?;
    // The entry has all fields: it is what was rendered.
    log(connection, id, "create", &String::from_utf8_lossy(&out[start..]), None, now)?;
    Ok(id)
}

fn update(connection: &Connection, id: i64, patch: &ProductPatch, now: &str) -> Result<Done, ApiError> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM products WHERE id = ?1"))?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or(ApiError::NotFound(id))?;
    let before = Record::of(row)?;
    let mut after = Record { updated_at: now, ..Record::of(row)? };
    let (mut old, mut new) = (Map::new(), Map::new());
    let mut changed = |name: &str, from: Value, to: Value| {
        if from != to {
            old.insert(name.to_owned(), from);
            new.insert(name.to_owned(), to);
        }
    };
    if let Some(name) = &patch.name {
        changed("name", json!(before.name), json!(name));
        after.name = name;
    }
    if let Some(description) = &patch.description {
        changed("description", json!(before.description), json!(description));
        after.description = description.as_deref();
    }
    if let Some(price) = patch.price {
        changed("price", json!(before.price), json!(price));
        after.price = price;
    }
    if let Some(stock) = patch.stock {
        changed("stock", json!(before.stock), json!(stock));
        after.stock = stock.into();
    }
    if let Some(category) = patch.category_id {
        changed("category_id", json!(before.category_id), json!(category));
        after.category_id = category;
    }
    let mut json = Vec::with_capacity(256);
    if new.is_empty() {
        before.write(&mut json)?;
        return Ok(Done { id, json, created: 0 });
    }
    old.insert("updated_at".to_owned(), before.updated_at.into());
    new.insert("updated_at".to_owned(), now.into());
    let mut statement = connection.prepare_cached(
        "UPDATE products SET name = ?2, description = ?3, price = ?4, stock = ?5, category_id = ?6, updated_at = ?7
         WHERE id = ?1",
    )?;
    let Record { name, description, price, stock, category_id, .. } = after;
    statement.execute(params![id, name, description, price, stock, category_id, now])?;
    after.write(&mut json)?;
    let (new, old) = (Value::Object(new).to_string(), Value::Object(old).to_string());
    log(connection, id, "update", &new, Some(&old), now)?;
    Ok(Done { id, json, created: 0 })
}

fn log(
    connection: &Connection,
    id: i64,
    action: &str,
    changes: &str,
    previous: Option<&str>,
    now: &str,
) -> Result<(), ApiError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO audit_logs (entity_type, entity_id, action, changes, previous, timestamp)
         VALUES ('Product', ?1, ?2, ?3, ?4, ?5)",
    )?;
    statement.execute(params![id, action, changes, previous, now])?;
    Ok(())
}
