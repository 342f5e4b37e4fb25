use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(visible)]
    pub cost: f64,
    #[crud(visible())]
    pub price: f64,
    #[crud(visible(admin))]
    pub note: String,
}

fn main() {}
