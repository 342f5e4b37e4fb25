//! Upserts.

use crud_runtime::prelude::*;

/// Found by one unique field, or by two.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/articles", unique(shelf, slot), upsert(sku), upsert(shelf, slot), soft_delete, batch, import, audit)]
pub struct Article {
    /// The key.
    pub id: i64,
    /// Unique by itself.
    #[crud(unique, length(max = 40))]
    pub sku: String,
    /// Unique with the slot.
    pub shelf: i32,
    /// Unique with the shelf.
    pub slot: i32,
    /// The name.
    #[crud(length(min = 1))]
    pub name: String,
    /// A value that a create may leave out.
    #[crud(default = 5, range(min = 0))]
    pub stock: i32,
    /// A value that stays.
    #[crud(immutable)]
    pub maker: Option<String>,
    /// Whether it is gone.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Found by the key, which the client chooses.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/labels", upsert(code), import, audit)]
pub struct Label {
    /// The key.
    #[crud(id, length(max = 40))]
    pub code: String,
    /// Required.
    pub text: String,
    /// Optional.
    pub hint: Option<String>,
}
