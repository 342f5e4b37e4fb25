use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Ticket {
    #[crud(tenant)]
    pub id: i64,
}

#[derive(Resource)]
pub struct Part {
    pub id: i64,
    #[crud(tenant)]
    pub shop_id: f64,
    #[crud(tenant)]
    pub other_id: i64,
}

#[derive(Resource)]
pub struct Order {
    pub id: i64,
    #[crud(tenant, default = 1, immutable)]
    pub shop_id: Option<i64>,
}

#[derive(Resource)]
#[crud(unique(code, global), unique(code, active), unique(active))]
pub struct Item {
    pub id: i64,
    #[crud(unique(global))]
    pub code: String,
}

fn main() {}
