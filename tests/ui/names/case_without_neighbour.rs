use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(rename_all = "5")]
pub struct Product {
    pub id: i64,
}

fn main() {}
