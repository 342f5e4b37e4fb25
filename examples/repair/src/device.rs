use crud_runtime::prelude::*;

use crate::{Customer, Shop};

/// A device that a customer brings.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(customer_id, serial),
    pagination,
    access(read(any(role("staff"), role("customer")))),
    scope(role("customer"), customer_id(claim("customer")))
)]
pub struct Device {
    pub id: i64,
    #[crud(tenant, references(Shop))]
    pub shop_id: i64,
    #[crud(references(Customer))]
    pub customer_id: i64,
    #[crud(length(max = 100))]
    pub model: String,
    #[crud(unique, length(max = 100))]
    pub serial: String,
}
