use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(prefix = "/a", filter, prefix = "/b", filter(id))]
pub struct Product {
    pub id: i64,
}

fn main() {}
