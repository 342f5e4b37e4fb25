use crud_runtime::prelude::*;

pub struct Sku(String);

#[derive(Resource)]
pub struct Product {
    #[crud(id)]
    pub sku: Sku,
}

fn main() {}
