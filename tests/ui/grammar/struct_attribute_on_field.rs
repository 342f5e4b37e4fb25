use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(pagination, default_sort(name), prefix = "/a")]
    pub name: String,
}

fn main() {}
