use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(rename_all = "camelcase")]
pub struct Product {
    pub id: i64,
}

fn main() {}
