use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(prefix =, table)]
pub struct Product {
    pub id: i64,
    #[crud(min =, max)]
    pub price: f64,
    #[crud(default =)]
    pub name: String,
}

fn main() {}
