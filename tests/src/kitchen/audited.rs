//! Audited resources: every field type, and each option of `audit`.

use crud_runtime::prelude::*;

use super::names::Priority;

/// Everything that can change is in the log, and nothing that is secret.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/ledgers", filter, sort, pagination, soft_delete, batch, audit)]
pub struct Ledger {
    /// The key.
    pub id: i64,
    /// The name.
    pub name: String,
    /// A decimal.
    #[crud(decimal(10, 2))]
    pub amount: Option<Decimal>,
    /// A float.
    pub ratio: Option<f64>,
    /// Bytes.
    pub seal: Option<Vec<u8>>,
    /// Any JSON.
    pub extra: Option<serde_json::Value>,
    /// An instant.
    pub due: Option<DateTime<Utc>>,
    /// A day.
    pub day: Option<NaiveDate>,
    /// Texts.
    pub tags: Option<Vec<String>>,
    /// An enum.
    pub priority: Option<Priority>,
    /// Seen, not set.
    #[crud(read_only, default = 0)]
    pub balance: i64,
    /// Set, not seen.
    #[crud(write_only)]
    pub pin: Option<String>,
    /// Neither seen nor set.
    #[crud(hidden)]
    pub remark: Option<String>,
    /// Set at creation.
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    /// Set at every change.
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
    /// Time of deletion.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// The log says that it changed, not what.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/quiet", table = "quiet", pagination, audit(without(changes)))]
pub struct Quiet {
    /// The key.
    pub id: i64,
    /// The name.
    pub name: String,
}

/// The log does not say who changed it, and has no history route.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/anonymous", table = "anonymous", operations(except(history)), pagination, audit(without(user)))]
pub struct Anonymous {
    /// The key, of text: so is `entity_id`.
    #[crud(id)]
    pub name: String,
    /// To change.
    pub size: Option<i32>,
}

/// The log does not say when it changed.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/timeless", table = "timeless", pagination, audit(without(timestamp)))]
pub struct Timeless {
    /// The key.
    pub id: i64,
    /// The name.
    pub name: String,
}
