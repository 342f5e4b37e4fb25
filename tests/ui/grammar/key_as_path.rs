use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(crud::filter)]
pub struct Product {
    pub id: i64,
}

fn main() {}
