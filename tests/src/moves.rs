//! The program whose records tests move from one database to another: the kitchen sink, payments with idempotency keys,
//! tenants' records that refer to each other, users, jobs and numbers.

use crud_runtime::auth::{Auth, AuthBuilder};
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Job};
use serde::{Deserialize, Serialize};

use crate::kitchen::{Payment, kitchen};

/// A customer of a shop.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(audit)]
pub struct Customer {
    /// The key.
    pub id: i64,
    /// The tenant.
    #[crud(tenant)]
    pub shop_id: i64,
    /// Unique in each shop.
    #[crud(unique)]
    pub name: String,
    /// The customer that has recommended the shop, who may be a later one.
    #[crud(references(Customer))]
    pub advised_by: Option<i64>,
    /// Set at creation.
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}

/// A purchase of a customer.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(soft_delete)]
pub struct Purchase {
    /// The key.
    pub id: i64,
    /// The tenant.
    #[crud(tenant)]
    pub shop_id: i64,
    /// The customer.
    #[crud(references(Customer, on_delete(restrict)))]
    pub customer_id: i64,
    /// In euros.
    #[crud(decimal(10, 2))]
    pub total: Decimal,
    /// Time of deletion.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Size of a shelf, whose number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(ordered, stored(integer))]
pub enum Size {
    /// A box.
    Small = 10,
    /// A wall.
    Large = 30,
}

/// A shelf of a room, whose key is both, with a field that storage does not have.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "shelves", prefix = "/shelves", filter, pagination, audit)]
pub struct Shelf {
    /// The room.
    #[crud(id)]
    pub room: i64,
    /// The place in it.
    #[crud(id)]
    pub place: String,
    /// The size.
    pub size: Size,
    /// In centimetres.
    pub height: i32,
    /// In centimetres.
    pub width: i32,
    /// In square centimetres.
    #[crud(computed(sql = "height * width"))]
    pub area: i64,
}

/// A job that does nothing.
#[derive(Debug, Serialize, Deserialize)]
pub struct Note(pub i64);

impl Job for Note {
    const KIND: &str = "note";

    async fn run(self, _: App) -> Result<(), BoxError> {
        Ok(())
    }
}

/// Adds the resources to a service.
pub fn resources(service: Service) -> Service {
    let service = kitchen(service).resource::<Payment>().resource::<Customer>().resource::<Purchase>();
    service.resource::<Shelf>().job::<Note>()
}

/// The program's authentication.
pub fn auth() -> AuthBuilder {
    Auth::builder().tenant_claim("shop").logout()
}
