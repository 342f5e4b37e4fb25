use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    #[crud(default = 7)]
    pub id: i64,
}

fn main() {}
