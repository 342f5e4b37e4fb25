use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(default_sort(cost))]
pub struct Product {
    #[crud(visible(role("admin")))]
    pub id: i64,
    #[crud(visible(role("admin")))]
    pub margin: f64,
    #[crud(visible(role("admin")), hidden)]
    pub note: Option<String>,
    #[crud(visible(role("admin")))]
    pub cost: Option<f64>,
}

fn main() {}
