use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(tags(Products, 5, ""))]
pub struct Product {
    pub id: i64,
}

fn main() {}
