use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(default_sort(photo))]
pub struct Product {
    pub id: i64,
    pub photo: Vec<u8>,
}

fn main() {}
