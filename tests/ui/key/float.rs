use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: f64,
}

fn main() {}
