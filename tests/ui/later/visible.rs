use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(visible(role("admin")))]
    pub cost: f64,
}

fn main() {}
