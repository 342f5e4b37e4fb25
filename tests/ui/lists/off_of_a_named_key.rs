use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(id, name), sort)]
pub struct Product {
    #[crud(filter = off, sort = off)]
    pub id: i64,
    pub name: String,
}

fn main() {}
