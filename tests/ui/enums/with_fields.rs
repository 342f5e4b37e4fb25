use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
pub enum Status {
    Pending,
    Shipped(i64),
    Returned { reason: String },
}

#[derive(Resource)]
pub struct Order {
    pub id: i64,
    pub status: Status,
}

fn main() {}
