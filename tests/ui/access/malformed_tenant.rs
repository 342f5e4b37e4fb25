use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Ticket {
    pub id: i64,
    #[crud(tenant = 1)]
    pub shop_id: i64,
    #[crud(tenant(exempt = role("root")))]
    pub other_id: i64,
}

#[derive(Resource)]
#[crud(
    scope,
    scope(role("customer")),
    scope(role("customer"), customer_id),
    scope(role("customer"), customer_id = "customer"),
    scope(role("customer"), customer_id = claim("")),
    scope(customer, customer_id = claim("customer"))
)]
pub struct Device {
    pub id: i64,
    pub customer_id: i64,
}

#[derive(Resource)]
pub struct Note {
    pub id: i64,
    #[crud(references(Device))]
    pub device_id: i64,
    #[crud(references(Device, all))]
    pub other_id: i64,
}

fn main() {}
